import { setTimeout as sleep } from "node:timers/promises";

import { StoreError } from "../../server/storage/contract.ts";
import type { Check, Doc, Key, Op, StoreDriver, Version } from "../../server/storage/contract.ts";
import type { Random } from "../storage/random.ts";

/** One call of a history. Times are any numbers that grow; `end` is infinity when no answer came: it may or may not have happened. */
export interface Call<C> {
  readonly start: number;
  readonly end: number;
  readonly call: C;
}

/** What a history is held against. `step` gives the state after a call, or null when it cannot have answered as it did. */
export interface Model<S, C> {
  readonly initial: S;
  step(state: S, call: C): S | null;
  /** A text that is the same for equal states. */
  id(state: S): string;
}

/**
 * Whether the calls can be put in one order that the model allows and in which a call that ended before another began comes
 * first (Wing and Gong's search; states seen before are not searched again, after Lowe).
 */
export function isLinearizable<S, C>(history: readonly Call<C>[], model: Model<S, C>): boolean {
  const calls = [...history].sort((a, b) => a.start - b.start);
  const done = calls.map(() => false);
  const seen = new Set<string>();

  const search = (from: number, state: S): boolean => {
    let first = from;
    while (first < calls.length && done[first] === true) first++;
    const open = candidates(calls, done, first);
    // What was never answered need not have happened.
    if (open.every((i) => calls[i]?.end === Infinity)) return true;
    const id = `${first} ${doneAfter(done, first)} ${model.id(state)}`;
    if (seen.has(id)) return false;
    seen.add(id);
    for (const i of open) {
      const next = calls[i] === undefined ? null : model.step(state, calls[i].call);
      if (next === null) continue;
      done[i] = true;
      if (search(first, next)) return true;
      done[i] = false;
    }
    return false;
  };
  return search(0, model.initial);
}

/** Calls that may be next: those that began before any of the others that are left had ended. */
function candidates<C>(calls: readonly Call<C>[], done: readonly boolean[], first: number): number[] {
  const open: number[] = [];
  let earliestEnd = Infinity;
  for (let i = first; i < calls.length; i++) {
    const call = calls[i];
    if (call === undefined || call.start > earliestEnd) break;
    if (done[i] === true) continue;
    open.push(i);
    earliestEnd = Math.min(earliestEnd, call.end);
  }
  return open.filter((i) => (calls[i]?.start ?? 0) < earliestEnd);
}

/** Which calls behind the first open one are done, as a text. */
function doneAfter(done: readonly boolean[], first: number): string {
  const last = done.lastIndexOf(true);
  let text = "";
  for (let i = first; i <= last; i++) text += done[i] === true ? "1" : "0";
  return text;
}

/** A call to a store with its answer. */
export type StoreCall =
  | { readonly kind: "read"; readonly keys: readonly Key[]; readonly found: readonly (Doc | null)[] }
  | StoreCommit;

export interface StoreCommit {
  readonly kind: "commit";
  /** No two commits of a history put the same value. */
  readonly ops: readonly Op[];
  readonly checks: readonly Check[];
  /** The new version, the key whose check failed, or null when no answer came. */
  readonly result: Version | Key | null;
}

interface StoreState {
  readonly sequence: Version;
  readonly docs: ReadonlyMap<Key, Doc>;
}

/**
 * One partition: documents that a commit changes together, each at the version of its last commit. Versions tell much of the
 * order, and a history is searched by them: a commit without an answer can only have a version that no other commit has.
 */
export function storeModel(history: readonly Call<StoreCall>[]): Model<StoreState, StoreCall> {
  const { versions, writers } = findWriters(history);
  const stepCommit = (state: StoreState, call: StoreCommit): StoreState | null => {
    const lost = call.checks.find(({ key, version }) => (state.docs.get(key)?.version ?? 0) !== version);
    if (typeof call.result === "string") return lost?.key === call.result ? state : null;
    const version = state.sequence + 1;
    if (lost !== undefined) return null;
    if (call.result !== null) return call.result === version ? apply(state, call.ops) : null;
    const seen = versions.get(call);
    const isPossible = seen === undefined ? !writers.has(version) : seen === version;
    return isPossible ? apply(state, call.ops) : null;
  };
  return {
    initial: { sequence: 0, docs: new Map() },
    step(state, call) {
      if (call.kind === "commit") return stepCommit(state, call);
      const same = call.keys.every((key, i) => sameDoc(state.docs.get(key), call.found[i] ?? undefined));
      return same ? state : null;
    },
    id: ({ sequence, docs }) =>
      `${sequence} ${[...docs.values()]
        .map(({ key, version }) => `${key}@${version}`)
        .sort()
        .join()}`,
  };
}

