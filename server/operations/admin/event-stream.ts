import { fail } from "../../lib/errors.ts";
import { raw } from "../../core/route.ts";
import type { Reply } from "../../core/route.ts";

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
}

const OPERATOR: StreamLimit = { name: "operator", max: STREAMS_MAX };
const open = new Map<string, number>();

/**
 * A response of server-sent events; it ends with the process, when the reader disconnects, or after `endMs`. Throws 429 where
 * one of the limits is reached.
 */
export function eventStream(
  source: StreamSource,
  { limits = [OPERATOR], endMs }: { readonly limits?: readonly StreamLimit[]; readonly endMs?: number } = {},
): Reply<never> {
  const exceeded = limits.find(({ name, max }) => (open.get(name) ?? 0) >= max);
  if (exceeded !== undefined) {
    throw fail("too_many_requests", `At most ${exceeded.max} event streams can be open. Close one first.`, {
      headers: { "Retry-After": "10" },
    });
  }
  const stream = openStream(source, limits);
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
          void reader.cancel();
        }, ms).unref();
      },
      async pull(controller) {
        const { done, value } = await reader.read();
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

function count(limits: readonly StreamLimit[], change: number): void {
  for (const { name } of limits) {
    const next = (open.get(name) ?? 0) + change;
    if (next === 0) open.delete(name);
    else open.set(name, next);
  }
}

function openStream(
  source: StreamSource,
  limits: readonly StreamLimit[],
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
  count(limits, 1);
  let isEnded = false;
  const end = (): void => {
    if (isEnded) return;
    isEnded = true;
    count(limits, -1);
    clearInterval(timer);
    watched.end();
  };
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
