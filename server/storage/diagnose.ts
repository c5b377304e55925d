import type { Clock } from "../core/clock.ts";
import { StoreError } from "./contract.ts";
import { endpointOf } from "./describe.ts";
import { addressesOfRedis } from "./open.ts";
import type { RedisConfig, StoreConfig } from "./describe.ts";

/** One finding about the storage below a store. */
export interface StorageFinding {
  readonly id: string;
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  readonly fix?: string;
}

export interface DiagnoseOptions {
  readonly clock: Clock;
  readonly limitsUrl?: string | undefined;
}

/** What the server under the driver says of itself; nothing for a folder. A Redis that counts limits is asked too. */
export async function diagnoseStorage(
  config: StoreConfig,
  { clock, limitsUrl }: DiagnoseOptions,
): Promise<StorageFinding[]> {
  if (config.driver === "redis")
    return diagnoseRedis("storage.redis", addressesOfRedis(config), { clock, config });
  if (config.driver !== "s3") return [];
  const counted = limitsUrl === undefined ? [] : await diagnoseRedis("limits.redis", limitsUrl, { clock });
  return [...counted, await diagnoseS3Clock(`${endpointOf(config)}/${config.bucket}`, clock)];
}

interface RedisFacts {
  readonly version: string;
  readonly hasLog: boolean;
  /** Its log is on the disk before it answers. */
  readonly syncs: boolean;
  readonly policy: string;
  /** Share of its memory limit that is used; 0 where there is no limit. */
  readonly full: number;
  readonly replicas: number;
  readonly skewMs: number;
}

/** Its version, whether it would lose data, and whether its clock is ours. Each primary of a cluster is asked. */
async function diagnoseRedis(
  id: string,
  url: string | readonly string[],
  { clock, config }: { readonly clock: Clock; readonly config?: RedisConfig },
): Promise<StorageFinding[]> {
  const [{ connect }, { syncsAlways }] = await Promise.all([
    import("./redis/client.ts"),
    import("./redis/startup.ts"),
  ]);
  const client = await connect({ url });
  try {
    const facts = await client.askAll(async (redis) => {
      const beganMs = clock.now();
      const [seconds = 0, micros = 0] = await redis.time();
      const skewMs = Math.abs(seconds * 1000 + micros / 1000 - (beganMs + clock.now()) / 2);
      return { ...toFacts(await redis.info()), skewMs, syncs: await syncsAlways(redis) };
    });
    return [
      toVersion(id, facts),
      ...(config === undefined ? [] : [toPersistence(id, facts, config)]),
      toEviction(id, facts),
      toMemory(id, facts),
      toSkew(`${id}.clock`, Math.max(...facts.map(({ skewMs }) => skewMs))),
    ];
  } finally {
    await client.close();
  }
}

function toFacts(info: string): Omit<RedisFacts, "skewMs" | "syncs"> {
  const value = (name: string): string => new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1] ?? "";
  return {
    version: value("redis_version"),
    hasLog: value("aof_enabled") === "1",
    policy: value("maxmemory_policy"),
    full: Number(value("maxmemory")) > 0 ? Number(value("used_memory")) / Number(value("maxmemory")) : 0,
    replicas: Number(value("connected_slaves")),
  };
}

/** Tested with this one; what the scripts use is older. */
const OLDEST = 6;

function toVersion(id: string, facts: readonly RedisFacts[]): StorageFinding {
  const versions = [...new Set(facts.map(({ version }) => version))].join(", ");
  const primaries = facts.length === 1 ? "" : `, ${facts.length} primaries`;
  const detail = `Redis ${versions}${primaries}`;
  if (facts.every(({ version }) => Number.parseInt(version, 10) >= OLDEST))
    return { id, status: "ok", detail };
  return {
    id,
    status: "warn",
    detail: `${detail} is no longer maintained`,
    fix: "Install Redis 7 or newer.",
  };
}

