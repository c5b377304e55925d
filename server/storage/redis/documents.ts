import type { CommitResult, Quota, StoreDriver } from "../contract.ts";
import { assertPart, parseCommit } from "../keys.ts";
import type { KeyParts, ParsedCommit } from "../keys.ts";
import type { Client } from "./client.ts";
import { toVersion } from "./doc.ts";
import { corrupt } from "./errors.ts";
import type { Same } from "./identity.ts";
import type { Names, PartNames } from "./names.ts";
import { createReads } from "./reads.ts";
import { numberOf } from "./script.ts";
import { commitScript } from "./scripts/commit.ts";
import { usageScript } from "./scripts/usage.ts";
import type { Turns } from "./turns.ts";
import { busy, counted, recount, toUsage } from "./usage.ts";

type Documents = Pick<
  StoreDriver,
  "get" | "getMany" | "page" | "commit" | "usage" | "partitions" | "collections"
>;

/** Documents in Redis: reads share a call with all others of the turn, a commit is a call. */
export function createDocuments(at: Place, turns: Turns): Documents {
  const { client, names } = at;
  return {
    ...createReads(turns),
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
export interface Place {
  readonly client: Client;
  readonly names: Names;
  readonly same: Same;
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
