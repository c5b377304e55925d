import type { StateMachine } from "./states.ts";
import type { Collection } from "./collection.ts";
import type { OpenVerb, Route } from "./route.ts";
import type { Log } from "./log.ts";
import type { EnginePorts, LongWork } from "./ports.ts";
import type { Watch } from "./watch.ts";

/** Scheduled work of an engine; runs for every store partition, at least once, on one node at a time. */
export interface Job {
  /** `<engine>.<what>`, as in `delivery.sweep-holds`. */
  readonly id: string;
  readonly summary: string;
  /** Cron pattern in UTC (croner). */
  readonly schedule: string;
  /**
   * Where its work is found: only stores where something is due are visited then. A job without them is run for every store at
   * each of its times, so one that runs more than hourly has them.
   */
  readonly watches?: readonly Watch[];
  run(work: JobContext): Promise<Readonly<Record<string, number>>>;
}

/** A job and where it runs: once for the platform's own documents, once for every store, or for all of them. */
export interface ScheduledJob extends Job {
  readonly on: "platform" | "stores" | "everywhere";
}

export interface JobContext extends LongWork {
  readonly log: Log;
  /** Aborts when the run must end at once. */
  readonly signal: AbortSignal;
  /**
   * Asked before each piece of work: false once the store's turn is over or the run must end. What is left is done in the store's
   * next turn, after those of other stores.
   */
  readonly hasTime: () => boolean;
}

/** Documents of a demo store that belong to one collection. */
export interface SeedSet {
  readonly collection: Collection<{ id: string }>;
  readonly values: readonly { id: string }[];
}

export interface Engine {
  /** Namespace below /v1, scope prefix and CLI noun. */
  readonly name: string;
  readonly summary: string;
  readonly routes: readonly Route[];
  readonly jobs: readonly Job[];
  /** Callbacks of other services, mounted at /api/hooks; ids begin with `hooks.`. They prove who calls themselves. */
  readonly hooks: readonly Route[];
  /** What a signed link leads to, mounted at /api/public; ids begin with `public.`. */
  readonly links: readonly Route[];
  /** Every type of event that it emits. */
  readonly events: readonly EventType[];
  /** States of its resources, for the documentation. */
  readonly states: readonly StateMachine[];
  /** Questions of other engines that this one answers. */
  readonly answers: Partial<EnginePorts>;
  /** Believable documents of the demo store, made from `now` only: the same now gives the same documents. */
  readonly seed: (now: number) => readonly SeedSet[];
}

/** What is known of an engine before its code is loaded. */
export interface EngineOutline extends Pick<Engine, "name" | "summary" | "events"> {
  /** Scope verbs with which a publishable key may call some of its routes. */
  readonly open: readonly OpenVerb[];
  /** Questions of other engines that it answers. */
  readonly answers: readonly string[];
}

/** A type of event that an engine emits, for those who subscribe to it. */
export interface EventType {
  /** `<engine>.<resource>.<what>`, as passed to `tx.emit`. */
  readonly type: string;
  /** When it is sent, in one sentence. */
  readonly summary: string;
  /** `data` of a believable event. */
  readonly example: Readonly<Record<string, unknown>>;
  /** Members that only some events of the type have, with believable values. */
  readonly optional?: Readonly<Record<string, unknown>>;
}

/** Declares an engine: one folder under engines/ and one line in registry.ts. */
export const defineEngine = (def: Pick<Engine, "name" | "summary" | "routes"> & Partial<Engine>): Engine => ({
  jobs: [],
  hooks: [],
  links: [],
  events: [],
  states: [],
  answers: {},
  seed: () => [],
  ...def,
});

type DocumentOf<C> = C extends Collection<infer T> ? T : never;
/** Seed sets of several collections, in the order of `collections`; `documents` has those of each under the same name. */
export const seedSets = <C extends Readonly<Record<string, Pick<Collection<{ id: string }>, "name">>>>(
  documents: { readonly [name in keyof C]: readonly DocumentOf<C[name]>[] },
  collections: C,
): SeedSet[] =>
  Object.entries(collections).map(([name, collection]) =>
    // Each entry is a collection of the documents under its name: so say the types of the parameters.
    seedSet(collection as Collection<{ id: string }>, documents[name] as readonly { id: string }[]),
  );

/** One collection of a seed set, typed by its collection. */
export const seedSet = <T extends { id: string }>(
  collection: Collection<T>,
  documents: readonly T[],
): SeedSet =>
  // A collection reads and writes only its own type; the seeder hands each document back to its own collection.
  ({ collection: collection as unknown as Collection<{ id: string }>, values: documents });
