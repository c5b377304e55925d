import type { Cli, Input } from "./command.ts";
import { openRunningApi } from "./connect.ts";
import type { Api } from "./connect.ts";
import { parseDuration, pause } from "./duration.ts";
import { CliError, EXIT, Interrupted, usageError } from "./exit.ts";
import { flag, text } from "./globals.ts";
import { isObject, numberOf, parseJson, textOf } from "./json.ts";
import type { JsonObject } from "./json.ts";
import { operatorPath, readBody, toFailure } from "./operator.ts";
import { readEvents } from "./sse.ts";

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Prints the snapshot, then every change, until SIGINT, `--for` or `--count`. A server that goes away is waited for,
 * and the gap is told on stderr; after it the stream begins with a fresh snapshot.
 */
export async function tailLimits(cli: Cli, { options }: Input): Promise<number> {
  const printer = createPrinter(cli, options);
  const lasting = text(options, "for");
  const end = new AbortController();
  const timer =
    lasting === undefined ? undefined : setTimeout(() => end.abort(), parseDuration(lasting, "--for"));
  const stop = AbortSignal.any([cli.signal, end.signal]);
  const isOver = (): boolean => stop.aborted || printer.isFull();
  try {
    let lostAt: number | null = null;
    let pauseMs = FIRST_PAUSE_MS;
    while (!isOver()) {
      const outcome = await followOnce(cli, {
        stop,
        onOpen: async (api) => {
          cli.out.talk(lostAt === null ? `Watching ${api.label}` : gapText(cli.clock.now() - lostAt));
          if (lostAt !== null) await printer.reconnected(cli.clock.now());
          pauseMs = FIRST_PAUSE_MS;
          lostAt = null;
        },
        onEvent: printer.print,
        isOver,
      });
      if (isOver()) break;
      if (lostAt === null) {
        lostAt = cli.clock.now();
        cli.out.talk(`${outcome} Trying again until it is back.`);
      }
      await pause(pauseMs, stop);
      pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
    }
  } finally {
    clearTimeout(timer);
  }
  // Ctrl+C is the ordinary end of an endless list.
  return EXIT.ok;
}

const gapText = (ms: number): string =>
  `Back after ${(ms / 1000).toFixed(1)} s. What happened meanwhile was not seen; a new snapshot follows.`;

/** One connection: returns why it ended. Only what no waiting can mend is thrown. */
async function followOnce(
  cli: Cli,
  on: {
    stop: AbortSignal;
    onOpen: (api: Api) => Promise<void>;
    onEvent: (event: JsonObject) => Promise<void>;
    isOver: () => boolean;
  },
): Promise<string> {
  const cut = new AbortController();
  const signal = AbortSignal.any([on.stop, cut.signal]);
  try {
    const api = await openRunningApi(cli);
    if (api === null) return "No server runs here.";
    const request = { method: "GET", path: operatorPath("/limits/stream"), as: "operator", signal } as const;
    const response = await api.send({ ...request, headers: { accept: "text/event-stream" } });
    if (response.status >= 400) {
      const body = parseJson((await readBody(response)).toString("utf8"));
      // While it starts or drains a server answers 503: that passes.
      if (response.status < 500) throw toFailure(api, request, response, body);
      return `The server answered ${response.status}.`;
    }
    await on.onOpen(api);
    for await (const { event, data } of readEvents(response.chunks)) {
      const parsed = parseJson(data);
      if (isObject(parsed)) await on.onEvent({ type: event, ...parsed });
      if (on.isOver()) return "";
    }
    return "The server ended the stream.";
  } catch (error) {
    if (on.stop.aborted || error instanceof Interrupted) return "";
    if (error instanceof CliError && error.failure.exitCode === EXIT.unreachable) return error.failure.detail;
    throw error;
  } finally {
    cut.abort();
  }
}

interface Printer {
  readonly print: (event: JsonObject) => Promise<void>;
  readonly reconnected: (now: number) => Promise<void>;
  readonly isFull: () => boolean;
}

function createPrinter(cli: Cli, options: Input["options"]): Printer {
  const isWanted = createFilter(options);
  const count = text(options, "count");
  if (count !== undefined && !/^[1-9]\d{0,8}$/.test(count))
    throw usageError(`--count ${JSON.stringify(count)} is no number of lines.`);
  const interval = text(options, "interval");
  const intervalMs = interval === undefined ? 0 : parseDuration(interval, "--interval");
  const lastAt = new Map<string, number>();
  let left = count === undefined ? Infinity : Number(count);

  /** Refusals are never thinned out: they are what one watches for. */
  const isTooSoon = (event: JsonObject): boolean => {
    const now = cli.clock.now();
    const key = textOf(event, "key");
    if (textOf(event, "type") === "rejected" || now - (lastAt.get(key) ?? -Infinity) >= intervalMs) {
      lastAt.set(key, now);
      return false;
    }
    return true;
  };

  return {
    isFull: () => left <= 0,
    async print(event) {
      if (left <= 0 || !isWanted(event) || isTooSoon(event)) return;
      left -= 1;
      const { type, at, key, customer, limit, remaining, route } = event;
      await cli.out.event(event, [at, type, key, customer, `${String(remaining)}/${String(limit)}`, route]);
    },
    async reconnected(now) {
      if (!cli.out.isJson) return;
      const { toInstant } = await import("../server/kernel/clock.ts");
      await cli.out.event({ type: "reconnected", at: toInstant(now) }, []);
    },
  };
}

function createFilter(options: Input["options"]): (event: JsonObject) => boolean {
  const key = text(options, "key");
  const customer = text(options, "customer");
  const engine = text(options, "engine");
  const only429 = flag(options, "only429");
  const share = shareOf(text(options, "minUsed"));
  return (event) =>
    ["snapshot", "update", "reset", "rejected"].includes(textOf(event, "type")) &&
    (key === undefined || textOf(event, "key") === key) &&
    (customer === undefined || textOf(event, "customer") === customer) &&
    (engine === undefined || textOf(event, "route").startsWith(`${engine}.`)) &&
    (!only429 || textOf(event, "type") === "rejected") &&
    usedShare(event) >= share;
}

function usedShare(event: JsonObject): number {
  const limit = numberOf(event, "limit") ?? 0;
  return limit === 0 ? 0 : 1 - (numberOf(event, "remaining") ?? 0) / limit;
}

function shareOf(given: string | undefined): number {
  if (given === undefined) return 0;
  const percent = /^(\d{1,3})%?$/.exec(given)?.[1];
  if (percent === undefined || Number(percent) > 100)
    throw usageError(`--min-used ${JSON.stringify(given)} is no share.`, "--min-used 80%");
  return Number(percent) / 100;
}
