import type { Clock } from "../core/clock.ts";
import { createSystemRandom } from "../core/ids.ts";
import type { Relay, StoreDriver } from "./contract.ts";
import { connect } from "./redis/client.ts";
import type { Client, ClientOptions } from "./redis/client.ts";
import { createLimits } from "./redis/counters.ts";
import type { Limits } from "./redis/counters.ts";
import { createDocuments } from "./redis/documents.ts";
import { createIdentity, demandSame, NOT_COMPARED, openIdentity } from "./redis/identity.ts";
import { createNames } from "./redis/names.ts";
import type { Names } from "./redis/names.ts";
import { createRelay } from "./redis/relay.ts";
import { createRelist } from "./redis/relist.ts";
import { defineScript } from "./redis/script.ts";
import { demandFormat, demandPersistence, syncsAlways } from "./redis/startup.ts";
import { recount } from "./redis/usage.ts";
import { createTransfer } from "./redis/transfer.ts";
import { createTurns } from "./redis/turns.ts";
import { toUnstorage } from "./unstorage.ts";

export interface RedisOptions extends ClientOptions {
  /** Prefix of every key, so that several stores share one Redis. Default: "platform:". */
  readonly prefix?: string;
  /** Accept a server without an append-only file, or one that evicts: what it acknowledged may be lost. */
  readonly allowVolatile?: boolean;
  /** Counts windows by this clock. Only tests give one: otherwise Redis's own time counts, which all nodes share. */
  readonly clock?: Clock;
}

/**
 * A store for many nodes: every commit and every page is one step inside Redis. Also on Redis Cluster, where a partition
 * is in one slot. Throws StoreError INVALID (address, persistence, newer format) or UNAVAILABLE (no answer).
 */
export async function openRedisDriver(options: RedisOptions): Promise<StoreDriver> {
  const names = createNames(options.prefix);
  let same = NOT_COMPARED;
  const client = await open(options, async (client) => {
    if (options.allowVolatile !== true) await demandPersistence(client, "appendonly");
    await demandFormat(client, names);
    same = await openIdentity(client, names);
    await probe(client, names);
  });
  const random = createSystemRandom();
  const turns = createTurns(client, names, { same, clock: options.clock });
  const { takeIf, ...limits } = createLimits(client, names, turns, options.clock);
  const store = {
    caps: { nodes: "many", exactLimits: true },
    ...createDocuments({ client, names, same }, turns),
    ...limits,
    // On Redis Cluster the documents and the counter are in different slots.
    ...(client.isCluster ? {} : { takeIf }),
    ...createTransfer(client, names, () => Buffer.from(random.bytes(12)).toString("hex")),
    ...createIdentity(client, names),
    relist: createRelist(client, names),
    recount: async (part, fix) => !(await recount(client, names, part, fix)).agrees,
    relay: createRelay(client, names),
    async ping() {
      await probe(client, names);
      await demandSame(client, same);
    },
    stats: () => readStats(client),
    close: () => client.close(),
  } satisfies Omit<StoreDriver, "hasItem" | "getKeys" | "getItem">;
  return { name: "redis", ...store, ...toUnstorage(store) };
}

export interface RedisCounters extends Limits {
  readonly relay: Relay;
  /** Throws a StoreError when Redis takes no writes now. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Windows in Redis with a store elsewhere, so that several nodes share exact limits. They need no append-only file,
 * but a server that evicts would forget them early. Throws as `openRedisDriver` does.
 */
export async function createRedisCounters(options: RedisOptions): Promise<RedisCounters> {
  const names = createNames(options.prefix);
  const client = await open(options, async (client) => {
    if (options.allowVolatile !== true) await demandPersistence(client, "noeviction");
    await probe(client, names);
  });
  const turns = createTurns(client, names, { same: NOT_COMPARED, clock: options.clock });
  const { takeIf: _, ...limits } = createLimits(client, names, turns, options.clock);
  return {
    ...limits,
    relay: createRelay(client, names),
    ping: () => probe(client, names),
    close: () => client.close(),
  };
}

async function open(options: RedisOptions, demand: (client: Client) => Promise<void>): Promise<Client> {
  const client = await connect(options);
  try {
    await demand(client);
    return client;
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** With what it is sent, a probe takes the memory of a large commit: where that is not left, commits are refused. */
const PROBE_BYTES = 65_536;
const probeScript = defineScript('return redis.call("SET", KEYS[1], "1", "PX", 1000)');

/**
 * A write that leaves nothing behind, where every request reads: what another primary of a Redis Cluster holds can be unavailable while all
 * others are served.
 */
async function probe(client: Client, { probe: name }: Names): Promise<void> {
  await client.run(probeScript, [name], ["x".repeat(PROBE_BYTES)]);
}

const STATS = [
  "used_memory",
  "maxmemory",
  "connected_clients",
  "aof_current_size",
  "instantaneous_ops_per_sec",
];

/** The servers' own numbers, over all primaries; bytes and counts. */
async function readStats(client: Client): Promise<Readonly<Record<string, number>>> {
  const infos = await client.askAll((redis) => redis.info());
  const sum = (name: string): number =>
    infos.reduce((total, info) => total + Number(new RegExp(`^${name}:(\\d+)`, "m").exec(info)?.[1] ?? 0), 0);
  return {
    nodes: infos.length,
    ...Object.fromEntries(STATS.map((name) => [name, sum(name)])),
    synced_nodes: (await client.askAll(syncsAlways)).filter((always) => always).length,
  };
}
