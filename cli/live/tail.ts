import { toInstant } from "../../server/lib/instant.ts";
import type { Cli, Input } from "../command/command.ts";
import { countOf, parseDuration } from "../terminal/duration.ts";
import { usageError } from "../terminal/exit.ts";
import { followStream } from "./follow.ts";
import type { Printer } from "./follow.ts";
import { flag, text } from "../command/globals.ts";
import { textOf } from "../terminal/json.ts";
import type { JsonObject } from "../terminal/json.ts";
import type { Query } from "../client/operator.ts";

/** Prints the open windows, then every change, until SIGINT, `--for` or `--count`. */
export async function tailLimits(cli: Cli, { options }: Input): Promise<number> {
  const query = limitsQuery(options);
  const isTop = flag(options, "top") && cli.out.isTable;
  if (flag(options, "top") && !isTop) cli.out.info("--top needs a terminal; printing lines.");
  const printer = isTop
    ? await (await import("./top.ts")).openTop(cli, options)
    : createPrinter(cli, options);
  const path = "/limits/stream";
  return followStream(cli, { path, query, printer, lasting: text(options, "for") });
}

function createPrinter(cli: Cli, options: Input["options"]): Printer {
  const interval = text(options, "interval");
  const intervalMs = interval === undefined ? 0 : parseDuration(interval, "--interval");
  const lastAt = new Map<string, number>();
  let left = countOf(text(options, "count"));

  /** Refused requests are never skipped. */
  const isTooSoon = (event: JsonObject): boolean => {
    const now = cli.clock.now();
    const key = textOf(event, "key");
    if (textOf(event, "type") !== "rejected" && now - (lastAt.get(key) ?? -Infinity) < intervalMs)
      return true;
    lastAt.set(key, now);
    return false;
  };

  return {
    isFull: () => left <= 0,
    async print(event) {
      if (left <= 0 || isTooSoon(event)) return;
      left -= 1;
      const { type, at, key, customer, limit, remaining, route, node } = event;
      const used = `${String(remaining)}/${String(limit)}`;
      await cli.out.event(event, [at, type, key, customer, used, route, node]);
    },
    async reconnected(gap) {
      if (cli.out.isJson) {
        await cli.out.event({ type: "reconnected", at: toInstant(cli.clock.now()), gap }, []);
      }
    },
  };
}

function limitsQuery(options: Input["options"]): Query {
  const share = text(options, "minUsed");
  const percent = share === undefined ? undefined : /^(\d{1,3})%?$/.exec(share)?.[1];
  if (share !== undefined && (percent === undefined || Number(percent) > 100)) {
    throw usageError(`--min-used ${JSON.stringify(share)} is not a percentage.`, "--min-used 80%");
  }
  return {
    key_id: text(options, "key"),
    customer_id: text(options, "customer"),
    engine: text(options, "engine"),
    only_rejected: flag(options, "only429") ? "true" : undefined,
    min_used: percent,
  };
}
