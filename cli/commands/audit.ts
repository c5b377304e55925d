import { examples } from "../command/command.ts";
import type { Cli, Define, Input } from "../command/command.ts";
import { countOf, parseDuration, pause } from "../terminal/duration.ts";
import { EXIT } from "../terminal/exit.ts";
import { text } from "../command/globals.ts";
import { textOf } from "../terminal/json.ts";
import type { JsonObject } from "../terminal/json.ts";
import { addPaging, listAction } from "../client/list-command.ts";
import { getList, getOne } from "../client/operator.ts";
import type { Column } from "../terminal/output.ts";

const COLUMNS: readonly Column[] = [
  ["AT", "created_at"],
  ["ACTOR", "actor"],
  ["ACTION", "action"],
  ["SUBJECT", "subject"],
  ["REQUEST", "request_id"],
];

export const define: Define = (command, run) => {
  const list = addPaging(command.command("list").description("list entries, newest first"));
  list.option("--about <id>", "entries about this customer, key or store").action(
    listAction(run, {
      path: "/audit",
      query: ({ options }) => ({ about: text(options, "about") }),
      columns: COLUMNS,
    }),
  );
  examples(list, ["platform audit list --about key_…", "platform audit list --all --json > audit.json"]);

  const tail = command.command("tail").description("follow new entries");
  tail
    .option("--count <n>", "end after this many lines")
    .option("--for <duration>", "end after this time")
    .option("--interval <duration>", "polling interval", "1s")
    .action(run(tailAudit));
  examples(tail, ["platform audit tail", "platform audit tail --count 1 --json"]);

  const verify = command.command("verify").description("verify the hash chain of the entries");
  verify.action(run(verifyChain));
  examples(verify, ["platform audit verify"]);
};

async function verifyChain(cli: Cli): Promise<number> {
  const result = await getOne(cli, "/audit/verify");
  await cli.out.value(result);
  return result.ok === false ? EXIT.findings : EXIT.ok;
}

/** Polls for entries newer than the last one; starts with entries after the start of the command. */
async function tailAudit(cli: Cli, { options }: Input): Promise<number> {
  const intervalMs = parseDuration(text(options, "interval") ?? "1s", "--interval");
  const lasting = text(options, "for");
  const endsAt = lasting === undefined ? Infinity : cli.clock.now() + parseDuration(lasting, "--for");
  let left = countOf(text(options, "count"));
  let seen: string | null = null;
  while (left > 0 && cli.clock.now() < endsAt && !cli.signal.aborted) {
    const { items } = await getList(cli, "/audit", {}, { limit: "100" });
    const before = seen;
    const fresh: readonly JsonObject[] = before === null ? [] : takeUntil(items, before);
    for (const entry of fresh.slice(0, left)) {
      await cli.out.event(
        entry,
        COLUMNS.map(([, value]) => (typeof value === "string" ? entry[value] : value(entry))),
      );
    }
    left -= fresh.length;
    seen = textOf(items[0], "id") || (seen ?? "");
    if (left > 0) await pause(Math.min(intervalMs, Math.max(0, endsAt - cli.clock.now())), cli.signal);
  }
  return EXIT.ok;
}

/** Entries newer than the one with this id, oldest first. */
function takeUntil(items: readonly JsonObject[], id: string): JsonObject[] {
  const index = items.findIndex((entry) => textOf(entry, "id") === id);
  return (index < 0 ? items : items.slice(0, index)).toReversed();
}
