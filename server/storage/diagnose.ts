import type { Clock } from "../kernel/clock.ts";
import { endpointOf } from "./describe.ts";
import { addressesOfRedis } from "./open.ts";
import type { RedisConfig, StoreConfig } from "./open.ts";

/** One thing about what lies under a store. */
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
  return [...counted, await diagnoseS3Clock(endpointOf(config), clock)];
}

interface RedisFacts {
  readonly version: string;
  readonly hasLog: boolean;
  readonly policy: string;
  readonly replicas: number;
  readonly timeMs: number;
}

/** Its version, whether it would lose data, and whether its clock is ours. Each primary of a cluster is asked. */
async function diagnoseRedis(
  id: string,
  url: string | readonly string[],
  { clock, config }: { readonly clock: Clock; readonly config?: RedisConfig },
): Promise<StorageFinding[]> {
  const { connect } = await import("./redis/client.ts");
  const client = await connect({ url });
  try {
    const beganMs = clock.now();
    const facts = await client.askAll(async (redis) => toFacts(await redis.info(), await redis.time()));
    const atMs = (beganMs + clock.now()) / 2;
    return [
      toVersion(id, facts),
      ...(config === undefined ? [] : [toPersistence(id, facts, config)]),
      toEviction(id, facts),
      toSkew(`${id}.clock`, Math.max(...facts.map(({ timeMs }) => Math.abs(timeMs - atMs)))),
    ];
  } finally {
    await client.close();
  }
}

function toFacts(info: string, [seconds = 0, micros = 0]: readonly (number | string)[]): RedisFacts {
  const value = (name: string): string => new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1] ?? "";
  return {
    version: value("redis_version"),
    hasLog: value("aof_enabled") === "1",
    policy: value("maxmemory_policy"),
    replicas: Number(value("connected_slaves")),
    timeMs: Number(seconds) * 1000 + Number(micros) / 1000,
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
  return { id, status: "warn", detail: `${detail} gets no more mends`, fix: "Install Redis 7 or newer." };
}

function toPersistence(id: string, facts: readonly RedisFacts[], config: RedisConfig): StorageFinding {
  const own = `${id}.persistence`;
  if (facts.some(({ hasLog }) => !hasLog)) {
    const detail = "no append-only file: what was acknowledged is lost when Redis stops";
    const fix = "CONFIG SET appendonly yes, then CONFIG REWRITE";
    return { id: own, status: config.allowVolatile === true ? "warn" : "fail", detail, fix };
  }
  if (facts.some(({ replicas }) => replicas > 0)) {
    const detail = "append-only file, and replicas: a failover may lose the last acknowledged writes";
    return { id: own, status: "ok", detail: `${detail} (min-replicas-to-write 1 keeps them few)` };
  }
  return {
    id: own,
    status: "ok",
    detail: "append-only file; a power loss may cost the last second (appendfsync everysec)",
  };
}

function toEviction(id: string, facts: readonly RedisFacts[]): StorageFinding {
  const own = `${id}.eviction`;
  const policies = [...new Set(facts.map(({ policy }) => policy))].join(", ");
  if (policies === "noeviction")
    return { id: own, status: "ok", detail: "nothing is thrown away when memory is full" };
  const detail = `maxmemory-policy ${policies}: documents are thrown away when memory is full`;
  return {
    id: own,
    status: "fail",
    detail,
    fix: "CONFIG SET maxmemory-policy noeviction, then CONFIG REWRITE",
  };
}

const SKEW_MS = 2_000;

function toSkew(id: string, skewMs: number): StorageFinding {
  const detail = `its clock and ours differ by ${(skewMs / 1000).toFixed(1)} s`;
  if (skewMs <= SKEW_MS) return { id, status: "ok", detail };
  const fix =
    "Set the clocks of both machines (timedatectl, ntpd, chronyd): windows and expiries go by them.";
  return { id, status: "warn", detail, fix };
}

/** Requests are signed with the time: one that is a quarter of an hour off is refused. */
async function diagnoseS3Clock(endpoint: string, clock: Clock): Promise<StorageFinding> {
  const response = await fetch(endpoint, {
    method: "HEAD",
    redirect: "manual",
    signal: AbortSignal.timeout(5_000),
  });
  const dateMs = Date.parse(response.headers.get("date") ?? "");
  await response.body?.cancel();
  if (Number.isNaN(dateMs))
    return { id: "storage.s3.clock", status: "ok", detail: "the server tells no time" };
  // The header has whole seconds.
  return toSkew("storage.s3.clock", Math.max(0, Math.abs(dateMs - clock.now()) - 1000));
}
