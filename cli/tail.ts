import { toInstant } from "../server/kernel/clock.ts";
import type { Cli, Input } from "./command.ts";
import { openRunningApi } from "./connect.ts";
import { parseDuration, pause } from "./duration.ts";
import { CliError, EXIT, Interrupted, usageError } from "./exit.ts";
import { flag, text } from "./globals.ts";
import { isObject, parseJson, textOf } from "./json.ts";
import type { JsonObject } from "./json.ts";
import { operatorPath, queryText, readBody, toFailure } from "./operator.ts";
import type { Query } from "./operator.ts";
import { readEvents } from "./sse.ts";
import type { ServerEvent } from "./sse.ts";

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Prints the open windows, then every change, until SIGINT, `--for` or `--count`. A server that goes away is waited
 * for; the gap, and whether anything was missed in it, is told on stderr.
 */
export async function tailLimits(cli: Cli, { options }: Input): Promise<number> {
  const query = toQuery(options);
  const printer = createPrinter(cli, options);
  const lasting = text(options, "for");
  const end = new AbortController();
  const timer =
    lasting === undefined ? undefined : setTimeout(() => end.abort(), parseDuration(lasting, "--for"));
  const stop = AbortSignal.any([cli.signal, end.signal]);
  const isOver = (): boolean => stop.aborted || printer.isFull();
  const place: Place = { lastId: "", lostAtMs: null, pauseMs: FIRST_PAUSE_MS };
  try {
    while (!isOver()) {
      const outcome = await followOnce(cli, { query, place, printer, stop, isOver });
      if (isOver()) break;
      if (place.lostAtMs === null) {
        place.lostAtMs = cli.clock.now();
        cli.out.talk(`${outcome} Trying again until it is back.`);
      }
      await pause(place.pauseMs, stop);
      place.pauseMs = Math.min(LONGEST_PAUSE_MS, place.pauseMs * 2);
    }
  } finally {
    clearTimeout(timer);
  }
  // Ctrl+C is the ordinary end of an endless list.
  return EXIT.ok;
}

/** Where the stream stands, across connections. */
interface Place {
  lastId: string;
  /** Epoch milliseconds at which the connection was lost; null while it holds. */
  lostAtMs: number | null;
  pauseMs: number;
}

interface Following {
  readonly query: Query;
  readonly place: Place;
  readonly printer: Printer;
  readonly stop: AbortSignal;
  readonly isOver: () => boolean;
}

/** One connection: returns why it ended. Only what no waiting can mend is thrown. */
async function followOnce(cli: Cli, on: Following): Promise<string> {
  const cut = new AbortController();
  try {
    const api = await openRunningApi(cli);
    if (api === null) return "No server runs here.";
    const request = {
      method: "GET",
      path: operatorPath(`/limits/stream${queryText(on.query)}`),
      as: "operator",
      signal: AbortSignal.any([on.stop, cut.signal]),
      headers: {
        accept: "text/event-stream",
        ...(on.place.lastId === "" ? {} : { "last-event-id": on.place.lastId }),
      },
    } as const;
    const response = await api.send(request);
    if (response.status >= 400) {
      const body = parseJson((await readBody(response)).toString("utf8"));
      // While it starts or drains a server answers 503: that passes.
      if (response.status < 500) throw toFailure(api, request, response, body);
      return `The server answered ${response.status}.`;
    }
    for await (const event of readEvents(response.chunks)) {
      await onEvent(cli, on, { ...event, label: api.label });
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

async function onEvent(
  cli: Cli,
  { place, printer }: Following,
  { event, data, id, label }: ServerEvent & { readonly label: string },
): Promise<void> {
  if (event === "ready") await onReady(cli, { place, printer }, { id, label });
  else {
    const parsed = parseJson(data);
    if (isObject(parsed)) await printer.print(parsed);
  }
  if (id !== "") place.lastId = id;
}

/** Only now is it true that everything from here on will be seen. */
async function onReady(
  cli: Cli,
  { place, printer }: Pick<Following, "place" | "printer">,
  { id, label }: { id: string; label: string },
): Promise<void> {
  if (place.lostAtMs === null) cli.out.talk(`Watching ${label}`);
  else {
    const isSame = processOf(id) === processOf(place.lastId);
    const seconds = ((cli.clock.now() - place.lostAtMs) / 1000).toFixed(1);
    const missed = isSame
      ? "nothing was missed"
      : "the server has started anew, and what happened meanwhile was not seen";
    cli.out.talk(`Back after ${seconds} s: ${missed}.`);
    await printer.reconnected(!isSame);
  }
  place.lostAtMs = null;
  place.pauseMs = FIRST_PAUSE_MS;
}

/** The part of an event's id that names the process; the rest counts its events. */
const processOf = (id: string): string => id.slice(0, Math.max(0, id.lastIndexOf("-")));

interface Printer {
  readonly print: (event: JsonObject) => Promise<void>;
  readonly reconnected: (gap: boolean) => Promise<void>;
  readonly isFull: () => boolean;
}

function createPrinter(cli: Cli, options: Input["options"]): Printer {
  const count = text(options, "count");
  if (count !== undefined && !/^[1-9]\d{0,8}$/.test(count)) {
    throw usageError(`--count ${JSON.stringify(count)} is no number of lines.`);
  }
  const interval = text(options, "interval");
  const intervalMs = interval === undefined ? 0 : parseDuration(interval, "--interval");
  const lastAt = new Map<string, number>();
  let left = count === undefined ? Infinity : Number(count);

  /** Refusals are never thinned out: they are what one watches for. */
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
      const { type, at, key, customer, limit, remaining, route } = event;
      await cli.out.event(event, [at, type, key, customer, `${String(remaining)}/${String(limit)}`, route]);
    },
    async reconnected(gap) {
      if (cli.out.isJson) {
        await cli.out.event({ type: "reconnected", at: toInstant(cli.clock.now()), gap }, []);
      }
    },
  };
}

function toQuery(options: Input["options"]): Query {
  const share = text(options, "minUsed");
  const percent = share === undefined ? undefined : /^(\d{1,3})%?$/.exec(share)?.[1];
  if (share !== undefined && (percent === undefined || Number(percent) > 100)) {
    throw usageError(`--min-used ${JSON.stringify(share)} is no share.`, "--min-used 80%");
  }
  return {
    key_id: text(options, "key"),
    customer_id: text(options, "customer"),
    engine: text(options, "engine"),
    only_rejected: flag(options, "only429") ? "true" : undefined,
    min_used: percent,
  };
}
