import { systemClock } from "../core/clock.ts";
import { createSystemRandom } from "../core/ids.ts";
import type { StoreConfig, RedisConfig, S3Config } from "./describe.ts";
import { addressesOfRedis, openDriver } from "./open.ts";

/**
 * Whether the configured place holds a store: opening a driver would create one. Throws StoreError where no server answers.
 * The memory of another process is out of reach, so there is never one.
 */
export async function storeExists(config: StoreConfig): Promise<boolean> {
  switch (config.driver) {
    case "fs":
      return folderHoldsStore(config.base);
    case "redis":
      return redisHoldsStore(config);
    case "s3":
      return bucketHoldsStore(config);
    case "unstorage": {
      const { bridgeHoldsStore } = await import("./bridge.ts");
      return bridgeHoldsStore(config);
    }
    case "custom":
      return driverHoldsStore(config);
    case "memory":
      return false;
  }
}

/** Only the driver itself knows. */
async function driverHoldsStore(config: StoreConfig): Promise<boolean> {
  const store = await openDriver(config, { clock: systemClock });
  try {
    return (await store.partitions()).length > 0;
  } finally {
    await store.close();
  }
}

/** A format number, or the first segment of a store whose start was interrupted. */
async function folderHoldsStore(base: string): Promise<boolean> {
  const [{ nodeIo }, { segmentId }, { FORMAT_FILE }] = await Promise.all([
    import("./fs/io.ts"),
    import("./fs/segment.ts"),
    import("./fs/folder.ts"),
  ]);
  if ((await nodeIo.stat(base)) === null) return false;
  const names = await nodeIo.list(base);
  return names.some((name) => name === FORMAT_FILE || segmentId(name) !== null);
}

async function redisHoldsStore(config: RedisConfig): Promise<boolean> {
  const [{ connect }, { createNames }] = await Promise.all([
    import("./redis/client.ts"),
    import("./redis/names.ts"),
  ]);
  const client = await connect({ url: addressesOfRedis(config) });
  try {
    return (await client.ask((redis) => redis.exists(createNames(config.prefix).format))) === 1;
  } finally {
    await client.close();
  }
}

async function bucketHoldsStore(config: S3Config): Promise<boolean> {
  const [
    { createS3Client, IN_FLIGHT, TIMEOUT_MS },
    { createObjects },
    { FORMAT_KEY, placeOf },
    { createTransport },
  ] = await Promise.all([
    import("./s3/client.ts"),
    import("./s3/objects.ts"),
    import("./s3/start.ts"),
    import("./s3/transport.ts"),
  ]);
  const { endpoint, prefix } = placeOf(config);
  const { driver: _driver, sessionToken, ...account } = config;
  const transport = createTransport(IN_FLIGHT);
  try {
    const client = createS3Client({
      ...account,
      ...(sessionToken === undefined ? {} : { sessionToken }),
      transport,
      timeoutMs: TIMEOUT_MS,
      wallClock: systemClock,
      random: createSystemRandom(),
      endpoint,
    });
    return (await createObjects(client, prefix, () => "quoted").readText(FORMAT_KEY)).found === "text";
  } finally {
    await transport.close();
  }
}
