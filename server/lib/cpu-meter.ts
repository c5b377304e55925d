import { createHook, executionAsyncResource } from "node:async_hooks";

import { atWork } from "./slices.ts";

/** Milliseconds that a piece of work computed: in this thread, also after what it waited for, and in worker threads for it. */
interface Meter {
  ms: number;
}

const METER = Symbol("meter");

/** The work that computes now, and since when. */
let current: Meter | null = null;
let sinceMs = 0;
/** What computed before, where one callback runs inside another. */
const outer: (Meter | null)[] = [];
/** Works under way. Without any, nothing is followed: following costs each wait of the process some time. */
let running = 0;

function change(next: Meter | null): void {
  if (current === null && next === null) return;
  const nowMs = performance.now();
  if (current !== null) current.ms += nowMs - sinceMs;
  sinceMs = nowMs;
  current = next;
}

function enter(meter: Meter | null): void {
  outer.push(current);
  change(meter);
}

const leave = (): void => change(outer.pop() ?? null);

/** What is made while a work computes belongs to it: its promises, timers and requests, whose callbacks go on with it. */
const hook = createHook({
  init(_id, _type, _trigger, resource: { [METER]?: Meter }) {
    if (current !== null) resource[METER] = current;
  },
  before() {
    const resource: { readonly [METER]?: Meter } = executionAsyncResource();
    enter(resource[METER] ?? null);
  },
  after: leave,
});

/** Runs a piece of work; `charge` gets the milliseconds that it computed, also where it fails. */
export async function withCpuMeter<R>(
  work: (meter: Meter) => Promise<R>,
  charge: (cpuMs: number) => Promise<void>,
): Promise<R> {
  const meter: Meter = { ms: 0 };
  if (running === 0) hook.enable();
  running += 1;
  try {
    enter(meter);
    let result: Promise<R>;
    try {
      result = work(meter);
    } finally {
      leave();
    }
    return await result;
  } finally {
    running -= 1;
    if (running === 0) {
      hook.disable();
      outer.length = 0;
      current = null;
    }
    await charge(meter.ms);
  }
}

/** Milliseconds of a stream after which they are charged. */
const CHARGED_MS = 100;

/**
 * A body whose pulls are metered: what it computes as it is read. Its source should pull nothing ahead (`highWaterMark: 0`): that would
 * be computed between two pulls.
 */
export function meteredStream(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  charge: (cpuMs: number) => Promise<void>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  let openMs = 0;
  let isOver = false;
  const count = async (ms: number): Promise<void> => {
    openMs += ms;
    if (openMs === 0 || (openMs < CHARGED_MS && !isOver)) return;
    const charged = openMs;
    openMs = 0;
    await charge(charged);
  };
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await withCpuMeter(async () => {
          atWork.jobs += 1;
          try {
            const next = await reader.read();
            isOver ||= next.done;
            return next;
          } catch (error) {
            isOver = true;
            throw error;
          } finally {
            atWork.jobs -= 1;
          }
        }, count);
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel(reason) {
        isOver = true;
        await withCpuMeter(() => reader.cancel(reason), count);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Milliseconds of work on a body after which they are charged before more of it is read. */
const READ_MS = 1_000;

/** The body that the work of a meter reads, of any size: `charge` gets what the work computed so far, and may throw. */
export async function* chargedAsRead(
  body: AsyncIterable<Uint8Array>,
  meter: Meter,
  charge: (cpuMs: number) => Promise<void>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of body) {
    yield piece;
    if (meter.ms < READ_MS) continue;
    const { ms } = meter;
    meter.ms = 0;
    await charge(ms);
  }
}

/** Adds milliseconds that another thread computed to the work that calls this. */
export function meterOfThread(): (ms: number) => void {
  const meter = current;
  return (ms) => {
    if (meter !== null) meter.ms += ms;
  };
}
