import { channel } from "node:diagnostics_channel";

import { z } from "zod";

import { defineCollection, timeOrder } from "./collection.ts";
import { Id, Instant } from "./schema.ts";

/**
 * Something that happened, for subscribers outside. It is stored in the commit of its cause, in the
 * store's own partition, when `eventFilters` says that its type is subscribed to.
 */
export const DomainEvent = z.strictObject({
  id: Id,
  /** `<engine>.<resource>.<what>`, as in `reviews.review.published`. */
  type: z.string().max(100),
  at: Instant,
  /** Ids, states and amounts: what the receiver needs to decide whether to ask for more; never what a person wrote. */
  data: z.record(z.string(), z.unknown()),
});
export type DomainEvent = z.output<typeof DomainEvent>;

/** What is emitted, subscribed to or not: tests hold it against what is declared. */
export const emitted = channel("storefront-platform.event");

/** Many events of one commit in one document; with `parts`, those that these partitions do not have yet. */
const BATCH_TYPE = "kernel.batch";
export const batchOf = (
  events: readonly DomainEvent[],
  { id, at }: Pick<DomainEvent, "id" | "at">,
  parts?: readonly string[],
): DomainEvent => ({
  id,
  type: BATCH_TYPE,
  at,
  data: { events, ...(parts === undefined ? {} : { parts }) },
});
/** The partitions that do not have the events of a document yet while the others do; null where none has. */
export const partsLeftOf = ({ type, data }: DomainEvent): readonly string[] | null =>
  type === BATCH_TYPE && data["parts"] !== undefined ? z.array(z.string()).parse(data["parts"]) : null;
/** The events that a stored document stands for. */
export const eventsOf = (stored: DomainEvent): readonly DomainEvent[] =>
  stored.type === BATCH_TYPE ? z.array(DomainEvent).parse(stored.data["events"]) : [stored];

export const domainEvents = defineCollection({
  name: "kernel.events",
  unlisted: true,
  schema: DomainEvent,
  indexes: {
    /** In the order in which they happened. */
    time: { values: () => [""], order: ({ at }) => timeOrder(at) },
  },
});

/** Which types of event anybody wants, in one document of a partition. */
const EventFilter = z.strictObject({
  id: z.literal("wanted"),
  /** Types, `<engine>.*`, or `*` for all. */
  types: z.array(z.string()),
});

export const eventFilters = defineCollection({
  name: "kernel.event_filters",
  unlisted: true,
  schema: EventFilter,
});

/** Whether one of the patterns (a type, `<engine>.*`, `*`) covers a type of event. */
export const wantsEvent = (patterns: readonly string[], type: string): boolean =>
  patterns.some(
    (pattern) =>
      pattern === "*" ||
      pattern === type ||
      (pattern.endsWith(".*") && type.startsWith(pattern.slice(0, -1))),
  );
