import type { Clock } from "../../core/clock.ts";
import { createFairSlots } from "../../lib/fair-slots.ts";
import type { Client } from "./client.ts";
import { corrupt, toArray, toStoreError } from "./errors.ts";
import type { Same } from "./identity.ts";
import type { Names, PartNames } from "./names.ts";
import { turnScript } from "./scripts/turn.ts";

/** Documents that one call reads at most: Redis serves no other client meanwhile. */
const DOCS_MAX = 1000;
/** Bytes of documents that a question asks for by their ids, beyond which it is answered in a call of its own only. */
const SHARED_BYTES = 65_536;
/**
 * Large calls that are under way: partitions take turns. All at once, a megabyte each, they had one of another partition wait for longer than
 * a call may take, and Redis busy with them one after another.
 */
const LARGE_CALLS = { max: 4, perKey: 1 };

/** A question in a call. */
export interface Step {
  /** Its place among the answers. */
  readonly index: number;
  /** Place of its first argument. */
  readonly begin: number;
}

/** One call of the script, to be sent at the end of the turn. */
export interface TurnCall {
  /** Others do not wait for its answers: documents are returned however large they are. */
  readonly isLarge: boolean;
  /** The arguments of all questions. */
  readonly args: (string | number)[];
  /** The number of a key. */
  key(name: string): number;
  /** The number of a collection, of which the answer has the revision. */
  slot(part: string, coll: string): number;
  own(part: string): PartNames;
  ask(kind: "docs" | "page" | "take", args: readonly (string | number)[]): Step;
  readonly answered: Promise<Answers>;
}

export interface Answers {
  /** Throws StoreError where the question met what this driver did not write. */
  of(step: Step): unknown;
  /** Null where it is not known. */
  revision(slot: number): string | null;
}

/** Questions of one kind by what they ask: callers that ask the same in one turn share the answer. */
export function createShared<T>(): (call: TurnCall, name: string, ask: () => T) => T {
  const asked = new WeakMap<TurnCall, Map<string, T>>();
  return (call, name, ask) => {
    let own = asked.get(call);
    if (own === undefined) asked.set(call, (own = new Map()));
    const known = own.get(name);
    if (known !== undefined) return known;
    const made = ask();
    own.set(name, made);
    return made;
  };
}

/** Gathers what the requests of one turn of the event loop ask, and sends it as one call. */
export interface Turns {
  /**
   * The call that a question about this partition or counter joins. What is expected to be read in Redis, so many documents, goes in
   * another call than the rest, which does not wait for it then. `isLarge`: the answer may be, and has a call of its own.
   */
  join(tag: string, docs: number, isLarge?: boolean): TurnCall;
  /** Runs a script that reads about a megabyte of a partition, of which one at a time is under way. */
  runLarge(tag: string, ...call: Parameters<Run>): ReturnType<Run>;
}

/** On Redis Cluster each partition and counter has calls of its own: it is in a slot of its own. */
export function createTurns(
  client: Client,
  names: Names,
  { same, clock }: { readonly same: Same; readonly clock: Clock | undefined },
): Turns {
  let calls = new Map<string, OpenCall>();
  const slots = createFairSlots(LARGE_CALLS);

  const runLarge: Turns["runLarge"] = async (tag, ...call) => {
    await slots.take(tag);
    try {
      return await client.runLarge(...call);
    } finally {
      slots.release(tag);
    }
  };
  const send = (): void => {
    const closing = calls;
    calls = new Map();
    for (const call of closing.values()) void call.send(client.at, same, clock?.now() ?? "");
  };

  return {
    runLarge,
    join(tag, docs, isLarge = false) {
      const name = `${isLarge ? `l ${calls.size}` : docs > 0 ? "r" : "c"}${client.isCluster ? tag : ""}`;
      if (calls.size === 0) client.atTurnEnd(send);
      const open = calls.get(name);
      if (open !== undefined && open.docs + docs <= DOCS_MAX) {
        open.docs += docs;
        return open;
      }
      // A full call is moved aside, and sent with the others.
      if (open !== undefined) calls.set(`${name} ${calls.size}`, open);
      const run: Run = (...call) => (isLarge ? runLarge(tag, ...call) : client.run(...call));
      const call = new OpenCall(names, run, isLarge);
      call.docs = docs;
      calls.set(name, call);
      return call;
    },
  };
}

type Run = Client["runLarge"];

interface AskedPart {
  readonly own: PartNames;
  readonly sequence: number;
  readonly revisions: number;
  readonly slots: Map<string, number>;
}

class OpenCall implements TurnCall {
  readonly args: (string | number)[] = [];
  readonly answered: Promise<Answers>;
  readonly isLarge: boolean;
  docs = 0;
  readonly #names: Names;
  readonly #run: Run;
  readonly #keys = new Map<string, number>();
  readonly #parts = new Map<string, AskedPart>();
  #slots = 0;
  #asked = 0;
  #resolve: (answers: Answers) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  constructor(names: Names, run: Run, isLarge: boolean) {
    this.isLarge = isLarge;
    this.#names = names;
    this.#run = run;
    this.answered = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  key(name: string): number {
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    const number = this.#keys.size + 1;
    this.#keys.set(name, number);
    return number;
  }

  own(part: string): PartNames {
    return this.#part(part).own;
  }

  #part(part: string): AskedPart {
    const known = this.#parts.get(part);
    if (known !== undefined) return known;
    const own = this.#names.part(part);
    const asked = {
      own,
      sequence: this.key(own.sequence),
      revisions: this.key(own.revisions),
      slots: new Map<string, number>(),
    };
    this.#parts.set(part, asked);
    return asked;
  }

  slot(part: string, coll: string): number {
    const { slots } = this.#part(part);
    const known = slots.get(coll);
    if (known !== undefined) return known;
    this.#slots += 1;
    slots.set(coll, this.#slots);
    return this.#slots;
  }

  ask(kind: "docs" | "page" | "take", args: readonly (string | number)[]): Step {
    this.#asked += 1;
    this.args.push(kind, args.length, ...args);
    return { index: this.#asked, begin: this.args.length - args.length };
  }

  async send(at: string, same: Same, now: number | ""): Promise<void> {
    const head: (string | number)[] = [same.id, now, this.isLarge ? "" : SHARED_BYTES, this.#parts.size];
    for (const { sequence, revisions, slots } of this.#parts.values()) {
      head.push(sequence, revisions, slots.size);
      for (const [coll, number] of slots) head.push(coll, number);
    }
    try {
      const keys = [...this.#keys.keys(), ...same.keys];
      const args = [...head, ...this.args];
      const replies = toArray(await this.#run(turnScript, keys, args));
      this.#resolve(toAnswers(at, replies));
    } catch (error) {
      this.#reject(error);
    }
  }
}

function toAnswers(at: string, replies: readonly unknown[]): Answers {
  const revisions = toArray(replies[0]);
  return {
    of({ index }) {
      const reply = replies[index];
      if (reply instanceof Error) throw toStoreError(reply, at, "other");
      if (reply === undefined) throw corrupt("an answer that is missing");
      return reply;
    },
    revision(slot) {
      const revision = revisions[slot - 1];
      return typeof revision === "string" && revision !== "" ? revision : null;
    },
  };
}
