import { toInstant } from "../../lib/instant.ts";
import type { OperationsCtx } from "../context.ts";
import type { Tail, TailItem } from "../live/tail.ts";
import { frame } from "./event-stream.ts";
import type { StreamSource } from "./event-stream.ts";

/**
 * A stream of the events of all nodes: what was missed since the client's last event, or else the snapshot; `ready` with the names of the
 * nodes; then events, and notes about nodes and about what could not be delivered.
 */
export function tailSource<E>(
  { deps, header, nowAt }: Pick<OperationsCtx, "deps" | "header" | "nowAt">,
  tail: Tail<E>,
  {
    toFrame,
    snapshot,
  }: {
    /** Empty for an event that is not wanted. */
    readonly toFrame: (event: E, node: string, id: string) => string;
    readonly snapshot: () => Promise<string>;
  },
): StreamSource {
  const lastEventId = header("last-event-id");
  let place = "";

  function textOf(item: TailItem<E>): string {
    if (item.kind === "event") return toFrame(item.event, item.node, place);
    const { kind, ...note } = item;
    return frame(kind, { type: kind, at: toInstant(deps.clock.now()), ...note }, place);
  }

  /** Everything after a place; null for a place that this tail does not know. */
  function newsSince(from: string): string | null {
    const news = tail.since(from);
    if (news === null) return null;
    place = news.place;
    const { items, missed } = news;
    const lost: TailItem<E>[] = missed === 0 ? [] : [{ kind: "gap", node: null, missed }];
    return [...lost, ...items].map(textOf).join("");
  }

  return {
    watch(watcher) {
      const end = tail.watch(watcher);
      place = tail.place();
      return { take: () => newsSince(place) ?? "", end };
    },
    async opening() {
      const nodes = await tail.ready();
      const missed = lastEventId === undefined ? null : newsSince(lastEventId);
      const text = missed ?? (await snapshot());
      return text + frame("ready", { type: "ready", at: nowAt, ...nodes }, place);
    },
  };
}
