import type { CommitResult, Doc, Key, Quota, StoreDriver, Version } from "../contract.ts";
import { assertPage, assertPart, parseCommit, splitKey } from "../keys.ts";
import type { KeyParts, ParsedCommit } from "../keys.ts";
import type { Client } from "./client.ts";
import { corrupt, toArray } from "./errors.ts";
import { demandSame } from "./identity.ts";
import type { Same } from "./identity.ts";
import type { Names, PartNames } from "./names.ts";
import { numberOf } from "./script.ts";
import { commitScript } from "./scripts/commit.ts";
import { getManyScript, pageScript } from "./scripts/read.ts";
import { usageScript } from "./scripts/usage.ts";
import { busy, counted, recount, toUsage } from "./usage.ts";

type Documents = Pick<
  StoreDriver,
  "get" | "getMany" | "page" | "commit" | "usage" | "partitions" | "collections"
>;

/** Documents in Redis: one call a read, one call a commit. */
export function createDocuments(client: Client, names: Names, same: Same): Documents {
  const at: Place = { client, names, same };
  return {
    async get(key) {
      const { part, coll, id } = splitKey(key);
      const reading = client.ask((redis) => redis.hget(names.part(part).docs(coll), id));
      // Sent with it and answered after it: what is missing may be missing because the store was emptied.
      const [raw] = await Promise.all([reading, demandSame(client, same)]);
      return toDoc(key, raw);
    },
    async getMany(keys) {
      const groups = groupByPart(keys.map(splitKey));
      const found: (Doc | null)[] = keys.map(() => null);
      const read = async ([part, wanted]: [string, readonly Wanted[]]): Promise<void> => {
        const raws = toArray(await runGetMany(at, names.part(part), wanted));
        for (const [i, { index, key }] of wanted.entries()) found[index] = toDoc(toKey(key), raws[i]);
      };
      await Promise.all([...groups].map(read));
      return found;
    },
    page: (part, coll, options) => readPage(at, { part, coll, ...options }),
    commit: async (part, ops, checks = [], quota) => writeCommit(at, parseCommit(part, ops, checks, quota)),
    async usage(part) {
      assertPart(part);
      const { sequence, usage } = names.part(part);
      const found = await client.run(usageScript, [sequence, usage], []);
      return found === null ? (await recount(client, names, part, true)).usage : toUsage(part, found);
    },
    async partitions() {
      const listed = await client.ask((redis) => redis.smembers(names.partitions));
      const holds = await Promise.all(
        listed.map((part) => client.ask((redis) => redis.exists(names.part(part).counts))),
      );
      return listed.filter((_, i) => holds[i] === 1).sort();
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
interface Place {
  readonly client: Client;
  readonly names: Names;
  readonly same: Same;
}

async function readPage(
  { client, names, same }: Place,
  asked: { readonly part: string; readonly coll: string } & Parameters<StoreDriver["page"]>[2],
): ReturnType<StoreDriver["page"]> {
  const { part, coll, limit, of, after = "", prefix = "" } = asked;
  assertPage(part, coll, asked);
  const own = names.part(part);
  const lowest = after !== "" && after >= prefix ? `(${after}` : prefix === "" ? "-" : `[${prefix}`;
  // Ids end below this character, so it bounds all that begin with the prefix.
  const highest = prefix === "" ? "+" : `(${prefix}\u007F`;
  const args = [same.id, lowest, highest, limit, of === undefined ? "0" : "1"];
  const keys = [own.order(coll), own.docs(of ?? coll), ...same.keys];
  const reply = toArray(await client.run(pageScript, keys, args));
  const ids = toArray(reply[1]).map(String);
  const raws = toArray(reply[2]);
  const items: Doc[] = [];
  for (const [i, id] of ids.entries()) {
    const target = of === undefined ? id : id.slice(id.lastIndexOf("~") + 1);
    const doc = toDoc(`${part}:${of ?? coll}:${target}`, raws[i]);
    if (doc !== null) items.push(doc);
    // An index entry may point nowhere; a listed document must be there.
    else if (of === undefined) throw corrupt(`${part}:${coll}:${id} is listed but does not exist`);
  }
  const next = ids.at(-1);
  return reply[0] === 1 && next !== undefined ? { items, next } : { items };
}

async function writeCommit({ client, names, same }: Place, commit: ParsedCommit): Promise<CommitResult> {
  const own = names.part(commit.part);
  const { keys: named, args } = encodeCommit(own, commit);
  const keys = [...named, ...same.keys];
  let reply = await client.run(commitScript, keys, [same.id, "0", ...args], "commit");
  if (reply === -1) {
    await recount(client, names, commit.part, true);
    reply = await client.run(commitScript, keys, [same.id, "0", ...args], "commit");
  }
  if (reply === 0) {
    // The partition is listed before it exists: after a crash in between, the list holds a name too many, which harms nothing.
    await client.ask((redis) => redis.sadd(names.partitions, commit.part));
    reply = await client.run(commitScript, keys, [same.id, "1", ...args], "commit");
  }
  const [first] = commit.writes;
  if (Array.isArray(reply) && first !== undefined)
    return { ok: false, conflict: first.key, full: toUsage(commit.part, reply) };
  if (reply === -1) throw busy(commit.part);
  if (typeof reply === "string") return { ok: true, version: toVersion(commit.part, reply) };
  const failed = typeof reply === "number" ? commit.checks[reply - 1] : undefined;
  if (failed === undefined) throw corrupt(`partition ${commit.part}`);
  return { ok: false, conflict: failed.key };
}

function encodeCommit(
  own: PartNames,
  { part, checks, writes, quota }: ParsedCommit,
): { keys: string[]; args: string[] } {
  const colls = numberOf([...checks, ...writes].map(({ at }) => at.coll));
  const keys = [own.sequence, own.counts, own.marks, own.kept, own.usage];
  for (const coll of colls.keys()) keys.push(own.docs(coll), own.order(coll));
  const place = ({ coll, id }: KeyParts): string[] => [String(colls.get(coll)), id];
  const puts = writes.flatMap(({ at, value }) => (value === null ? [] : [...place(at), value]));
  const removals = writes.flatMap(({ at, value }) => (value === null ? place(at) : []));
  return {
    keys,
    args: [
      ...toLimits(quota),
      String(part.length),
      String(colls.size),
      ...counted(colls.keys()),
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

/** A document asked for, and its place in the answer. */
interface Wanted {
  readonly index: number;
  readonly key: KeyParts;
}

function groupByPart(keys: readonly KeyParts[]): Map<string, Wanted[]> {
  const groups = new Map<string, Wanted[]>();
  for (const [index, key] of keys.entries()) {
    const group = groups.get(key.part);
    if (group === undefined) groups.set(key.part, [{ index, key }]);
    else group.push({ index, key });
  }
  return groups;
}

function runGetMany({ client, same }: Place, own: PartNames, wanted: readonly Wanted[]): Promise<unknown> {
  const colls = numberOf(wanted.map(({ key }) => key.coll));
  const args = wanted.flatMap(({ key }) => [String(colls.get(key.coll)), key.id]);
  return client.run(getManyScript, [...[...colls.keys()].map(own.docs), ...same.keys], [same.id, ...args]);
}

const toKey = ({ part, coll, id }: KeyParts): Key => `${part}:${coll}:${id}`;

/** Reads `version\nJSON`; throws StoreError CORRUPT for anything else. */
export function toDoc(key: Key, raw: unknown): Doc | null {
  if (raw === null || raw === undefined) return null;
  const text = typeof raw === "string" ? raw : "";
  const end = text.indexOf("\n");
  if (end < 1) throw corrupt(key);
  return { key, version: toVersion(key, text.slice(0, end)), value: text.slice(end + 1) };
}

function toVersion(what: string, text: string): Version {
  const version = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(version)) throw corrupt(what);
  return version;
}
