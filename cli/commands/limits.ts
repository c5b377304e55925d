import { toInstant } from "../../server/lib/instant.ts";
import { examples } from "../command/command.ts";
import type { Cli, Define, Input } from "../command/command.ts";
import { text } from "../command/globals.ts";
import { numberOf } from "../terminal/json.ts";
import type { JsonObject } from "../terminal/json.ts";
import { optionalCustomerId } from "../client/customer.ts";
import { addPaging, listAction } from "../client/list-command.ts";
import { getOne, sendEmpty } from "../client/operator.ts";
import type { Column } from "../terminal/output.ts";

const COLUMNS: readonly Column[] = [
  ["KEY", "key_id"],
  ["CUSTOMER", "customer_id"],
  ["LIMIT", "limit"],
  ["USED", "used"],
  ["REMAINING", "remaining"],
  ["REFUSED", "rejected"],
  ["RESET", resetAt],
  ["ROUTE", "route"],
];

export const define: Define = (command, run) => {
  const list = addPaging(command.command("list").description("list open windows"));
  list
    .option("--customer <id>", "of one customer, by id or e-mail address")
    .option("--key <id>", "of one key")
    .action(
      listAction(run, {
        path: "/limits",
        query: async ({ options }, cli) => ({
          customer_id: await optionalCustomerId(cli, text(options, "customer")),
          key_id: text(options, "key"),
        }),
        columns: COLUMNS,
      }),
    );
  examples(list, ["platform limits list --customer cus_…"]);

  const refusals = addPaging(
    command.command("refusals").description("list the keys that exceeded their limit on a day, by route"),
  );
  refusals.option("--day <date>", "UTC; default: today").action(
    listAction(run, {
      path: "/limits/refusals",
      query: ({ options }) => ({ day: text(options, "day") }),
      columns: [
        ["KEY", "key_id"],
        ["CUSTOMER", "customer_id"],
        ["REFUSED", "rate_limited"],
      ],
    }),
  );
  examples(refusals, ["platform limits refusals --day 2026-06-01 --json"]);

  const show = command.command("show").argument("<key>").description("show the limit and usage of a key");
  show.action(
    run(async (cli, { args: [id = ""] }) =>
      cli.out.value(await getOne(cli, `/limits/${encodeURIComponent(id)}`)),
    ),
  );
  examples(show, ["platform limits show key_…"]);

  const reset = command.command("reset").argument("<key>").description("reset the window of a key");
  reset.action(run(resetLimit));
  examples(reset, ["platform limits reset key_… --yes"]);

  const tail = command.command("tail").description("follow changes of limits");
  tail
    .option("--key <id>", "of one key")
    .option("--customer <id>", "of one customer")
    .option("--engine <name>", "used by requests to this engine")
    .option("--only-429", "refused requests only")
    .option("--min-used <percent>", "windows with at least this usage, such as 80%")
    .option("--top", "one row per key, highest usage first, redrawn in place; needs a terminal")
    .option("--interval <duration>", "print at most one line per key in this time")
    .option("--count <n>", "end after this many lines")
    .option("--for <duration>", "end after this time")
    .action(run(async (cli, input) => (await import("../live/tail.ts")).tailLimits(cli, input)));
  examples(tail, [
    "platform limits tail",
    "platform limits tail --top",
    "platform limits tail --only-429 --jq .key",
    "platform limits tail --for 10m --min-used 80%",
  ]);
};

/** The API returns the end of a window in epoch seconds, like its rate limit headers. */
function resetAt(row: JsonObject): string | null {
  const seconds = numberOf(row, "reset");
  return seconds === null ? null : toInstant(seconds * 1000);
}

async function resetLimit(cli: Cli, { args: [id = ""] }: Input): Promise<void> {
  await cli.ask.confirm(`Reset the rate limit window of ${id}?`);
  await sendEmpty(cli, "POST", `/limits/${encodeURIComponent(id)}/reset`);
  await cli.out.value({ key_id: id, reset: true });
}
