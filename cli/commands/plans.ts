import { examples } from "../command/command.ts";
import type { Cli, Define, Input } from "../command/command.ts";
import { flag } from "../command/globals.ts";
import { textOf } from "../terminal/json.ts";
import { addPaging, listAction } from "../client/list-command.ts";
import { CUSTOMER_ARG, customerId } from "../client/customer.ts";
import { getList, getOne, post } from "../client/operator.ts";
import type { Column } from "../terminal/output.ts";

const COLUMNS: readonly Column[] = [
  ["ID", "id"],
  ["NAME", "name"],
  ["REQUESTS/MIN", "requests_per_minute"],
  ["STORES", ({ stores }) => stores ?? "unlimited"],
  ["ACTIVE KEYS", "active_keys"],
  ["PAID", "paid"],
  ["TRIAL DAYS", "trial_days"],
];

export const define: Define = (command, run) => {
  const list = addPaging(command.command("list").description("list the plans of the configuration"));
  list.action(listAction(run, { path: "/plans", query: () => ({}), columns: COLUMNS }));
  examples(list, ["platform plans list"]);

  const show = command.command("show").argument("<id>").description("show a plan");
  show.action(
    run(async (cli, { args: [id = ""] }) =>
      cli.out.value(await getOne(cli, `/plans/${encodeURIComponent(id)}`)),
    ),
  );
  examples(show, ["platform plans show growth"]);

  const assign = command
    .command("assign")
    .argument("<customer>", CUSTOMER_ARG)
    .argument("[plan]")
    .description("assign a plan to a customer");
  assign.option("--trial", "start a trial; one per plan and customer").action(run(assignPlan));
  examples(assign, ["platform plans assign cus_… growth", "platform plans assign cus_… growth --trial"]);
};

async function assignPlan(cli: Cli, { args: [customer = "", given], options }: Input): Promise<void> {
  const plan = given ?? (await choosePlan(cli));
  const path = `/customers/${encodeURIComponent(await customerId(cli, customer))}/plan`;
  await cli.out.value(await post(cli, path, { plan, trial: flag(options, "trial") }));
}

async function choosePlan(cli: Cli): Promise<string> {
  if (!cli.ask.isPossible) return cli.ask.text("<plan>", "Plan:");
  const { items } = await getList(cli, "/plans", {}, { all: true });
  const choices = items.map((plan) => ({ value: textOf(plan, "id") }));
  return cli.ask.choose("<plan>", "Plan:", choices);
}
