import { describe, expect, it } from "vitest";

import { checkServable } from "../../server/config/servable.ts";
import { showConfig } from "../../server/config/show.ts";
import { createFolder, failure, folderWith, load } from "./folder.ts";

const S3 = { driver: "s3", bucket: "shop-data", accessKeyId: "AK", secretAccessKey: "SK" };
const rows = async (config: unknown, env: Record<string, string> = {}): Promise<string[]> =>
  (await failure(load(folderWith(config), { env }))).problems.map(
    ({ path, message }) => `${path} ${message}`,
  );

describe("a storage", () => {
  it.each<[string, object, object]>([
    ["on Redis", { driver: "redis", url: "redis://10.0.0.5:6379/2" }, {}],
    ["on Redis with TLS and a login", { driver: "redis", url: "rediss://shop:p%40ss@redis.example" }, {}],
    [
      "on a Redis Cluster",
      { driver: "redis", nodes: ["redis://10.0.0.5", "redis://10.0.0.6:7000"], password: "p", prefix: "a:" },
      {},
    ],
    ["on a Redis that may lose data", { driver: "redis", url: "redis://[::1]", allowVolatile: true }, {}],
    ["on S3", { ...S3, endpoint: "https://s3.shop.example", region: "auto", prefix: "live/a" }, {}],
    ["on the S3 of AWS", S3, { region: "us-east-1" }],
  ])("%s is taken as it is written", async (_title, storage, more) => {
    expect((await load(folderWith({ storage }))).config.storage).toEqual({ ...storage, ...more });
  });

  it("moves from files to Redis by one line", async () => {
    const rest = { baseUrl: "https://api.shop.example", mail: { transport: "console" } };
    const before = await load(folderWith({ ...rest, storage: { driver: "fs", base: "./data" } }));
    const after = await load(folderWith({ ...rest, storage: { driver: "redis", url: "redis://10.0.0.5" } }));
    expect(before.config.storage.driver).toBe("fs");
    expect({ ...after.config, storage: null }).toEqual({ ...before.config, storage: null });
    expect(checkServable(after)).toEqual(checkServable(before));
  });

  it.each<[string, object, string]>([
    [
      "a cache of a thousand values",
      { driver: "unstorage", use: "lru-cache" },
      'storage.use "lru-cache" keeps 1,000 values and discards others: set options.max',
    ],
    [
      "no address",
      { driver: "redis" },
      "storage.url set url (PLATFORM_STORAGE_URL), or nodes for a Redis Cluster",
    ],
    [
      "two kinds of address",
      { driver: "redis", url: "redis://a", nodes: ["redis://b"] },
      "storage.nodes set either url or nodes, not both",
    ],
    [
      "an address of something else",
      { driver: "redis", url: "http://a" },
      "storage.url expected a URL such as redis://user:pass@host:6379/0, received ***",
    ],
    [
      "settings of another client in the address",
      { driver: "redis", url: "redis://a?family=6" },
      "storage.url expected a URL such as redis://user:pass@host:6379/0, received ***",
    ],
    ["no node", { driver: "redis", nodes: [] }, "storage.nodes expected at least one URL, received []"],
    [
      "a login in the address of a node",
      { driver: "redis", nodes: ["redis://:geheim@a"] },
      'storage.nodes[0] expected a URL such as redis://host:6379, without credentials, received "redis://***@a"',
    ],
    [
      "a login beside an address",
      { driver: "redis", url: "redis://a", password: "geheim" },
      "storage.password must be part of url: redis://user:password@host",
    ],
    [
      "a prefix that Redis would take for a hash tag",
      { driver: "redis", url: "redis://a", prefix: "{x}" },
      'storage.prefix expected letters, digits and :._- (at most 64), received "{x}"',
    ],
    ["no bucket", { ...S3, bucket: undefined }, "storage.bucket required, expected a bucket name"],
    [
      "a name that no bucket has",
      { ...S3, bucket: "Shop Data" },
      'storage.bucket expected a bucket name, received "Shop Data"',
    ],
    [
      "no access key",
      { ...S3, accessKeyId: undefined },
      "storage.accessKeyId required, expected an access key id (or AWS_ACCESS_KEY_ID)",
    ],
    [
      "an endpoint with a path of its own query",
      { ...S3, endpoint: "s3.example" },
      'storage.endpoint expected a URL such as https://s3.eu-central-1.amazonaws.com, received "s3.example"',
    ],
    ["a setting of another driver", { ...S3, base: "./data" }, 'storage.base not a setting of driver "s3"'],
  ])("is refused with %s", async (_title, storage, row) => {
    const found = await rows({ storage });
    expect(found).toEqual([row]);
    expect(found.join()).not.toContain("geheim");
  });

  it("never shows a login or a key", async () => {
    const env = { RU: "redis://:geheim@10.0.0.5" };
    const redis = await load(folderWith({ storage: { driver: "redis", url: { $secret: "RU" } } }), { env });
    const s3 = await load(folderWith({ storage: S3, limits: { url: "redis://:geheim@a" } }));
    const cluster = await load(
      folderWith({ storage: { driver: "redis", nodes: ["redis://a"], password: "geheim" } }),
    );
    for (const loaded of [redis, s3, cluster]) {
      const shown = JSON.stringify(showConfig(loaded, { origin: true }));
      expect(shown).not.toContain("geheim");
      expect(shown).not.toContain('"SK"');
      expect(shown).toContain("***");
    }
    expect(s3.warnings.join()).toContain("storage.secretAccessKey contains a secret");
  });
});

