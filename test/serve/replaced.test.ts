import { execFile } from "node:child_process";
import { cp, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterEach, describe, expect, it } from "vitest";

import { hasRedis, startRedis } from "../support/redis.ts";
import { startChild } from "./child.ts";
import { makeShop, startNode } from "./nodes.ts";
import { createCleanup, eventually, freePort, makeFolder } from "./outside.ts";

const cleanup = createCleanup();
afterEach(() => cleanup.run(), 60_000);

const COMMAND = new URL("../../dist/bin/platform.js", import.meta.url).pathname;
const run = promisify(execFile);

const SIGNUP = { email: "eve@shop.example", storeIdentifier: "eve" };

describe.skipIf(!hasRedis)("a Redis that was emptied under a running node", () => {
  it("is not served: no key is called invalid, no signup accepted, until an operator adopts it", async () => {
    const redis = await startRedis();
    cleanup.add(() => redis.stop());
    const config = { server: { port: await freePort() }, storage: { driver: "redis", url: redis.url } };
    const node = await startNode(cleanup, config);
    const { key } = await makeShop(node, "ada");
    const read = () => node.call(key, "GET", "/v1/delivery/zones");
    const signup = () => node.call("", "POST", "/api/platform/signup", { body: SIGNUP });
    expect((await read()).status).toBe(200);

    redis.cli("FLUSHALL");
    const answers = await Promise.all([read(), read(), signup(), node.call("", "GET", "/readyz")]);
    for (const { status, json } of answers)
      expect([status, json.error.code]).toEqual([503, "storage_replaced"]);
    expect((await node.call("", "GET", "/healthz")).json.storage.state).toBe("failing");
    expect(redis.cli("KEYS", "*:d:platform.customers").trim()).toBe("");

    // A node that starts in the same folder makes a new store there, and does not serve it either.
    const again = await run(process.execPath, [COMMAND, "serve"], { cwd: node.dir }).catch((error) => error);
    expect(again.code).toBe(10);
    expect(again.stderr).toContain("platform storage adopt");
    expect((await read()).json.error.code).toBe("storage_replaced");

    await run(process.execPath, [COMMAND, "storage", "adopt", "--yes"], { cwd: node.dir });
    // The first call finds out, and the node opens the new store.
    await eventually(async () => (await read().catch(() => null))?.status === 401);
    await eventually(async () => (await signup().catch(() => null))?.status === 201);
    node.process.kill("SIGTERM");
    expect(await node.exited).toBe(0);
  }, 60_000);

  it("is served again when what it held is back", async () => {
    const redis = await startRedis();
    cleanup.add(() => redis.stop());
    const node = await startNode(cleanup, { storage: { driver: "redis", url: redis.url } });
    const { key } = await makeShop(node, "ada");
    const identity = redis.cli("GET", "platform:identity").trim();
    redis.cli("SET", "platform:identity", "another");
    expect((await node.call(key, "GET", "/v1/delivery/zones")).status).toBe(503);
    redis.cli("SET", "platform:identity", identity);
    await eventually(async () => (await node.call(key, "GET", "/v1/delivery/zones")).status === 200);
  }, 60_000);
});

describe("a data folder that was replaced under a running server", () => {
  it("is not served, nor at the next start", async () => {
    const dir = await makeFolder(cleanup);
    const env = { PLATFORM_ADMIN_TOKEN: "operator-token-of-this-test" };
    const child = await startChild(cleanup, dir, env);
    const call = (path: string) =>
      fetch(`${child.url}/api/platform/admin${path}`, {
        headers: { authorization: `Bearer ${env.PLATFORM_ADMIN_TOKEN}` },
      });
    expect((await call("/customers")).status).toBe(200);
    await rename(join(dir, "data"), join(dir, "old"));
    // Another store comes in its place.
    await mkdir(join(dir, "other"));
    const other = await startChild(cleanup, join(dir, "other"), env);
    other.kill("SIGTERM");
    await other.exited;
    await cp(join(dir, "other", "data"), join(dir, "data"), { recursive: true });

    await eventually(async () => (await call("/customers")).status === 503);
    expect((await (await call("/customers")).json()).error.code).toBe("storage_replaced");
    child.kill("SIGTERM");
    await child.exited;

    const options = { cwd: dir, env: { ...process.env, ...env, PLATFORM_MAIL_TRANSPORT: "console" } };
    await writeFile(join(dir, "platform.config.json"), JSON.stringify({ baseUrl: "http://127.0.0.1" }));
    const serve = () => run(process.execPath, [COMMAND, "serve", "--check", "--port", "0"], options);
    await expect(serve()).rejects.toMatchObject({ code: 10 });
    await run(process.execPath, [COMMAND, "storage", "adopt", "--yes"], options);
    await serve();
    await rm(join(dir, "data"), { recursive: true });
    await rename(join(dir, "old"), join(dir, "data"));
    // The old one is now the other one.
    await expect(serve()).rejects.toMatchObject({ code: 10 });
  }, 60_000);
});
