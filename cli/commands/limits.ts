import { examples } from "../command.ts";
import type { Cli, Define, Input } from "../command.ts";
import { text } from "../globals.ts";
import { addPaging, listAction } from "../list-command.ts";
import { getOne, post } from "../operator.ts";
import type { Column } from "../output.ts";

const COLUMNS: readonly Column[] = [
  ["KEY", (row) => row.key_id ?? row.key],
  ["CUSTOMER", (row) => row.customer_id ?? row.customer],
  ["LIMIT", "limit"],
  ["REMAINING", "remaining"],
  ["RESET", (row) => row.reset_at ?? row.reset],
];

export const define: Define = (command, run) => {
  const list = addPaging(command.command("list").description("windows that are open now"));
  list
    .option("--customer <id>", "of one customer")
    .option("--key <id>", "of one key")
    .action(
      listAction(run, {
        path: "/limits",
        query: ({ options }) => ({ customer_id: text(options, "customer"), key_id: text(options, "key") }),
        columns: COLUMNS,
      }),
    );
  examples(list, ["platform limits list --customer cus_…"]);

  const show = command.command("show").argument("<key>").description("limit and use of one key");
  show.action(
    run(async (cli, { args: [id = ""] }) =>
      cli.out.value(await getOne(cli, `/limits/${encodeURIComponent(id)}`)),
    ),
  );
  examples(show, ["platform limits show key_…"]);

  const reset = command.command("reset").argument("<key>").description("give a key its whole window back");
  reset.action(run(resetLimit));
  examples(reset, ["platform limits reset key_… --yes"]);

  const tail = command.command("tail").description("limits as they are used, live");
  tail
    .option("--key <id>", "of one key")
    .option("--customer <id>", "of one customer")
    .option("--engine <name>", "used through this engine")
    .option("--only-429", "refused requests only")
    .option("--min-used <percent>", "windows used to at least this share, as in 80%")
    .option("--interval <duration>", "at most one line per key in this time")
    .option("--count <n>", "end after this many lines")
    .option("--for <duration>", "end after this time")
    .action(run(async (cli, input) => (await import("../tail.ts")).tailLimits(cli, input)));
  examples(tail, [
    "platform limits tail",
    "platform limits tail --only-429 --json | jq .key",
    "platform limits tail --for 10m --min-used 80%",
  ]);
};

async function resetLimit(cli: Cli, { args: [id = ""] }: Input): Promise<void> {
  await cli.ask.confirm(`Give ${id} its whole limit back?`);
  await cli.out.value(await post(cli, `/limits/${encodeURIComponent(id)}/reset`));
}
