import { Cluster, Redis } from "ioredis";

import { StoreError } from "../contract.ts";
import { parseAddress } from "./address.ts";
import type { Address } from "./address.ts";
import { toStoreError, wordsOf } from "./errors.ts";
import type { Call } from "./errors.ts";
import { rewriteLog } from "./log.ts";
import type { Script } from "./script.ts";

export interface ClientOptions {
  /** `redis://[user:password@]host[:port][/db]`, `rediss://` for TLS; a list names nodes of one Redis Cluster. */
  readonly url: string | readonly string[];
}

/** Everything the driver asks of a Redis. Each call is sent at most once, ends within `CALL_MS` and throws StoreError only. */
export interface Client {
  /** The servers, without passwords, for messages. */
  readonly at: string;
  readonly isCluster: boolean;
  /** Runs a script in one step. */
  run(
    script: Script,
    keys: readonly string[],
    args: readonly (string | number)[],
    call?: Call,
  ): Promise<unknown>;
  /** Runs a script whose answer can be large, on a connection of its own: on the common one, all other answers would wait behind it. */
  runLarge(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
  /** Sends a plain command. */
  ask<T>(command: (redis: Redis | Cluster) => Promise<T>): Promise<T>;
  /** Sends a plain command to every primary. */
  askAll<T>(command: (redis: Redis) => Promise<T>): Promise<T[]>;
  /** Calls this at the end of the turn of the event loop; what it sends is written at once. */
  atTurnEnd(send: () => void): void;
  /** Hears the messages of some channels, on a connection of its own, also after it was lost. The result ends it. */
  listen(channels: readonly string[], hear: (text: string) => void): Promise<() => void>;
  /** Waits for the answers of what was sent; every later call is refused. */
  close(): Promise<void>;
}

const CALL_MS = 2000;
const CONNECT_MS = 1000;
/** Of a Redis Cluster, several servers may have to be tried, some of which do not answer. */
const READY_MS = 5000;
/** How long a server that left a call without an answer may take for the next one. */
const DOUBT_MS = 400;
const BACK_OFF_MS = 250;

const backOff = (times: number): number => Math.min(times * 50, BACK_OFF_MS);

/**
 * What a store needs and a cache does not: no command waits for a connection, none is sent a second time after its answer
 * was lost, and none outlives its caller by more than a connection attempt.
 */
const SETTINGS = {
  lazyConnect: true,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  commandTimeout: CALL_MS,
  connectTimeout: CONNECT_MS,
  // While Redis reads its log after a restart, it is asked again soon.
  maxLoadingRetryTime: BACK_OFF_MS,
  disableClientInfo: true,
  // After a failover the old primary refuses to write: look for the new one.
  reconnectOnError: (error: Error) => wordsOf(error.message).startsWith("READONLY"),
} as const;

/** Connects; throws StoreError INVALID (address) or UNAVAILABLE (no answer, login refused). */
export async function connect({ url }: ClientOptions): Promise<Client> {
  const addresses = (typeof url === "string" ? [url] : url).map(parseAddress);
  const [first] = addresses;
  if (first === undefined) throw new StoreError("INVALID", "no Redis URL is set");
  const at = addresses.map(({ host, port }) => `${host}:${port}`).join(",");
  const redis = typeof url === "string" ? createSingle(first) : createCluster(first, addresses);
  let lastError: unknown;
  // Without a listener the client would print; each call that fails reports its own reason.
  redis.on("error", (error) => (lastError = nodeError(error)));
  redis.on("node error", (error) => (lastError = error));
  const watch = (server: Redis) => server.on("ready", () => void rewriteLog(server));
  if (redis instanceof Redis) watch(redis);
  else redis.on("+node", watch);
  try {
    await untilReady(redis);
    // The client goes on in database 0 when it may not enter the one it was given, and reports that only to its listener.
    if (first.db !== 0 && redis instanceof Redis) await redis.select(first.db);
  } catch (error) {
    redis.disconnect();
    throw toStoreError(lastError ?? error, at, "other");
  }
  return toClient(redis, at);
}

/**
 * Connects. Where a server that is down is asked for the state of the cluster, or this is bad, the client connects again by itself, and its
 * own promise never settles.
 */
async function untilReady(redis: Redis | Cluster): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const ready = new Promise<void>((resolve, reject) => {
    redis.once("ready", resolve);
    timer = setTimeout(() => reject(new Error("connect ETIMEDOUT")), READY_MS);
  });
  try {
    await Promise.race([redis.connect(), ready]);
  } finally {
    clearTimeout(timer);
  }
}

/** A cluster's error only says that all nodes failed; the last node's own error has the reason. */
function nodeError(error: unknown): unknown {
  const isOfAll = error instanceof Error && "lastNodeError" in error && error.lastNodeError instanceof Error;
  return isOfAll ? error.lastNodeError : error;
}

function createSingle(address: Address): Redis {
  return new Redis({
    ...SETTINGS,
    ...login(address),
    db: address.db,
    enableOfflineQueue: false,
    retryStrategy: backOff,
    host: address.host,
    port: address.port,
  });
}

/** Settings of the client that would send a command again after its connection was lost are 0: it may have been executed. */
function createCluster(first: Address, addresses: readonly Address[]): Cluster {
  return new Cluster(
    addresses.map(({ host, port }) => ({ host, port })),
    {
      lazyConnect: true,
      enableOfflineQueue: false,
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 0,
      clusterRetryStrategy: backOff,
      slotsRefreshTimeout: CONNECT_MS,
      redisOptions: { ...SETTINGS, ...login(first) },
    },
  );
}

