import type { Cli } from "../command/command.ts";
import { openRunningApi } from "../client/connect.ts";
import { endAfter, pause } from "../terminal/duration.ts";
import { CliError, EXIT, Interrupted } from "../terminal/exit.ts";
import { isObject, member, textOf } from "../terminal/json.ts";
import type { JsonObject } from "../terminal/json.ts";
import { readAnswer } from "../client/answer.ts";
import { operatorPath, queryText, rawAnswer, toFailure } from "../client/operator.ts";
import type { Query } from "../client/operator.ts";
import { readEvents } from "./sse.ts";
import type { ServerEvent } from "./sse.ts";
import { parseJson } from "../../server/lib/parse-json.ts";

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/** Handles the events of a stream. */
export interface Printer {
  readonly print: (event: JsonObject) => Promise<void>;
  /** The stream was reconnected; `gap` if events were missed. */
  readonly reconnected: (gap: boolean) => Promise<void>;
  /** No more events are needed. */
  readonly isFull: () => boolean;
  /** Aborted when the user quits. */
  readonly done?: AbortSignal;
  /** Called at the end. */
  readonly close?: () => void;
}

export interface FollowOptions {
  /** Relative to the operator's routes. */
  readonly path: string;
  readonly query: Query;
  readonly printer: Printer;
  /** `--for`: ends after that time. */
  readonly lasting: string | undefined;
}

/**
 * Follows an event stream of the operator until SIGINT, `--for`, or until the printer is full. Reconnects when the connection
 * is lost; prints to stderr how long that took and whether events were missed.
 */
export async function followStream(cli: Cli, options: FollowOptions): Promise<number> {
  const { printer, lasting } = options;
  const end = endAfter(lasting);
  const stop = AbortSignal.any([cli.signal, end, ...(printer.done === undefined ? [] : [printer.done])]);
  const isOver = (): boolean => stop.aborted || printer.isFull();
  const place: Place = { isReady: false, lastId: "", lostAtMs: null, pauseMs: FIRST_PAUSE_MS };
  let outcome = "The stream did not open in time.";
  try {
    while (!isOver()) {
      outcome = (await followOnce(cli, { ...options, place, stop, isOver })) || outcome;
      if (isOver()) break;
      if (place.lostAtMs === null) {
        place.lostAtMs = cli.clock.now();
        cli.out.info(`${outcome} Reconnecting.`);
      }
      await pause(place.pauseMs, stop);
      place.pauseMs = Math.min(LONGEST_PAUSE_MS, place.pauseMs * 2);
    }
  } finally {
    printer.close?.();
  }
  // A script must be able to distinguish an empty stream from one that never opened.
  if (!place.isReady && end.aborted && !cli.signal.aborted) throw neverOpened(outcome);
  // Ctrl+C is the normal end of a stream.
  return EXIT.ok;
}

const neverOpened = (detail: string): CliError =>
  new CliError({
    type: "unreachable",
    title: "The stream did not open",
    detail,
    exitCode: EXIT.unreachable,
    hint: "platform serve (is it running?), --url, platform doctor",
  });

/** State of the stream across connections. */
interface Place {
  /** The stream was open at least once. */
  isReady: boolean;
  lastId: string;
  /** Epoch milliseconds at which the connection was lost; null while connected. */
  lostAtMs: number | null;
  pauseMs: number;
}

interface Following extends FollowOptions {
  readonly place: Place;
  readonly stop: AbortSignal;
  readonly isOver: () => boolean;
}

/** One connection: returns why it ended. Throws only errors that retrying cannot resolve. */
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
      // A server that starts or drains returns 503 for a short time.
      if (response.status < 500) throw toFailure(api, request, response, json);
      return `The server returned ${response.status}.`;
    }
    for await (const event of readEvents(response.chunks)) {
      await onEvent(cli, on, { ...event, label: api.label });
      if (on.isOver()) return "";
    }
    return "The server closed the stream.";
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
  const parsed = parseJson(data);
  if (event === "ready") await onReady(cli, { place, printer }, { id, label, ready: parsed });
  else if (!isObject(parsed)) return;
  else if (event === "node" || event === "gap") await printNote(cli, parsed);
  else await printer.print(parsed);
  if (id !== "") place.lastId = id;
}

/** From here on no event is missed. */
async function onReady(
  cli: Cli,
  { place, printer }: Pick<Following, "place" | "printer">,
  { id, label, ready }: { id: string; label: string; ready: unknown },
): Promise<void> {
  if (place.lostAtMs === null) cli.out.info(`Watching ${label}`);
  else {
    const isSame = processOf(id) === processOf(place.lastId);
    const seconds = ((cli.clock.now() - place.lostAtMs) / 1000).toFixed(1);
    const missed = isSame
      ? "no events were missed"
      : "another process responds, and events in between were missed";
    cli.out.info(`Reconnected after ${seconds} s: ${missed}.`);
    await printer.reconnected(!isSame);
  }
  const nodes = textsOf(member(ready, "nodes"));
  if (nodes.length > 1) cli.out.info(`Following ${nodes.length} nodes: ${nodes.join(", ")}`);
  for (const node of textsOf(member(ready, "silent"))) {
    await printNote(cli, { type: "node", at: textOf(ready, "at"), node, state: "silent" });
  }
  place.isReady = true;
  place.lostAtMs = null;
  place.pauseMs = FIRST_PAUSE_MS;
}

const textsOf = (list: unknown): string[] =>
  Array.isArray(list) ? list.filter((one) => typeof one === "string") : [];

const STATES: Readonly<Record<string, string>> = {
  joined: "is followed from now on",
  left: "has shut down",
  silent: "does not respond: its events are missing",
};

/** What a reader has to know of the stream itself: a line of JSON, or a sentence on stderr. */
async function printNote(cli: Cli, note: JsonObject): Promise<void> {
  if (cli.out.isJson) return cli.out.event(note, []);
  const node = textOf(note, "node");
  if (note.type === "node") return cli.out.warn(`Node ${node} ${STATES[textOf(note, "state")] ?? ""}.`);
  const whose = node === "" ? "" : ` of node ${node}`;
  return cli.out.warn(`${textOf(note, "missed")} events${whose} were skipped because they arrived too fast.`);
}

/** The part of an event id that identifies the process; the rest counts its events. */
const processOf = (id: string): string => id.slice(0, Math.max(0, id.lastIndexOf("-")));
