import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { systemClock } from "../../../server/core/clock.ts";
import type { Doc } from "../../../server/storage/contract.ts";
import { nodeKey } from "../../../server/storage/nodes.ts";
import { openDriver } from "../../../server/storage/open.ts";
import type { StoreConfig } from "../../../server/storage/describe.ts";
import { snapshotOf } from "../../storage/model.ts";
import { hasRedis, REDIS_MISSING, startRedis } from "../../support/redis.ts";
import type { RedisServer } from "../../support/redis.ts";
import { startS3Double } from "../../support/s3-double.ts";
import type { S3Double } from "../../support/s3-double.ts";
import { createServiceSandbox } from "../service.ts";
import type { ServiceSandbox } from "../service.ts";

let sandbox: ServiceSandbox;
beforeEach(() => {
  sandbox = createServiceSandbox();
});
afterEach(() => sandbox.remove());

const run = async (code: number, argv: readonly string[], options = {}) => {
  const result = await sandbox.run(argv, options);
  expect({ argv, code: result.code, stderr: result.stderr }).toMatchObject({ code });
  return result;
};

/** Writes a configuration beside the sandbox's own. */
const write = (name: string, config: object): void =>
  writeFileSync(
    join(sandbox.dir, name),
    JSON.stringify({ server: { port: 0 }, log: { level: "silent" }, mail: { transport: "dev" }, ...config }),
  );

async function contentOf(config: StoreConfig): Promise<Doc[]> {
  const store = await openDriver(config, { clock: systemClock });
  try {
    const parts = (await store.partitions()).filter((part) => part !== "storage");
    return (await Promise.all(parts.map((part) => snapshotOf(store, part)))).flat();
  } finally {
    await store.close();
  }
}

const create = (email: string): string[] => [
  "customers",
  "create",
  "--email",
  email,
  "--store",
  "s",
  "--no-mail",
];
const checksOf = (stdout: string): { id: string; status: string; detail: string }[] =>
  JSON.parse(stdout).data.checks;

if (!hasRedis) console.warn(`Commands on Redis are skipped. ${REDIS_MISSING}`);

describe.skipIf(!hasRedis)("on Redis", () => {
  let redis: RedisServer;
  let volatile: RedisServer;
  let stores = 0;
  let storage: { driver: "redis"; url: string; prefix: string };
  beforeAll(async () => {
    redis = await startRedis();
    volatile = await startRedis({ volatile: true, settings: ["--maxmemory-policy", "allkeys-lru"] });
  });
  afterAll(async () => {
    await redis?.stop();
    await volatile?.stop();
  });
  beforeEach(() => {
    storage = { driver: "redis", url: redis.url, prefix: `cli${stores++}:` };
    write("redis.json", { storage });
  });

  it("0 goes from files to Redis and back by one line, with everything that was there", async () => {
    await run(0, create("ada@shop.test"));
    await run(0, ["seed"]);
    const own = { driver: "fs", base: join(sandbox.dir, "data") } as const;
    const content = await contentOf(own);
    const to = ["storage", "migrate", "--to", "redis.json", "--settle", "0"];
    expect((await run(0, [...to, "--dry-run"])).stderr).toContain("The target contains 0");
    await run(0, [...to, "--confirm", "127.0.0.1"]);
    expect(await contentOf(storage)).toEqual(content);

    await run(0, ["-c", "redis.json", ...create("eve@shop.test")]);
    expect((await run(0, ["-c", "redis.json", "customers", "list"])).rows()).toHaveLength(3);
    const later = await contentOf(storage);
    await run(0, ["-c", "redis.json", "storage", "verify"]);
    const back = { driver: "fs", base: join(sandbox.dir, "back") } as const;
    const home = ["-c", "redis.json", "storage", "migrate", "--to", "fs:./back", "--settle", "0"];
    await run(0, [...home, "--confirm", "back"]);
    expect(await contentOf(back)).toEqual(later);
  });

  it("0 backs up and restores, and refuses beneath a server of another machine", async () => {
    const absent = await run(10, ["-c", "redis.json", "customers", "list"]);
    expect(absent.stderr).toContain("No store at");
    expect(absent.stderr).toContain(join(sandbox.dir, "redis.json"));
    await run(0, ["-c", "redis.json", "storage", "provision"]);
    await run(0, ["-c", "redis.json", ...create("ada@shop.test")]);
    const content = await contentOf(storage);
    await run(0, ["-c", "redis.json", "storage", "backup", "-o", "b.ndjson.gz"]);
    const other = { ...storage, prefix: `${storage.prefix}other:` };
    write("other.json", { storage: other });
    const store = await openDriver(other, { clock: systemClock });
    const node = { id: "n1", host: "shop-2", pid: 7, started_at: "", seen_ms: systemClock.now() };
    await store.commit("storage", [{ put: nodeKey("n1"), value: JSON.stringify(node) }]);
    const refused = await run(7, ["-c", "other.json", "storage", "restore", "b.ndjson.gz"]);
    expect(refused.stderr).toContain("shop-2 (process 7)");
    await store.commit("storage", [{ del: nodeKey("n1") }]);
    await store.close();
    await run(0, ["-c", "other.json", "storage", "restore", "b.ndjson.gz"]);
    expect(await contentOf(other)).toEqual(content);
  });

  it("0 doctor and info say what Redis is, for how many nodes, and where limits are counted", async () => {
    await run(0, ["-c", "redis.json", "storage", "provision"]);
    const { stdout } = await run(0, ["-c", "redis.json", "doctor", "--json"]);
    const checks = checksOf(stdout);
    for (const id of [
      "storage.redis",
      "storage.redis.persistence",
      "storage.redis.eviction",
      "storage.redis.memory",
      "storage.redis.clock",
      "storage.driver",
    ])
      expect(checks).toContainEqual(expect.objectContaining({ id, status: "ok" }));
    expect(checks.find(({ id }) => id === "storage.driver")?.detail).toBe(
      `redis (${redis.url}, prefix ${storage.prefix}), for any number of nodes; rate limits are counted in the same Redis, exact across all nodes`,
    );
    expect((await run(0, ["-c", "redis.json", "storage", "info", "--json"])).json().data).toMatchObject({
      driver: "redis",
      nodes: "many",
    });
    expect((await run(0, ["-c", "redis.json", "storage", "provision", "--json"])).json().data).toMatchObject({
      works: true,
    });
  });

  it("10 refuses a Redis that loses data, with its mend; allowed, doctor goes on telling", async () => {
    const lossy = { ...storage, url: volatile.url };
    write("redis.json", { storage: lossy });
    expect((await run(10, ["-c", "redis.json", "storage", "provision"])).stderr).toContain("appendonly yes");
    const check = ["-c", "redis.json", "serve", "--check", "--port", "0", "--base-url", "http://127.0.0.1:1"];
    await run(10, check);
    expect((await run(0, [...check, "--allow-volatile-redis", "--json"])).json().data.warnings).toContain(
      "storage.allowVolatile is true: acknowledged writes may be lost when Redis stops.",
    );
    write("redis.json", { storage: { ...lossy, allowVolatile: true } });
    await run(0, ["-c", "redis.json", "storage", "provision"]);
    const checks = checksOf((await run(11, ["-c", "redis.json", "doctor", "--json"])).stdout);
    expect(checks).toContainEqual(
      expect.objectContaining({ id: "storage.redis.persistence", status: "warn" }),
    );
    expect(checks).toContainEqual(expect.objectContaining({ id: "storage.redis.eviction", status: "fail" }));
  });
});

