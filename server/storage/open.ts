import type { RedisConfig, S3Config, StoreConfig } from "./describe.ts";
import type { Clock } from "../core/clock.ts";
import { isStoreDriver, StoreError } from "./contract.ts";
import type { StoreDriver } from "./contract.ts";
import { describeStore } from "./describe.ts";
import { withFreeze } from "./freeze.ts";
import { withIdentity } from "./identity.ts";
import { findUnfinished } from "./transfer.ts";

export interface OpenOptions {
  readonly clock: Clock;
  /** Redis that counts rate limits for all nodes, where the store is on S3. */
  readonly limitsUrl?: string | undefined;
  /** Called when the store was replaced and an operator accepted that. */
  readonly onAdopted?: (() => void) | undefined;
}

/**
 * Opens the store that the configuration names, to serve from it. Throws StoreError; INVALID also for a store that a restore
 * or a migration has begun to fill and not finished.
 */
export async function openStore(config: StoreConfig, options: OpenOptions): Promise<StoreDriver> {
  const store = await openDriver(config, options);
  try {
    const unfinished = await findUnfinished(store);
    if (unfinished !== null) throw new StoreError("INVALID", unfinishedText(unfinished));
    const { clock, onAdopted = () => undefined } = options;
    const where = describeStore(config);
    return withFreeze(await withIdentity(store, { clock, where, onAdopted }), clock);
  } catch (error) {
    await store.close();
    throw error;
  }
}

const unfinishedText = ({ what, source }: { readonly what: string; readonly source: string }): string =>
  `a ${what} from ${source} into this store was interrupted. Run it again`;

/**
 * Opens the bare driver, whatever state the store is in: for commands that fill, copy or repair it. A driver's code is loaded
 * only when it is chosen.
 */
export async function openDriver(
  config: StoreConfig,
  { clock, limitsUrl }: OpenOptions,
): Promise<StoreDriver> {
  switch (config.driver) {
    case "fs": {
      const { openFsDriver } = await import("./fs.ts");
      return openFsDriver({ base: config.base, clock, salvage: config.salvage ?? false });
    }
    case "memory": {
      const { createMemoryDriver } = await import("./memory.ts");
      return createMemoryDriver({ clock });
    }
    case "redis": {
      const { openRedisDriver } = await import("./redis.ts");
      return openRedisDriver(toRedisOptions(config));
    }
    case "unstorage": {
      const [{ openBridgeDriver }, { createSystemRandom }] = await Promise.all([
        import("./bridge.ts"),
        import("../core/ids.ts"),
      ]);
      return openBridgeDriver({ ...config, clock, random: createSystemRandom() });
    }
    case "custom": {
      const store: unknown = "open" in config.use ? await config.use.open({ clock }) : config.use;
      if (isStoreDriver(store)) return store;
      throw new StoreError("INVALID", "storage.driver does not return a driver of this platform");
    }
    case "s3":
      return openS3(config, { clock, limitsUrl });
  }
}

async function openS3(
  { driver: _driver, sessionToken, ...account }: S3Config,
  { clock, limitsUrl }: OpenOptions,
): Promise<StoreDriver> {
  const [{ openS3Driver }, { createSystemRandom }] = await Promise.all([
    import("./s3.ts"),
    import("../core/ids.ts"),
  ]);
  const login = sessionToken === undefined ? account : { ...account, sessionToken };
  const options = { ...login, clock, random: createSystemRandom() };
  if (limitsUrl === undefined) return openS3Driver(options);
  const { createRedisCounters } = await import("./redis.ts");
  const counters = await createRedisCounters({ url: limitsUrl });
  try {
    return await openS3Driver({ ...options, counters });
  } catch (error) {
    await counters.close();
    throw error;
  }
}

const toRedisOptions = (config: RedisConfig) => ({
  url: addressesOfRedis(config),
  ...(config.prefix === undefined ? {} : { prefix: config.prefix }),
  allowVolatile: config.allowVolatile ?? false,
});

/** One address, or those of some nodes of a cluster; each with its login. */
export const addressesOfRedis = ({ url, nodes, username, password }: RedisConfig): string | string[] =>
  url ?? (nodes ?? []).map((node) => withLogin(node, username, password));

function withLogin(node: string, username = "", password = ""): string {
  const url = new URL(node);
  // The setters escape what an address may not contain, except for the percent sign.
  url.username = encodeURIComponent(username);
  url.password = encodeURIComponent(password);
  return url.href;
}
