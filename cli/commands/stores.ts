import { examples } from "../command/command.ts";
import type { Cli, Define, Input } from "../command/command.ts";
import { text } from "../command/globals.ts";
import { textOf } from "../terminal/json.ts";
import { CUSTOMER_ARG, customerId, optionalCustomerId } from "../client/customer.ts";
import { addPaging, listAction } from "../client/list-command.ts";
import { getOne, post, sendEmpty } from "../client/operator.ts";
import type { Column } from "../terminal/output.ts";

const COLUMNS: readonly Column[] = [
  ["ID", "id"],
  ["IDENTIFIER", "identifier"],
  ["CUSTOMER", "customer_id"],
  ["PRIMARY", "primary"],
  ["CREATED", "created_at"],
];

export const define: Define = (command, run) => {
  const list = addPaging(command.command("list").description("list stores, newest first"));
  list
    .option("--customer <id>", "of one customer, by id or e-mail address")
    .option("--identifier <text>", "with this identifier");
  list.action(
    listAction(run, {
      path: "/stores",
      query: async ({ options }, cli) => ({
        customer_id: await optionalCustomerId(cli, text(options, "customer")),
        identifier: text(options, "identifier"),
      }),
      columns: COLUMNS,
    }),
  );
  examples(list, ["platform stores list --customer cus_…", "platform stores list --identifier demo-bakery"]);

  const show = command.command("show").argument("<id>").description("show a store");
  show.action(run(async (cli, { args: [id = ""] }) => cli.out.value(await getOne(cli, at(id)))));
  examples(show, ["platform stores show sto_…"]);

  const add = command.command("add").description("add a store to a customer");
  add
    .option("--customer <id>", CUSTOMER_ARG)
    .option("--identifier <text>", "identifier of the store in X-Service-Store")
    .action(run(addStore));
  examples(add, ["platform stores add --customer cus_… --identifier shop-2"]);

  const drop = command
    .command("remove")
    .argument("<id>")
    .description(
      "remove an additional store: its keys are revoked immediately, its data is deleted after 30 days",
    );
  drop
    .option("--confirm <identifier>", "identifier of the store, to confirm without a prompt")
    .action(run(removeStore));
  examples(drop, ["platform stores remove sto_… --confirm shop-2"]);
};

const at = (id: string): string => `/stores/${encodeURIComponent(id)}`;

async function addStore(cli: Cli, { options }: Input): Promise<void> {
  const customer =
    text(options, "customer") ?? (await cli.ask.text("--customer", "Customer, by id or e-mail address:"));
  const identifier =
    text(options, "identifier") ??
    cli.globals.store ??
    (await cli.ask.text("--identifier", "Store identifier:"));
  await cli.out.value(
    await post(cli, "/stores", { customer_id: await customerId(cli, customer), identifier }),
  );
}

async function removeStore(cli: Cli, { args: [id = ""], options }: Input): Promise<void> {
  const store = await getOne(cli, at(id));
  await cli.ask.confirmName(
    `This removes store ${id}: its keys are revoked now, its data is deleted after 30 days.`,
    textOf(store, "identifier"),
    text(options, "confirm"),
  );
  await sendEmpty(cli, "DELETE", at(id));
  await cli.out.value({ id, removed: true });
}
