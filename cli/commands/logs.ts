import { examples } from "../command/command.ts";
import type { Cli, Define, Input } from "../command/command.ts";
import { countOf, parseSeconds } from "../terminal/duration.ts";
import { followStream } from "../live/follow.ts";
import { flag, text } from "../command/globals.ts";
import { member, objectsOf, textOf } from "../terminal/json.ts";
import type { JsonObject } from "../terminal/json.ts";
import { addPaging, listAction } from "../client/list-command.ts";
import { getOne } from "../client/operator.ts";
import type { Query } from "../client/operator.ts";
import type { Column } from "../terminal/output.ts";

const COLUMNS: readonly Column[] = [
  ["AT", "at"],
  ["STATUS", "status"],
  ["METHOD", "method"],
  ["ROUTE", (row) => row.route ?? row.path],
  ["MS", "duration_ms"],
  ["KEY", "key_id"],
  ["WHY", (row) => textOf(row.error, "code") || textOf(row.error, "type")],
  ["REQUEST", "request_id"],
];

export const define: Define = (command, run) => {
  const show = command.command("show").argument("<request>").description("show a request");
  show.action(run(showRequest));
  examples(show, ["platform logs show req_…"]);

  const list = addPaging(command.command("list").description("list logged requests, newest first"));
  addFilters(list)
    .option("--recent", "recent requests in the memory of all nodes, including successes")
    .action(
      listAction(run, {
        path: "/logs",
        query: ({ options }) => ({
          ...filterOf(options),
          recent: flag(options, "recent") ? "true" : undefined,
        }),
        columns: COLUMNS,
      }),
    );
  examples(list, ["platform logs list --key key_… --status 4xx", "platform logs list --recent --limit 100"]);

  const tail = command.command("tail").description("follow requests");
  addFilters(tail)
    .option("--since <duration>", "start with the recent requests of this time")
    .option("--count <n>", "end after this many lines")
    .option("--for <duration>", "end after this time")
    .action(run(tailRequests));
  examples(tail, [
    "platform logs tail --status 5xx",
    "platform logs tail --key key_… --since 10m",
    "platform logs tail --route delivery --jq .duration_ms",
  ]);
};

const addFilters = (command: Parameters<Define>[0]) =>
  command
    .option("--key <id>", "of one key")
    .option("--status <status>", "a status such as 404, or a class such as 4xx")
    .option("--route <route>", "a route such as delivery.zones.list, or an engine");

const filterOf = (options: Input["options"]): Query => ({
  key_id: text(options, "key"),
  status: text(options, "status"),
  route: text(options, "route"),
});

/** On a terminal, the error is shown as rows of the entry. */
async function showRequest(cli: Cli, { args: [id = ""] }: Input): Promise<void> {
  const { error, ...entry } = await getOne(cli, `/logs/${encodeURIComponent(id)}`);
  if (cli.out.isJson) return cli.out.value({ ...entry, error });
  const why: JsonObject = {
    error: textOf(error, "type"),
    code: textOf(error, "code"),
    detail: textOf(error, "detail"),
    ...Object.fromEntries(
      objectsOf(member(error, "fields")).map((field) => [textOf(field, "at"), textOf(field, "detail")]),
    ),
    cause: textOf(error, "cause"),
  };
  return cli.out.value({ ...entry, ...(error === null ? {} : why) });
}

async function tailRequests(cli: Cli, { options }: Input): Promise<number> {
  const since = text(options, "since");
  let left = countOf(text(options, "count"));
  const printer = {
    isFull: () => left <= 0,
    async print(event: JsonObject) {
      if (left <= 0) return;
      left -= 1;
      await cli.out.event(event, [
        ...COLUMNS.map(([, value]) => (typeof value === "string" ? event[value] : value(event))),
        event.node,
      ]);
    },
    reconnected: async () => undefined,
  };
  const query = {
    ...filterOf(options),
    since_seconds: since === undefined ? undefined : String(parseSeconds(since, "--since")),
  };
  return followStream(cli, { path: "/logs/stream", query, printer, lasting: text(options, "for") });
}