function login({ username, password, tls }: Address) {
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls ? { tls: {} } : {}),
  };
}

function toClient(redis: Redis | Cluster, at: string): Client {
  let closing: Promise<void> | null = null;
  const listeners = new Set<Redis | Cluster>();
  const doubt = createDoubt(redis);
  const gather = createGather(redis);
  const side = createSide(redis);
  const guard = async <T>(work: () => Promise<T>, call: Call, onTimeout = doubt): Promise<T> => {
    if (closing !== null)
      throw new StoreError("UNAVAILABLE", "the store has been closed", { retryable: false });
    gather();
    try {
      return await work();
    } catch (error) {
      if (isTimeout(error)) onTimeout();
      throw toStoreError(error, at, call);
    }
  };
  return {
    at,
    isCluster: redis instanceof Cluster,
    run: (script, keys, args, call = "other") =>
      guard(() => evaluate(redis, script, [keys.length, ...keys, ...args]), call),
    runLarge: (script, keys, args) =>
      guard(
        async () => evaluate(await side.open(), script, [keys.length, ...keys, ...args]),
        "other",
        side.doubt,
      ),
    ask: (command) => guard(() => command(redis), "other"),
    askAll: (command) => guard(() => Promise.all(primaries(redis).map(command)), "other"),
    atTurnEnd: gather,
    listen: (channels, hear) =>
      guard(async () => {
        const listener = redis.duplicate();
        listeners.add(listener);
        await subscribe(listener, channels, hear);
        return () => listener.disconnect();
      }, "other"),
    close() {
      for (const listener of listeners) listener.disconnect();
      return (closing ??= Promise.all([end(redis), side.close()]).then(() => undefined));
    },
  };
}

/** A second connection, made when it is first asked for. */
function createSide(redis: Redis | Cluster) {
  let side: Redis | Cluster | null = null;
  let opening: Promise<Redis | Cluster> | null = null;
  let doubt = (): void => undefined;
  const open = async (): Promise<Redis | Cluster> => {
    const made = redis.duplicate();
    // Each call that fails reports its own reason; the client connects again by itself.
    made.on("error", () => undefined);
    side = made;
    doubt = createDoubt(made);
    await untilReady(made);
    return made;
  };
  return {
    open: (): Promise<Redis | Cluster> =>
      (opening ??= open().catch((error: unknown) => {
        side?.disconnect();
        opening = null;
        throw error;
      })),
    doubt: (): void => doubt(),
    close: async (): Promise<void> => {
      if (side !== null) await end(side);
    },
  };
}

async function subscribe(
  listener: Redis | Cluster,
  channels: readonly string[],
  hear: (text: string) => void,
): Promise<void> {
  // The client connects and subscribes again by itself.
  listener.on("error", () => undefined);
  listener.on("message", (_channel, text) => hear(text));
  try {
    await untilReady(listener);
    await listener.subscribe(...channels);
  } catch (error) {
    listener.disconnect();
    throw error;
  }
}

type ScriptArgs = readonly [number, ...(string | number)[]];

async function evaluate(redis: Redis | Cluster, script: Script, args: ScriptArgs): Promise<unknown> {
  const { lua, sha1, whenFull } = script;
  try {
    // A server that does not know the script has not run it; it keeps what it is sent.
    return await redis
      .evalsha(sha1, ...args)
      .catch((error: unknown) =>
        isReply(error, "NOSCRIPT ") ? redis.eval(lua, ...args) : Promise.reject(error),
      );
  } catch (error) {
    if (whenFull === undefined || !isReply(error, "OOM ")) throw error;
    return evaluate(redis, whenFull, args).catch(() => Promise.reject(error));
  }
}

const isReply = (error: unknown, begin: string): boolean =>
  error instanceof Error && error.message.startsWith(begin);

const primaries = (redis: Redis | Cluster): Redis[] =>
  redis instanceof Cluster ? redis.nodes("master") : [redis];

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && error.message === "Command timed out";

/**
 * Holds back what is written in one turn of the event loop and then writes it at once: many requests then cost one write here and
 * one read, one answer and one log write in Redis. Pipelines of the client do the same, but send again what was cut off.
 */
function createGather(redis: Redis | Cluster): (send?: () => void) => void {
  let gathering = false;
  let waiting: (() => void)[] = [];
  return (send) => {
    if (send !== undefined) waiting.push(send);
    if (gathering) return;
    gathering = true;
    const streams = primaries(redis).flatMap(({ status, stream }) => (status === "ready" ? [stream] : []));
    for (const stream of streams) stream.cork();
    setImmediate(() => {
      const sends = waiting;
      waiting = [];
      for (const send of sends) send();
      gathering = false;
      for (const stream of streams) stream.uncork();
    });
  };
}

/**
 * After a call that got no answer: asks every server once more, and gives up the connections that stay silent, so that they are
 * re-established, and calls meanwhile fail at once instead of waiting as long again. A machine that vanished sends nothing, and the
 * client's own socket timer also breaks the connection after.
 */
function createDoubt(redis: Redis | Cluster): () => void {
  let asking = false;
  const ask = async (server: Redis): Promise<void> => {
    const { stream } = server;
    const timer = setTimeout(() => stream.destroy(), DOUBT_MS);
    await server.ping().catch(() => {});
    clearTimeout(timer);
  };
  return () => {
    if (asking) return;
    asking = true;
    void Promise.all(primaries(redis).map(ask)).then(() => {
      asking = false;
    });
  };
}

/** Calls that were sent get their answers first. */
async function end(redis: Redis | Cluster): Promise<void> {
  await redis.quit().catch(() => {});
  redis.disconnect();
}
