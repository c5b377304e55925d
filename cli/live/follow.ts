import type { Cli } from "../command/command.ts";
import { openRunningApi } from "../client/connect.ts";
import { parseDuration, pause } from "../terminal/duration.ts";
import { CliError, EXIT, Interrupted, usageError } from "../terminal/exit.ts";
import { isObject, numberOf, parseJson } from "../terminal/json.ts";
import type { JsonObject } from "../terminal/json.ts";
import { readAnswer } from "../client/answer.ts";
import { operatorPath, queryText, rawAnswer, toFailure } from "../client/operator.ts";
import type { Query } from "../client/operator.ts";
import { readEvents } from "./sse.ts";
import type { ServerEvent } from "./sse.ts";

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/** What becomes of the events of a stream. */
export interface Printer {
  readonly print: (event: JsonObject) => Promise<void>;
  /** The stream is there again; `gap` when what happened meanwhile was not seen. */
  readonly reconnected: (gap: boolean) => Promise<void>;
  /** Enough was seen. */
  readonly isFull: () => boolean;
  /** Aborted when the person who looks has seen enough. */
  readonly done?: AbortSignal;
  /** Called at the end, whatever it was. */
  readonly close?: () => void;
}

export interface FollowOptions {
  /** Below the operator's mount. */
  readonly path: string;
  readonly query: Query;
  readonly printer: Printer;
  /** `--for`: ends after that time. */
  readonly lasting: string | undefined;
}

/**
 * Follows an event stream of the operator's until SIGINT, `--for`, or until the printer has enough. A server that goes away is
 * waited for; the gap, and whether anything was missed in it, is told on stderr.
 */
export async function followStream(cli: Cli, options: FollowOptions): Promise<number> {
  const { printer, lasting } = options;
  const end = new AbortController();
  const timer =
    lasting === undefined ? undefined : setTimeout(() => end.abort(), parseDuration(lasting, "--for"));
  const stop = AbortSignal.any([
    cli.signal,
    end.signal,
    ...(printer.done === undefined ? [] : [printer.done]),
  ]);
  const isOver = (): boolean => stop.aborted || printer.isFull();
  const place: Place = { isReady: false, lastId: "", lostAtMs: null, pauseMs: FIRST_PAUSE_MS };
  let outcome = "The stream did not open in time.";
  try {
    while (!isOver()) {
      outcome = (await followOnce(cli, { ...options, place, stop, isOver })) || outcome;
      if (isOver()) break;
      if (place.lostAtMs === null) {
        place.lostAtMs = cli.clock.now();
        cli.out.talk(`${outcome} Retrying until it is back.`);
      }
      await pause(place.pauseMs, stop);
      place.pauseMs = Math.min(LONGEST_PAUSE_MS, place.pauseMs * 2);
    }
  } finally {
    clearTimeout(timer);
    printer.close?.();
  }
  // A script that watched for a while has to know that it saw nothing.
  if (!place.isReady && end.signal.aborted && !cli.signal.aborted) throw neverOpened(outcome);
  // Ctrl+C is the ordinary end of an endless list.
  return EXIT.ok;
}

const neverOpened = (detail: string): CliError =>
  new CliError({
    type: "unreachable",
    title: "Nothing was watched",
    detail,
    exitCode: EXIT.unreachable,
    hint: "platform serve (is it running?), --url, platform doctor",
  });

/** `--count`: lines after which a stream ends; infinity where none is given. */
export function countOf(text: string | undefined): number {
  if (text === undefined) return Infinity;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw usageError(`--count ${JSON.stringify(text)} is no number of lines.`);
}

/** Where the stream stands, across connections. */
interface Place {
  /** The stream was open at least once. */
  isReady: boolean;
  lastId: string;
  /** Epoch milliseconds at which the connection was lost; null while it holds. */
  lostAtMs: number | null;
  pauseMs: number;
}

interface Following extends FollowOptions {
  readonly place: Place;
  readonly stop: AbortSignal;
  readonly isOver: () => boolean;
}

/** One connection: returns why it ended. Only what no waiting can mend is thrown. */
async function followOnce(cli: Cli, on: Following): Promise<string> {
  const cut = new AbortController();
  try {
    const api = await openRunningApi(cli);
    if (api === null) return "No server is running in this folder.";
    const request = {
      method: "GET",
      path: operatorPath(on.path + queryText(on.query)),
      as: "operator",
      answers: rawAnswer("text/event-stream"),
      signal: AbortSignal.any([on.stop, cut.signal]),
      headers: {
        accept: "text/event-stream",
        ...(on.place.lastId === "" ? {} : { "last-event-id": on.place.lastId }),
      },
    } as const;
    const response = await api.send(request);
    if (response.status >= 400) {
      const { json } = await readAnswer(api, request, response);
      // While it starts or drains a server answers 503: that passes.
      if (response.status < 500) throw toFailure(api, request, response, json);
      return `The server answered ${response.status}.`;
    }
    for await (const event of readEvents(response.chunks)) {
      await onEvent(cli, on, { ...event, label: api.label });
      if (on.isOver()) return "";
    }
    return "The server ended the stream.";
  } catch (error) {
    if (on.stop.aborted || error instanceof Interrupted) return "";
    if (error instanceof CliError && error.failure.type === "unreachable") return error.failure.detail;
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
  if (event === "ready") {
    const nodes = numberOf(parseJson(data), "nodes") ?? 1;
    await onReady(cli, { place, printer }, { id, label, nodes });
  } else {
    const parsed = parseJson(data);
    if (isObject(parsed)) await printer.print(parsed);
  }
  if (id !== "") place.lastId = id;
}

/** Only now is it true that everything from here on will be seen. */
async function onReady(
  cli: Cli,
  { place, printer }: Pick<Following, "place" | "printer">,
  { id, label, nodes }: { id: string; label: string; nodes: number },
): Promise<void> {
  if (place.lostAtMs === null) cli.out.talk(`Watching ${label}`);
  else {
    const isSame = processOf(id) === processOf(place.lastId);
    const seconds = ((cli.clock.now() - place.lostAtMs) / 1000).toFixed(1);
    const missed = isSame
      ? "no events were missed"
      : "the server has restarted, and events in between were missed";
    cli.out.talk(`Back after ${seconds} s: ${missed}.`);
    await printer.reconnected(!isSame);
  }
  if (nodes > 1) cli.out.talk(`${nodes} processes serve this store: this is what one of them does.`);
  place.isReady = true;
  place.lostAtMs = null;
  place.pauseMs = FIRST_PAUSE_MS;
}

/** The part of an event's id that names the process; the rest counts its events. */
const processOf = (id: string): string => id.slice(0, Math.max(0, id.lastIndexOf("-")));
