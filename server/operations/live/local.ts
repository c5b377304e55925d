import type { z } from "zod";

import type { NewId } from "../../core/ids.ts";
import type { Feed } from "../../observability/ring.ts";
import type { Batch } from "./others.ts";
import type { Peers } from "./peers.ts";

export interface TailOptions<L, E extends object> {
  readonly topic: string;
  readonly peers: Peers;
  readonly newId: NewId;
  /** Events of this process. */
  readonly source: Feed<L>;
  readonly schema: z.ZodType<E>;
  /** An event as it may leave the process: without secrets. */
  readonly toEvent: (local: L) => E;
  /** Epoch milliseconds by which events of several nodes are put into order. */
  readonly orderOf: (event: E) => number;
  /** Milliseconds from any moment on. */
  readonly elapsed: () => number;
}

/** A node sends events for so long after it was asked. */
const DEMAND_MS = 10_000;
/** Other nodes get their events in batches. */
const BATCH_MS = 50;
const BATCH_MAX = 200;

/** The events of this process: for its own streams, and for the nodes that asked for them. */
export function createLocal<L, E extends object>(
  { topic, peers, source, toEvent, elapsed }: TailOptions<L, E>,
  take: (events: readonly E[], missed: number) => void,
) {
  /** Until when each node wants them. */
  const demands = new Map<string, number>();
  let isWanted = false;
  /** Number of the latest event that was passed on. */
  let sent = 0;
  let end: (() => void) | null = null;
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    timer = undefined;
    const { entries, missed } = source.after(sent);
    const first = source.latest() - entries.length + 1;
    sent = source.latest();
    const events = entries.map(toEvent);
    for (const [id, untilMs] of demands) {
      if (untilMs <= elapsed()) demands.delete(id);
      else sendTo(id, first, events);
    }
    take(events, missed);
    if (demands.size === 0 && !isWanted) rest();
  }

  function sendTo(id: string, first: number, events: readonly E[]): void {
    for (let from = 0; from < events.length; from += BATCH_MAX) {
      const part = events.slice(from, from + BATCH_MAX);
      peers.send(id, topic, { first: first + from, count: part.length, events: part } satisfies Batch);
    }
  }

  function follow(): void {
    if (end !== null) return;
    sent = source.latest();
    const wake = (): void => {
      if (peers.isAlone) flush();
      else timer ??= setTimeout(flush, BATCH_MS).unref();
    };
    end = source.watch({ wake, close: () => undefined });
  }

  function rest(): void {
    isWanted = false;
    if (demands.size > 0) return;
    end?.();
    end = null;
    clearTimeout(timer);
    timer = undefined;
  }

  return {
    follow() {
      isWanted = true;
      follow();
    },
    rest,
    /** A node wants the events that follow; returns the number of the latest one before. */
    demand(id: string): number {
      follow();
      demands.set(id, elapsed() + DEMAND_MS);
      return sent;
    },
    forget: (id: string) => void demands.delete(id),
  };
}