describe("on S3", () => {
  let double: S3Double;
  let storage: StoreConfig & { driver: "s3" };
  beforeEach(async () => {
    double = await startS3Double();
    const { accessKeyId, secretAccessKey, region } = double.signer;
    const bucket = "new-bucket";
    storage = { driver: "s3", endpoint: double.endpoint, bucket, accessKeyId, secretAccessKey, region };
    write("s3.json", { storage });
  });
  afterEach(() => double.close());

  it("10 without its bucket, 0 provision makes it, twice the same, and commands work", async () => {
    expect((await run(10, ["-c", "s3.json", "customers", "list"])).stderr).toContain(
      "the bucket does not exist",
    );
    const made = await run(0, ["-c", "s3.json", "storage", "provision", "--json"]);
    expect(made.json().data).toMatchObject({ driver: "s3", made: ["the bucket new-bucket"], works: true });
    expect((await run(0, ["-c", "s3.json", "storage", "provision", "--json"])).json().data).toMatchObject({
      made: [],
      works: true,
    });
    await run(0, ["-c", "s3.json", ...create("ada@shop.test")]);
    expect((await run(0, ["-c", "s3.json", "customers", "list"])).rows()).toHaveLength(1);
    write("wrong.json", { storage: { ...storage, secretAccessKey: "wrong" } });
    const wrong = await run(10, ["-c", "wrong.json", "storage", "provision"]);
    expect(wrong.stderr).toContain("invalid access key id or secret access key");
  });

  it("0 says that limits hold for one node, and moves there and back", async () => {
    // Named as a target, where the environment says another driver.
    const env = { PLATFORM_STORAGE_DRIVER: "fs" };
    const made = await sandbox.run(["storage", "provision", "--to", "s3.json", "--json"], { env });
    expect(made.json().data).toMatchObject({ driver: "s3", made: ["the bucket new-bucket"], works: true });
    await run(0, create("ada@shop.test"));
    const content = await contentOf({ driver: "fs", base: join(sandbox.dir, "data") });
    await run(0, ["storage", "migrate", "--to", "s3.json", "--confirm", "new-bucket"]);
    expect(await contentOf(storage)).toEqual(content);
    const checks = checksOf((await run(0, ["-c", "s3.json", "doctor", "--json"])).stdout);
    expect(checks).toContainEqual(
      expect.objectContaining({
        id: "storage.driver",
        status: "warn",
        detail: expect.stringContaining("in memory, exact for one node only"),
        fix: expect.stringContaining("limits.url"),
      }),
    );
    expect(checks).toContainEqual(expect.objectContaining({ id: "storage.s3.clock", status: "ok" }));
    await run(0, [
      "-c",
      "s3.json",
      "storage",
      "migrate",
      "--to",
      "fs:./back",
      "--settle",
      "0",
      "--confirm",
      "back",
    ]);
    expect(await contentOf({ driver: "fs", base: join(sandbox.dir, "back") })).toEqual(content);
  });

  it.skipIf(!hasRedis)("0 counts limits in Redis where limits.url says so", async () => {
    const redis = await startRedis();
    try {
      await run(0, ["-c", "s3.json", "storage", "provision"]);
      write("s3.json", { storage, limits: { url: redis.url } });
      const checks = checksOf((await run(0, ["-c", "s3.json", "doctor", "--json"])).stdout);
      expect(checks).toContainEqual(
        expect.objectContaining({
          id: "storage.driver",
          status: "ok",
          detail: expect.stringContaining("exact across all nodes"),
        }),
      );
      expect(checks).toContainEqual(expect.objectContaining({ id: "limits.redis.eviction", status: "ok" }));
      await redis.signal("SIGKILL");
      expect((await run(10, ["-c", "s3.json", "customers", "list"])).code).toBe(10);
    } finally {
      await redis.stop();
    }
  });
});
