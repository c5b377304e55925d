import { tooManyRequests } from "../../lib/errors.ts";
import { raw } from "../../core/reply.ts";
import type { Reply } from "../../core/reply.ts";

/** What a stream waits for. */
export interface StreamWatcher {
  /** There is news. */
  readonly wake: () => void;
  /** The process ends its streams. */
  readonly close: () => void;
}

export interface StreamSource {
  /** Begins to watch; called before `opening`, so that what happens meanwhile is sent after it and nothing falls between. */
  watch(watcher: StreamWatcher): { take(): string; end(): void };
  /** Frames that precede all news. */
  opening(): string | Promise<string>;
}

/** When a client should try again where all streams are open. */
const BUSY_MS = 10_000;
/** A comment this often keeps proxies and clients from taking a quiet stream for a dead one. */
const HEARTBEAT_MS = 15_000;
/** How long a client waits before it reconnects. */
const RETRY_MS = 1_000;

/** Streams of one process at a time: all of them are written to for each request that is served. */
export const STREAMS_MAX = 100;

/** Counts the streams of a reader, or of a kind of readers, and limits them. */
export interface StreamLimit {
  readonly name: string;
  readonly max: number;
  /** Where many readers share the limit: at the limit, the reader with most streams loses its oldest one, and nobody is refused. */
  readonly reader?: string;
}

const OPERATOR: StreamLimit = { name: "operator", max: STREAMS_MAX };

interface OpenStream {
  readonly reader: string;
  readonly end: () => void;
}
/** Open streams by the name of their limit, the oldest first. */
const open = new Map<string, Set<OpenStream>>();

/** How often an open stream asks whether its reader may still read. */
const CHECK_MS = 1_000;

export interface StreamOptions {
  readonly limits?: readonly StreamLimit[];
  readonly endMs?: number;
  /** Whether the reader may still read: a stream outlives the request that was authenticated. False, or an error, ends it. */
  readonly isAllowed: () => Promise<boolean>;
}

/**
 * A response of server-sent events; it ends with the process, when the reader disconnects or may no longer read, or after `endMs`.
 * Throws 429 where one of the limits is reached.
 */
export function eventStream(
  source: StreamSource,
  { limits = [OPERATOR], endMs, isAllowed }: StreamOptions,
): Reply<never> {
  const reached = limits.filter(({ name, max }) => (open.get(name)?.size ?? 0) >= max);
  const exceeded = reached.find(({ reader }) => reader === undefined);
  if (exceeded !== undefined) {
    throw tooManyRequests(`At most ${exceeded.max} event streams can be open. Close one first.`, BUSY_MS);
  }
  for (const { name } of reached) endLargest(open.get(name) ?? new Set());
  const stream = openStream(source, limits, isAllowed);
  return raw("text/event-stream", endMs === undefined ? stream : endAfter(stream, endMs), {
    // nginx would collect the stream before passing it on.
    headers: { "X-Accel-Buffering": "no" },
  });
}

/** One event of a stream; `id` is where a client that comes back goes on. */
export const frame = (event: string, data: object, id: string | null): string =>
  `${id === null ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

type Bytes = Uint8Array<ArrayBuffer>;

/** The same stream, ended after a while: a browser then reconnects by itself, and has to prove again that it may. */
export function endAfter(stream: ReadableStream<Bytes>, ms: number): ReadableStream<Bytes> {
  const reader = stream.getReader();
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  return new ReadableStream<Bytes>(
    {
      start(controller) {
        timer = setTimeout(() => {
          isOver = true;
          controller.close();
          void reader.cancel().catch(() => undefined);
        }, ms).unref();
      },
      async pull(controller) {
        const { done, value } = await reader.read().catch((error: unknown) => {
          clearTimeout(timer);
          throw error;
        });
        if (isOver) return;
        if (!done) return controller.enqueue(value);
        clearTimeout(timer);
        controller.close();
      },
      async cancel() {
        clearTimeout(timer);
        await reader.cancel();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Enters a stream under its limits; the result removes it. */
function enter(limits: readonly StreamLimit[], end: () => void): () => void {
  const entries = limits.map(({ name, reader = "" }) => ({ name, stream: { reader, end } }));
  for (const { name, stream } of entries) open.set(name, (open.get(name) ?? new Set()).add(stream));
  return () => {
    for (const { name, stream } of entries) {
      open.get(name)?.delete(stream);
      if (open.get(name)?.size === 0) open.delete(name);
    }
  };
}

/** Ends the oldest stream of the reader that has most. */
function endLargest(streams: ReadonlySet<OpenStream>): void {
  const counts = new Map<string, number>();
  for (const { reader } of streams) counts.set(reader, (counts.get(reader) ?? 0) + 1);
  const most = Math.max(...counts.values());
  const largest = [...streams].find(({ reader }) => counts.get(reader) === most);
  largest?.end();
}

function openStream(
  source: StreamSource,
  limits: readonly StreamLimit[],
  isAllowed: StreamOptions["isAllowed"],
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  let wake: () => void = () => undefined;
  let isClosed = false;
  const watched = source.watch({
    wake: () => wake(),
    close() {
      isClosed = true;
      wake();
    },
  });
  let beat = "";
  const timer = setInterval(() => {
    beat = ": keep-alive\n\n";
    wake();
  }, HEARTBEAT_MS).unref();
  let isEnded = false;
  const end = (): void => {
    if (isEnded) return;
    isEnded = true;
    leave();
    clearInterval(timer);
    clearTimeout(checking);
    watched.end();
    wake();
  };
  const leave = enter(limits, end);
  const check = async (): Promise<void> => {
    if (await isAllowed().catch(() => false)) scheduleCheck();
    else end();
  };
  let checking: NodeJS.Timeout | undefined;
  const scheduleCheck = (): void => {
    if (!isEnded) checking = setTimeout(() => void check(), CHECK_MS).unref();
  };
  scheduleCheck();
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async start(controller) {
        try {
          controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n\n${await source.opening()}`));
        } catch (error) {
          // A stream that fails is not cancelled by its reader.
          end();
          throw error;
        }
      },
      async pull(controller) {
        for (;;) {
          if (isEnded) break;
          const text = watched.take() + beat;
          beat = "";
          if (text !== "") {
            controller.enqueue(encoder.encode(text));
            return;
          }
          if (isClosed) break;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        end();
        controller.close();
      },
      cancel() {
        isClosed = true;
        wake();
        end();
      },
    },
    { highWaterMark: 1 },
  );
}