describe("the variables that others set too", () => {
  const aws = {
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "AK",
    AWS_SECRET_ACCESS_KEY: "SK",
    AWS_ENDPOINT_URL_S3: "https://s3.shop.example",
    REDIS_URL: "redis://10.0.0.9",
  };

  it("complete what the file leaves out of its driver", async () => {
    const { config, origins } = await load(folderWith({ storage: { driver: "s3", bucket: "shop-data" } }), {
      env: aws,
    });
    expect(config.storage).toEqual({
      driver: "s3",
      bucket: "shop-data",
      region: "eu-central-1",
      endpoint: "https://s3.shop.example",
      accessKeyId: "AK",
      secretAccessKey: "SK",
    });
    expect(origins["storage.secretAccessKey"]).toBe("env AWS_SECRET_ACCESS_KEY");
    const redis = await load(folderWith({ storage: { driver: "redis" } }), { env: aws });
    expect(redis.config.storage).toEqual({ driver: "redis", url: "redis://10.0.0.9" });
    expect(redis.secrets).toContain("storage.url");
  });

  it("may come as files, as Docker's secrets do", async () => {
    const folder = createFolder({ "run/key": "SK\n" });
    const env = {
      ...aws,
      PLATFORM_STORAGE_DRIVER: "s3",
      PLATFORM_STORAGE_BUCKET: "shop-data",
      AWS_SECRET_ACCESS_KEY: "",
      AWS_SECRET_ACCESS_KEY_FILE: "run/key",
    };
    expect((await load(folder, { env })).config.storage).toMatchObject({ secretAccessKey: "SK" });
  });

  it("say nothing to another driver", async () => {
    expect((await load(createFolder(), { env: aws })).config.storage.driver).toBe("fs");
    const memory = await load(folderWith({ storage: { driver: "memory" } }), { env: aws });
    expect(memory.config.storage).toEqual({ driver: "memory" });
  });

  it("give way to our own variables and to the file", async () => {
    const storage = { driver: "redis", url: "redis://10.0.0.5" };
    expect((await load(folderWith({ storage }), { env: aws })).config.storage).toEqual(storage);
    const env = { ...aws, PLATFORM_STORAGE_URL: "redis://10.0.0.7" };
    expect((await load(folderWith({ storage }), { env })).config.storage).toMatchObject({
      url: "redis://10.0.0.7",
    });
  });
});

describe("several nodes", () => {
  const serving = async (config: object, nodes: number): Promise<string | string[]> => {
    const rest = { baseUrl: "http://127.0.0.1:3000", mail: { transport: "console" } };
    try {
      return checkServable(await load(folderWith({ ...rest, ...config })), { nodes }).slice(1);
    } catch (error) {
      return error instanceof Error && "problems" in error
        ? (error.problems as { path: string; message: string }[]).map((one) => `${one.path} ${one.message}`)
        : String(error);
    }
  };
  const limits = { url: "redis://10.0.0.5" };

  it.each<[string, object, number, string[]]>([
    ["one on files", {}, 1, []],
    [
      "one on S3",
      { storage: S3 },
      1,
      ["limits.url is not set: rate limits are counted by one node, and a second node is refused."],
    ],
    ["two on Redis", { storage: { driver: "redis", url: "redis://a" } }, 2, []],
    ["two on S3 with limits in Redis", { storage: S3, limits }, 2, []],
    [
      "a volatile Redis",
      { storage: { driver: "redis", url: "redis://a", allowVolatile: true } },
      2,
      ["storage.allowVolatile is true: acknowledged writes may be lost when Redis stops."],
    ],
    [
      "limits that nobody counts in",
      { limits },
      1,
      ['limits.url has no effect: storage.driver "fs" counts rate limits itself.'],
    ],
  ])("%s: served", async (_title, config, nodes, warnings) => {
    expect(await serving(config, nodes)).toEqual(warnings);
  });

  it.each<[string, object, string]>([
    [
      "on S3 without limits in Redis",
      { storage: S3 },
      "limits.url not set. 2 nodes on S3 need a shared Redis to count rate limits (PLATFORM_LIMITS_URL)",
    ],
    ["on files", {}, 'storage.driver "fs" supports one process, not 2. Use "redis", or "s3" with limits.url'],
    [
      "in memory",
      { storage: { driver: "memory" } },
      'storage.driver "memory" supports one process, not 2. Use "redis", or "s3" with limits.url',
    ],
  ])("two %s: refused", async (_title, config, row) => {
    expect(await serving(config, 2)).toEqual([row]);
  });
});
