import type { CommitResult, Key, Quota, StoreDriver } from "../contract.ts";
import { assertPart, parseCommit } from "../keys.ts";
import type { KeyParts, ParsedCommit } from "../keys.ts";
import type { Client } from "./client.ts";
import { toVersion } from "./doc.ts";
import { corrupt } from "./errors.ts";
import type { Same } from "./identity.ts";
import type { Names, PartNames } from "./names.ts";
import { createReads } from "./reads.ts";
import { numberOf } from "./script.ts";
import { checkScript, commitScript } from "./scripts/commit.ts";
import { usageScript } from "./scripts/usage.ts";
import type { Turns } from "./turns.ts";
import { busy, counted, recount, toUsage } from "./usage.ts";

type Documents = Pick<
  StoreDriver,
  "get" | "getMany" | "page" | "commit" | "usage" | "partitions" | "collections"
>;

/**
 * Bytes of documents that a commit reads to check them: Redis serves no other client meanwhile. Where there are more, they are checked before,
 * a megabyte at a time, and the commit happens if their collections have not changed since; where they change all the time, the commit
 * reads them itself, up to `last`.
 */
const CHECKED_BYTES = { first: 4_194_304, last: 16_777_216 };
const TRIES = 3;
/** Arguments of one call that checks. */
const CHECKS_AT_ONCE = 100;
/** Partitions that are looked at in one turn of the event loop: of all, others would wait until each has been asked about. */
const PARTS_AT_ONCE = 100;

/** Documents in Redis: reads share a call with all others of the turn, a commit is a call. */
export function createDocuments(at: Place, turns: Turns): Documents {
  const { client, names } = at;
  return {
    ...createReads(turns),
    commit: async (part, ops, checks = [], quota) =>
      writeCommit(at, turns, parseCommit(part, ops, checks, quota)),
    async usage(part) {
      assertPart(part);
      const { sequence, usage } = names.part(part);
      const found = await client.run(usageScript, [sequence, usage], []);
      return found === null ? (await recount(client, names, part, true)).usage : toUsage(part, found);
    },
    async partitions() {
      const listed = await client.ask((redis) => redis.smembers(names.partitions));
      const held: string[] = [];
      for (let at = 0; at < listed.length; at += PARTS_AT_ONCE) {
        const some = listed.slice(at, at + PARTS_AT_ONCE);
        const holds = await Promise.all(
          some.map((part) => client.ask((redis) => redis.exists(names.part(part).counts)).catch(() => null)),
        );
        // One that cannot be asked, as it is on a server that is down, stops no work on the others.
        held.push(...some.filter((_, i) => holds[i] !== 0));
      }
      return held.sort();
    },
    async collections(part) {
      const counts = await client.ask((redis) => redis.hgetall(names.part(part).counts));
      return Object.entries(counts)
        .map(([name, count]) => ({ name, count: Number(count) }))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    },
  };
}

/** A store in Redis. */
export interface Place {
  readonly client: Client;
  readonly names: Names;
  readonly same: Same;
}

async function writeCommit(place: Place, turns: Turns, commit: ParsedCommit): Promise<CommitResult> {
  let known: Revisions = new Map();
  for (let tries = 1; ; tries++) {
    const room = tries <= TRIES ? CHECKED_BYTES.first : CHECKED_BYTES.last;
    const reply = await runCommit(place, commit, { room, known });
    if (reply !== TOO_MUCH) return toResult(commit, reply);
    const last = commit.checks.at(-1);
    if (last === undefined) throw corrupt(`partition ${commit.part}`);
    const found = tries <= TRIES ? await checkApart(place, turns, commit) : last.key;
    if (typeof found === "string") return { ok: false, conflict: found };
    known = found;
  }
}

/** By collection, the revision at which all checks of it held. */
type Revisions = ReadonlyMap<string, string>;

interface Checking {
  /** Bytes that the commit may read for its checks. */
  readonly room: number;
  readonly known: Revisions;
}

const TOO_MUCH = -2;