function toPersistence(id: string, facts: readonly RedisFacts[], config: RedisConfig): StorageFinding {
  const own = `${id}.persistence`;
  if (facts.some(({ hasLog }) => !hasLog)) {
    const detail = "no append-only file: acknowledged writes are lost when Redis stops";
    const fix = "Run CONFIG SET appendonly yes, then CONFIG REWRITE.";
    return { id: own, status: config.allowVolatile === true ? "warn" : "fail", detail, fix };
  }
  const synced = facts.every(({ syncs }) => syncs)
    ? "append-only file, synced before every reply"
    : "append-only file; a power loss, or a kill while the disk is busy, can lose the last one or two seconds (set appendfsync always to prevent this)";
  if (facts.every(({ replicas }) => replicas === 0)) return { id: own, status: "ok", detail: synced };
  const failover =
    "a failover to a replica can lose acknowledged writes (set min-replicas-to-write 1 to limit this)";
  return { id: own, status: "ok", detail: `${synced}; ${failover}` };
}

function toEviction(id: string, facts: readonly RedisFacts[]): StorageFinding {
  const own = `${id}.eviction`;
  const policies = [...new Set(facts.map(({ policy }) => policy))].join(", ");
  if (policies === "noeviction")
    return { id: own, status: "ok", detail: "no keys are evicted when memory is full" };
  const detail = `maxmemory-policy ${policies}: documents are evicted when memory is full`;
  return {
    id: own,
    status: "fail",
    detail,
    fix: "Run CONFIG SET maxmemory-policy noeviction, then CONFIG REWRITE.",
  };
}

const FILLING = 0.8;
const NEARLY_FULL = 0.95;

/** A full Redis refuses every write. */
function toMemory(id: string, facts: readonly RedisFacts[]): StorageFinding {
  const own = `${id}.memory`;
  const full = Math.max(...facts.map((fact) => fact.full));
  if (full === 0) return { id: own, status: "ok", detail: "no maxmemory limit" };
  const detail = `${Math.round(full * 100)} % of maxmemory used`;
  if (full < FILLING) return { id: own, status: "ok", detail };
  const fix = "Raise maxmemory, or move Redis to a larger machine, before writes are rejected.";
  return { id: own, status: full < NEARLY_FULL ? "warn" : "fail", detail, fix };
}

const SKEW_MS = 2_000;
/** Half the shortest life of a hold: a node that is as far ahead of another would give away what that one holds. */
const MOST_SKEW_MS = 30_000;

function toSkew(id: string, skewMs: number): StorageFinding {
  const detail = `clock difference to this machine: ${(skewMs / 1000).toFixed(1)} s`;
  if (skewMs <= SKEW_MS) return { id, status: "ok", detail };
  const fix =
    "Synchronise the clocks of both machines (timedatectl, ntpd, chronyd): holds, keys and links expire by them.";
  return { id, status: skewMs <= MOST_SKEW_MS ? "warn" : "fail", detail, fix };
}

/**
 * Looks at what all nodes of a store compare their clocks with. Returns what a person should know; throws StoreError INVALID
 * when the clocks differ so much that nodes would disagree about what has expired.
 */
export async function demandSameClock(config: StoreConfig, options: DiagnoseOptions): Promise<string[]> {
  const findings = await diagnoseStorage(config, options);
  const skews = findings.filter(({ id, status }) => id.endsWith(".clock") && status !== "ok");
  const problems = skews.map(({ detail, fix = "" }) => `The storage: ${detail}. ${fix}`);
  if (skews.some(({ status }) => status === "fail")) throw new StoreError("INVALID", problems.join(" "));
  return problems;
}

/** Requests are signed with the time: one that is a quarter of an hour off is refused. */
async function diagnoseS3Clock(bucket: string, clock: Clock): Promise<StorageFinding> {
  const id = "storage.s3.clock";
  try {
    const signal = AbortSignal.timeout(5_000);
    const response = await fetch(bucket, { method: "HEAD", redirect: "manual", signal });
    const dateMs = Date.parse(response.headers.get("date") ?? "");
    await response.body?.cancel();
    if (Number.isNaN(dateMs)) return { id, status: "ok", detail: "the server does not report its time" };
    // The header has whole seconds.
    return toSkew(id, Math.max(0, Math.abs(dateMs - clock.now()) - 1000));
  } catch {
    // Some servers and proxies close the connection of a request without a signature; the driver itself reports a missing store.
    const detail = "the clock of the server could not be compared: it does not answer unsigned requests";
    return { id, status: "warn", detail, fix: "Check that the clock of this machine is synchronised." };
  }
}
