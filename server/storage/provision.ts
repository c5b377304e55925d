import { StoreError } from "./contract.ts";
import type { Key, StoreDriver } from "./contract.ts";
import { endpointOf } from "./describe.ts";
import type { S3Config, StoreConfig } from "./describe.ts";
import { OWN_PART, STATE_COLL } from "./own.ts";

/** Makes what a driver does not make by itself when it is opened. Returns what was made, in words. */
export async function provisionStore(config: StoreConfig): Promise<string[]> {
  if (config.driver === "fs") return provisionFolder(config.base);
  return config.driver === "s3" ? provisionBucket(config) : [];
}

async function provisionFolder(base: string): Promise<string[]> {
  const { nodeIo } = await import("./fs/io.ts");
  if ((await nodeIo.stat(base)) !== null) return [];
  await nodeIo.mkdir(base);
  return [`the folder ${base} (mode 0700)`];
}

const TIMEOUT_MS = 10_000;

/** Makes the bucket where there is none. Whether it can be used is found out when the store is opened. */
async function provisionBucket(config: S3Config): Promise<string[]> {
  const { AwsClient } = await import("aws4fetch");
  const { accessKeyId, secretAccessKey, sessionToken, region } = config;
  const login = { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
  const client = new AwsClient({ ...login, service: "s3", region, retries: 0 });
  const url = `${endpointOf(config).replace(/\/+$/, "")}/${config.bucket}`;
  const send = async (method: string, body: string | null): Promise<number> => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await client.fetch(url, { method, body, signal }).catch((cause: unknown) => {
      throw new StoreError("UNAVAILABLE", `${endpointOf(config)} does not respond`, { cause });
    });
    await response.body?.cancel();
    return response.status;
  };
  if ((await send("HEAD", null)) !== 404) return [];
  const status = await send("PUT", isPlace(config) ? locationOf(region) : null);
  // Another process of the same account was faster.
  if (status === 409) return [];
  if (status >= 300) {
    const reason = `the bucket ${config.bucket} does not exist, and the access key is not allowed to create it (${status})`;
    throw new StoreError("INVALID", reason);
  }
  return [`the bucket ${config.bucket}`];
}

/** Only AWS expects the location of a bucket, and its first region must not be specified. */
const isPlace = ({ endpoint, region }: S3Config): boolean =>
  region !== "us-east-1" && (endpoint === undefined || endpoint.includes(".amazonaws.com"));

const locationOf = (region: string): string =>
  `<CreateBucketConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><LocationConstraint>${region}</LocationConstraint></CreateBucketConfiguration>`;

/**
 * Writes, reads and removes a document with a reserved name, and proves that a write on a wrong version
 * is refused. Also on a frozen store. Throws StoreError.
 */
export async function tryStore(store: StoreDriver, name: string): Promise<void> {
  const key: Key = `${OWN_PART}:${STATE_COLL}:${name}`;
  const value = JSON.stringify({ text: "ü€𝄞" });
  const made = await store.commit(OWN_PART, [{ put: key, value }], [{ key, version: 0 }]);
  const read = await store.get(key);
  const again = await store.commit(OWN_PART, [{ put: key, value: "{}" }], [{ key, version: 0 }]);
  const { items } = await store.page(OWN_PART, STATE_COLL, { limit: 1, prefix: name });
  await store.commit(OWN_PART, [{ del: key }]);
  const gone = await store.get(key);
  if (again.ok) throw new StoreError("CORRUPT", "a write with an outdated version was not rejected");
  if (!made.ok || read?.value !== value || items[0]?.value !== value || gone !== null)
    throw new StoreError("CORRUPT", "the value read differs from the value written");
}
