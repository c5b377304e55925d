import { z } from "zod";

import type { NodeName } from "./peers.ts";

/** Rounds without an answer after which a node is reported. */
const SILENT_ROUNDS = 3;

const Batch = z.object({
  first: z.int().positive(),
  count: z.int().positive(),
  events: z.array(z.unknown()),
});
/** Events of a node and the number of the first one, as they are sent. */
export type Batch = z.output<typeof Batch>;

export type NodeState = "joined" | "left" | "silent";

interface Other {
  readonly name: string;
  /** Number of the event that it should send next. */
  next: number;
  unanswered: number;
}

/** The other nodes that are followed: which events of theirs came, and whether they still answer. */
export function createOthers<E>(
  schema: z.ZodType<E>,
  report: {
    readonly events: (node: string, events: readonly E[], missed: number) => void;
    readonly state: (node: string, state: NodeState) => void;
  },
) {
  const others = new Map<string, Other>();
  return {
    names: (): string[] => Array.from(others.values(), ({ name }) => name),
    clear: () => others.clear(),
    onBatch({ id, name }: NodeName, data: unknown): void {
      const batch = Batch.safeParse(data).data;
      if (batch === undefined) return;
      const { first, count, events } = batch;
      const other = others.get(id) ?? { name, next: first, unanswered: 0 };
      others.set(id, other);
      const known = events.flatMap((event) => schema.safeParse(event).data ?? []);
      const missed = Math.max(0, first - other.next) + count - known.length;
      other.next = first + count;
      other.unanswered = 0;
      report.events(name, known, missed);
    },
    /** A node answered that `last` is the number of the latest event that it sent. */
    onAnswer({ id, name }: NodeName, last: number, isNew: boolean): void {
      const other = others.get(id);
      if (other === undefined) {
        others.set(id, { name, next: last + 1, unanswered: 0 });
        if (isNew) report.state(name, "joined");
        return;
      }
      other.unanswered = 0;
      report.events(name, [], Math.max(0, last + 1 - other.next));
      other.next = Math.max(other.next, last + 1);
    },
    onRound(heard: ReadonlySet<string>): void {
      for (const [id, other] of others) {
        if (!heard.has(id)) other.unanswered += 1;
        if (other.unanswered < SILENT_ROUNDS) continue;
        others.delete(id);
        report.state(other.name, "silent");
      }
    },
    onBye({ id, name }: NodeName): void {
      if (others.delete(id)) report.state(name, "left");
    },
  };
}