async function runCommit(
  { client, names, same }: Place,
  commit: ParsedCommit,
  checking: Checking,
): Promise<unknown> {
  const { keys: named, args } = encodeCommit(names.part(commit.part), commit, checking);
  const keys = [...named, ...same.keys];
  let reply = await client.run(commitScript, keys, [same.id, "0", ...args], "commit");
  if (reply === -1) {
    await recount(client, names, commit.part, true);
    reply = await client.run(commitScript, keys, [same.id, "0", ...args], "commit");
  }
  if (reply !== 0) return reply;
  // The partition is listed before it exists: after a crash in between, the list holds a name too many, which harms nothing.
  await client.ask((redis) => redis.sadd(names.partitions, commit.part));
  return client.run(commitScript, keys, [same.id, "1", ...args], "commit");
}

function toResult(commit: ParsedCommit, reply: unknown): CommitResult {
  const [first] = commit.writes;
  if (Array.isArray(reply) && first !== undefined)
    return { ok: false, conflict: first.key, full: toUsage(commit.part, reply) };
  if (reply === -1) throw busy(commit.part);
  if (typeof reply === "string") return { ok: true, version: toVersion(commit.part, reply) };
  const failed = typeof reply === "number" ? commit.checks[reply - 1] : undefined;
  if (failed === undefined) throw corrupt(`partition ${commit.part}`);
  return { ok: false, conflict: failed.key };
}

/** The revisions of the collections at which all checks hold, or the key of one that does not. */
async function checkApart(
  { names }: Place,
  turns: Turns,
  { part, checks }: ParsedCommit,
): Promise<Revisions | Key> {
  const colls = numberOf(checks.map(({ at }) => at.coll));
  // Before what is compared: while they are the same, so is that.
  const call = turns.join(part, 0);
  const slots = [...colls.keys()].map((coll) => [coll, call.slot(part, coll)] as const);
  call.ask("docs", [0]);
  const answers = await call.answered;
  const keys = [...colls.keys()].map(names.part(part).docs);
  for (let at = 0; at < checks.length;) {
    const some = checks.slice(at, at + CHECKS_AT_ONCE);
    const args = some.flatMap(({ at: { coll, id }, version }) => [colls.get(coll) ?? 0, id, version]);
    const compared = Number(await turns.runLarge(part, checkScript, keys, args));
    const lost = compared < 0 ? some[-compared - 1] : undefined;
    if (lost !== undefined) return lost.key;
    at += compared;
  }
  return new Map(slots.map(([coll, slot]) => [coll, answers.revision(slot) ?? ""]));
}

function encodeCommit(
  own: PartNames,
  { part, checks, writes, quota }: ParsedCommit,
  { room, known }: Checking,
): { keys: string[]; args: string[] } {
  const colls = numberOf([...checks, ...writes].map(({ at }) => at.coll));
  const keys = [own.sequence, own.counts, own.marks, own.kept, own.usage, own.revisions];
  for (const coll of colls.keys()) keys.push(own.docs(coll), own.order(coll));
  const place = ({ coll, id }: KeyParts): string[] => [String(colls.get(coll)), id];
  const puts = writes.flatMap(({ at, value }) => (value === null ? [] : [...place(at), value]));
  const removals = writes.flatMap(({ at, value }) => (value === null ? place(at) : []));
  return {
    keys,
    args: [
      ...toLimits(quota),
      String(part.length),
      String(room),
      String(colls.size),
      ...[...colls.keys()].flatMap((coll) => [...counted([coll]), known.get(coll) ?? ""]),
      String(checks.length),
      ...checks.flatMap(({ at, version }) => [...place(at), String(version)]),
      String(puts.length / 3),
      String(removals.length / 2),
      ...puts,
      ...removals,
    ],
  };
}

/** Limits as Lua takes them; no limit is a large number. */
const toLimits = (quota: Quota | undefined): string[] =>
  quota === undefined
    ? ["", "", ""]
    : [quota.documents, quota.bytes, quota.systemBytes].map((limit) =>
        String(Math.min(limit, Number.MAX_SAFE_INTEGER)),
      );