/** Which versions are taken, and which of them by commits without an answer, as far as somebody read what they wrote. */
function findWriters(history: readonly Call<StoreCall>[]): {
  versions: ReadonlyMap<StoreCommit, Version>;
  writers: ReadonlySet<Version>;
} {
  const writers = new Set<Version>();
  const open = new Map<string, StoreCommit>();
  for (const { call } of history) {
    if (call.kind === "read") continue;
    if (typeof call.result === "number") writers.add(call.result);
    if (call.result !== null) continue;
    for (const op of call.ops) if ("put" in op) open.set(op.value, call);
  }
  const versions = new Map<StoreCommit, Version>();
  for (const { call } of history) {
    if (call.kind === "commit") continue;
    for (const doc of call.found) {
      const writer = doc === null ? undefined : open.get(doc.value);
      if (doc === null || writer === undefined) continue;
      versions.set(writer, doc.version);
      writers.add(doc.version);
    }
  }
  return { versions, writers };
}

const sameDoc = (a: Doc | undefined, b: Doc | undefined): boolean =>
  a?.version === b?.version && a?.value === b?.value;

function apply({ sequence, docs }: StoreState, ops: readonly Op[]): StoreState {
  const next = new Map(docs);
  const version = sequence + 1;
  for (const op of ops) {
    if ("put" in op) next.set(op.put, { key: op.put, version, value: op.value });
    else next.delete(op.del);
  }
  return { sequence: version, docs: next };
}

export interface HistoryOptions {
  /** One store a client; they must show the same documents. */
  readonly clients: readonly Pick<StoreDriver, "get" | "getMany" | "commit">[];
  /** An empty partition of its own for each history. */
  readonly part: string;
  readonly random: Random;
  readonly callsPerClient: number;
}

const KEYS_USED = 5;
/** Before a client goes on after a call that was refused. */
const PAUSE_MS = 5;

/**
 * Lets clients read and commit five keys at once, and records who asked what, when, and what was answered. A call that the
 * store refuses as UNAVAILABLE has done nothing and is left out: that, too, is then held against the history.
 */
export async function recordHistory(options: HistoryOptions): Promise<Call<StoreCall>[]> {
  const { clients, part, random, callsPerClient } = options;
  const keys = Array.from({ length: KEYS_USED }, (_, i): Key => `${part}:c:k${i}`);
  const history: Call<StoreCall>[] = [];
  let time = 0;
  const record = async (client: HistoryOptions["clients"][number], work: Work): Promise<void> => {
    const start = ++time;
    const call = await work(client);
    if (call === null) {
      await sleep(PAUSE_MS);
      return;
    }
    const isOpen = call.kind === "commit" && call.result === null;
    history.push({ start, end: isOpen ? Infinity : ++time, call });
  };
  await Promise.all(
    clients.map(async (client, who) => {
      const known = new Map<Key, Version>();
      for (let i = 0; i < callsPerClient; i++) {
        const chosen = random.chance(0.3) ? keys.filter(() => random.chance(0.5)) : [random.pick(keys)];
        const isRead = random.chance(0.5);
        await record(client, isRead ? readOf(chosen, known) : commitOf(chosen, known, `${who}.${i}`));
      }
    }),
  );
  return history;
}

type Work = (client: HistoryOptions["clients"][number]) => Promise<StoreCall | null>;

function readOf(keys: readonly Key[], known: Map<Key, Version>): Work {
  return async (client) => {
    const [only] = keys;
    const found = await (
      keys.length === 1 && only !== undefined ? client.get(only).then((doc) => [doc]) : client.getMany(keys)
    ).catch(unlessFailed);
    if (found === null || found === "lost") return null;
    for (const [i, key] of keys.entries()) known.set(key, found[i]?.version ?? 0);
    return { kind: "read", keys, found };
  };
}

/** Writes at the versions that this client saw last; a removal now and then. */
function commitOf(keys: readonly Key[], known: ReadonlyMap<Key, Version>, tag: string): Work {
  return async (client) => {
    const checks = keys.flatMap((key): Check[] => {
      const version = known.get(key);
      return version === undefined ? [] : [{ key, version }];
    });
    const ops = keys.map((key, i): Op =>
      tag.endsWith("7") && i === 0 ? { del: key } : { put: key, value: JSON.stringify(`${tag} ${key}`) },
    );
    if (ops.length === 0) return null;
    const part = ops[0] === undefined ? "" : keyOf(ops[0]).slice(0, keyOf(ops[0]).indexOf(":"));
    const result = await client.commit(part, ops, checks).catch(unlessFailed);
    if (result === null) return null;
    const answer = result === "lost" ? null : result.ok ? result.version : result.conflict;
    return { kind: "commit", ops, checks, result: answer };
  };
}

const keyOf = (op: Op): Key => ("put" in op ? op.put : op.del);

/** "lost" when it is open what happened, null when nothing did; everything else is an error of the test. */
function unlessFailed(error: unknown): "lost" | null {
  if (error instanceof StoreError && error.code === "UNKNOWN_OUTCOME") return "lost";
  if (error instanceof StoreError && error.code === "UNAVAILABLE") return null;
  throw error;
}
