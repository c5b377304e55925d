import { z } from "zod";

import { createRing } from "../../observability/ring.ts";
import type { Ring, Watcher } from "../../observability/ring.ts";
import { createLocal } from "./local.ts";
import type { TailOptions } from "./local.ts";
import { createMerge } from "./merge.ts";
import { createOthers } from "./others.ts";
import type { NodeState } from "./others.ts";
import type { Question } from "./peers.ts";

/** One item of a tail of all nodes. */
export type TailItem<E> =
  | { readonly kind: "event"; readonly node: string; readonly event: E }
  /** Events of a node that came too fast, or while it could not be heard; of any node (null) those that a reader took too late. */
  | { readonly kind: "gap"; readonly node: string | null; readonly missed: number }
  | { readonly kind: "node"; readonly node: string; readonly state: NodeState };

export interface News<E> {
  readonly items: readonly TailItem<E>[];
  /** What was forgotten before a slow reader took it. */
  readonly missed: number;
  /** Where to go on. */
  readonly place: string;
}

/** The events of all nodes in one order. */
export interface Tail<E> {
  /** Follows all nodes until the returned function is called. */
  watch(watcher: Watcher): () => void;
  /** Place behind the latest event, of this process. */
  place(): string;
  /** Events after a place; null for a place of another process, or one from which this process has not gone on following. */
  since(place: string): News<E> | null;
  /** Resolves when all nodes that answer are followed. */
  ready(): Promise<{ readonly nodes: readonly string[]; readonly silent: readonly string[] }>;
  close(): void;
}

/** How often this node repeats that it follows the others. */
const WATCH_MS = 2_000;
/** Events in memory for slow readers and for those that come back. */
const TOLD_KEPT = 4_096;
/** A reader that comes back within this time misses nothing. */
const LINGER_MS = 30_000;

const Numbered = z.object({ last: z.int().nonnegative() });
const watchQuestion = (topic: string): Question<object, z.output<typeof Numbered>> => ({
  what: `watch:${topic}`,
  asked: z.object({}),
  answered: Numbered,
});

/**
 * Follows one kind of event on all nodes while there is a watcher; otherwise nothing is sent. Each node numbers its events, so that a
 * loss is noticed; the events of some 200 ms are put into order by time.
 */
export function createTail<L, E extends object>(options: TailOptions<L, E>): Tail<E> {
  const { topic, peers, orderOf, newId } = options;
  let ring: Ring<TailItem<E>> = createRing(TOLD_KEPT);
  let epoch = newId("boot");
  let streams = 0;
  let isFollowing = false;
  let lingering: NodeJS.Timeout | undefined;
  let repeating: NodeJS.Timeout | undefined;
  const merge = createMerge<TailItem<E>>((item) => ring.push(item), { isImmediate: peers.isAlone });
  const local = createLocal(options, (events, missed) => take(peers.self.name, events, missed));
  const others = createOthers(options.schema, {
    events: take,
    state: (node, state) => merge.add({ kind: "node", node, state }, node, null),
  });

  function take(node: string, events: readonly E[], missed: number): void {
    if (!isFollowing) return;
    if (missed > 0) merge.add({ kind: "gap", node, missed }, node, null);
    for (const event of events) merge.add({ kind: "event", node, event }, node, orderOf(event));
  }

  async function look(isNew: boolean): Promise<readonly string[]> {
    const { answers, silent } = await peers.ask(watchQuestion(topic), {});
    for (const { node, answer } of answers) others.onAnswer(node, answer.last, isNew);
    others.onRound(new Set(answers.map(({ node }) => node.id)));
    return silent;
  }

  function begin(): void {
    clearTimeout(lingering);
    streams += 1;
    if (isFollowing) return;
    isFollowing = true;
    epoch = newId("boot");
    ring = createRing(TOLD_KEPT);
    local.follow();
    if (peers.isAlone) return;
    repeating = setInterval(() => void look(true).catch(() => undefined), WATCH_MS).unref();
  }

  function stop(): void {
    isFollowing = false;
    clearInterval(repeating);
    others.clear();
    local.rest();
  }

  peers.answer(watchQuestion(topic), (_asked, from) => ({ last: local.demand(from.id) }));
  peers.onEvents(topic, (from, data) => (isFollowing ? others.onBatch(from, data) : undefined));
  peers.onBye((from) => {
    local.forget(from.id);
    others.onBye(from);
  });

  let isClosed = false;
  return {
    watch(watcher) {
      if (isClosed) {
        watcher.close();
        return () => undefined;
      }
      begin();
      const end = ring.watch(watcher);
      return () => {
        end();
        streams -= 1;
        if (streams === 0 && !isClosed) lingering = setTimeout(stop, LINGER_MS).unref();
      };
    },
    place: () => `${epoch}-${ring.latest()}`,
    since(place) {
      const [of, number = ""] = place.split("-", 2);
      if (of !== epoch || !/^\d{1,15}$/.test(number) || Number(number) > ring.latest()) return null;
      const { entries, missed } = ring.after(Number(number));
      return { items: entries, missed, place: `${epoch}-${ring.latest()}` };
    },
    async ready() {
      const silent = await look(false);
      const heard = others.names().filter((name) => !silent.includes(name));
      return { nodes: [peers.self.name, ...heard].sort(), silent };
    },
    close() {
      isClosed = true;
      clearTimeout(lingering);
      merge.flush();
      ring.close();
      stop();
    },
  };
}
