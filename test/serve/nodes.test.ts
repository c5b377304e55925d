import { existsSync } from "node:fs";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { systemClock } from "../../server/core/clock.ts";
import type { Clock } from "../../server/core/clock.ts";
import { startServer } from "../../server/serve.ts";
import { hasRedis, startRedis } from "../support/redis.ts";
import { childrenOf, COMMAND, makeShop, startNode } from "./nodes.ts";
import type { Node } from "./nodes.ts";
import {
  captureLog,
  createCleanup,
  eventually,
  freePort,
  load,
  makeFolder,
  openWire,
  parseAnswer,
  serve,
} from "./rig.ts";

const LIMIT = 600;
const plans = [{ id: "free", requestsPerMinute: LIMIT, activeKeys: 100 }];

// Real processes on a real Redis, as an operator runs them behind a load balancer.
describe.skipIf(!hasRedis)("two nodes on one Redis", () => {
  const cleanup = createCleanup();
  let nodes: readonly [Node, Node];
  let made = 0;
  const name = (): string => `shop-${(made += 1)}`;

  beforeAll(async () => {
    const redis = await startRedis();
    cleanup.add(() => redis.stop());
    const config = { storage: { driver: "redis", url: redis.url }, plans };
    nodes = [await startNode(cleanup, config), await startNode(cleanup, config)];
  }, 60_000);
  afterAll(() => cleanup.run(), 60_000);

  it("let exactly as many requests through as the plan says, and count down without a repeat", async () => {
    for (let round = 0; round < 3; round += 1) {
      const { key } = await makeShop(nodes[0], name());
      const answers = await Promise.all(
        Array.from({ length: LIMIT * 2 }, (_, index) =>
          nodes[index % 2 === 0 ? 0 : 1].call(key, "GET", "/v1/delivery/zones"),
        ),
      );
      const passed = answers.filter(({ status }) => status === 200);
      expect(answers.filter(({ status }) => status >= 500).map(({ json }) => json)).toEqual([]);
      expect(passed).toHaveLength(LIMIT);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(LIMIT);
      const remaining = passed.map(({ json }) => json.meta.rate_limit.remaining);
      expect(new Set(remaining).size).toBe(LIMIT);
    }
  }, 60_000);

  it("refuse a key from the next request on, wherever it was revoked", async () => {
    for (let round = 0; round < 20; round += 1) {
      const [here, there] = round % 2 === 0 ? nodes : [nodes[1], nodes[0]];
      const { key, keyId } = await makeShop(here, name());
      expect((await there.call(key, "GET", "/v1/delivery/zones")).status).toBe(200);
      expect((await here.admin("POST", `/keys/${keyId}/revoke`, { reason: "test" })).status).toBe(200);
      expect((await there.call(key, "GET", "/v1/delivery/zones")).status).toBe(401);
    }
  });

  it("apply a suspension on the next request of the other", async () => {
    const { key, customerId } = await makeShop(nodes[0], name());
    expect((await nodes[1].call(key, "GET", "/v1/delivery/zones")).status).toBe(200);
    await nodes[0].admin("POST", `/customers/${customerId}/suspend`);
    expect((await nodes[1].call(key, "GET", "/v1/delivery/zones")).status).toBe(401);
    await nodes[1].admin("POST", `/customers/${customerId}/resume`);
    expect((await nodes[0].call(key, "GET", "/v1/delivery/zones")).status).toBe(200);
  });

  it("carry out a request once that reaches both with one Idempotency-Key", async () => {
    const { key } = await makeShop(nodes[0], name());
    for (let round = 0; round < 10; round += 1) {
      const call = {
        body: { name: `zone ${round}`, fee_tiers: [{ from: 0, fee: 395 }] },
        headers: { "idempotency-key": `once-${round}` },
      };
      const post = (node: Node) => node.call(key, "POST", "/v1/delivery/zones", call);
      const answers = await Promise.all([post(nodes[0]), post(nodes[1])]);
      for (const { status } of answers) expect([201, 409]).toContain(status);
      const again = await post(nodes[1]);
      expect(again.status).toBe(201);
      const ids = answers.filter(({ status }) => status === 201).map(({ json }) => json.data.id);
      expect(new Set([...ids, again.json.data.id]).size).toBe(1);
    }
    const { json } = await nodes[0].call(key, "GET", "/v1/delivery/zones?limit=100");
    expect(json.data).toHaveLength(10);
  });

  it("issue the key of a verification link once", async () => {
    for (let round = 0; round < 10; round += 1) {
      const shop = name();
      const body = { email: `${shop}@shop.example`, storeIdentifier: shop, mail: false };
      const { json } = await nodes[0].admin("POST", "/customers", body);
      const path = new URL(json.data.verification_url).pathname + new URL(json.data.verification_url).search;
      const answers = await Promise.all(nodes.map(({ url }) => fetch(url + path, { method: "POST" })));
      const texts = await Promise.all(answers.map((answer) => answer.text()));
      expect(texts.filter((text) => /plat_live_/.test(text))).toHaveLength(1);
    }
  });

  it("never hold more of a slot than it has", async () => {
    const { key } = await makeShop(nodes[0], name());
    const zone = await nodes[0].call(key, "POST", "/v1/delivery/zones", {
      body: { name: "Centre", patterns: ["SW1"], fee_tiers: [{ from: 0, fee: 0 }] },
    });
    const window = {
      name: "Evening",
      zone_ids: [zone.json.data.id],
      days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
      start: "18:00",
      end: "20:00",
      capacity: 10,
    };
    const made = await nodes[1].call(key, "POST", "/v1/delivery/slot-windows", { body: window });
    expect(made.status).toBe(201);
    const slots = await nodes[0].call(key, "GET", `/v1/delivery/slots?zone_id=${zone.json.data.id}`);
    const slot = slots.json.data.find(({ status }: { status: string }) => status === "open");
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        nodes[index % 2 === 0 ? 0 : 1].call(key, "POST", "/v1/delivery/holds", {
          body: { slot_id: slot.id },
          headers: { "idempotency-key": `hold-${index}` },
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    const seen = await nodes[1].call(key, "GET", `/v1/delivery/slots?zone_id=${zone.json.data.id}`);
    expect(seen.json.data.find(({ id }: { id: string }) => id === slot.id).remaining).toBe(0);
  }, 60_000);

  it("know of each other", async () => {
    const { json } = await nodes[0].admin("GET", "/doctor");
    expect(JSON.stringify(json)).not.toContain("fail");
  });
});

describe.skipIf(!hasRedis)("serve --workers", () => {
  const cleanup = createCleanup();
  afterAll(() => cleanup.run(), 60_000);

  it("shares a port, replaces a worker that was killed, and ends in order", async () => {
    const redis = await startRedis();
    cleanup.add(() => redis.stop());
    const observability = { metrics: true, metricsToken: METRICS_TOKEN };
    const settings = { storage: { driver: "redis", url: redis.url }, plans, observability };
    const node = await startNode(cleanup, settings, ["--workers", "2"]);
    const { key } = await makeShop(node, "workers");
    const answers = await Promise.all(
      Array.from({ length: LIMIT + 50 }, () => node.call(key, "GET", "/v1/delivery/zones")),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(LIMIT);
    const workers = () => redis.cli("zrange", "platform:{storage}:i:nodes", "0", "-1").split("\n");
    expect(workers()).toHaveLength(2);

    // Whichever of them is scraped, and both are: each scrape is a connection of its own.
    const scrapes = [];
    for (let turn = 0; turn < 6; turn += 1) scrapes.push(await scrape(node));
    expect(scrapes.map(({ listed }) => listed)).toEqual(scrapes.map(() => LIMIT + 50));
    expect(scrapes.map(({ up }) => up)).toEqual(scrapes.map(() => ({ 1: 1, 2: 1 })));
    expect(new Set(scrapes.map(({ scraping }) => scraping))).toEqual(new Set(["1", "2"]));

    const pids = childrenOf(node.process.pid ?? 0);
    expect(pids).toHaveLength(2);
    // One that is stuck is left out and told; a scrape that it got itself waits for it.
    process.kill(pids[0] ?? 0, "SIGSTOP");
    const { up } = await Promise.any([scrape(node), scrape(node)]);
    expect(new Set(Object.values(up))).toEqual(new Set([0, 1]));
    process.kill(pids[0] ?? 0, "SIGKILL");
    await eventually(() => node.log().includes("exited by SIGKILL"));
    await eventually(async () => {
      const now = childrenOf(node.process.pid ?? 0);
      return now.length === 2 && (await fetch(`${node.url}/readyz`)).ok;
    });
    await eventually(async () => (await scrape(node)).up[2] === 1 && (await scrape(node)).up[1] === 1);
    expect((await scrape(node)).listed).toBeLessThan(LIMIT + 50);
    const { key: next } = await makeShop(node, "after");
    expect((await node.call(next, "GET", "/v1/delivery/zones")).status).toBe(200);

    node.process.kill("SIGTERM");
    expect(await node.exited).toBe(0);
  }, 60_000);

  it("answers what runs when all of its processes get the signal of a terminal", async () => {
    const redis = await startRedis();
    cleanup.add(() => redis.stop());
    const settings = { storage: { driver: "redis", url: redis.url }, server: { port: 0, drainSeconds: 600 } };
    const node = await startNode(cleanup, settings, ["--workers", "2"]);
    const pids = childrenOf(node.process.pid ?? 0);
    const body = JSON.stringify({ email: "ada@shop.example", storeIdentifier: "shop" });
    const slow = await openWire(cleanup, node.url);
    slow.send("POST /api/platform/signup HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n");
    slow.send(`Content-Length: ${body.length}\r\n\r\n${body.slice(0, 9)}`);
    await eventually(async () => (await fetch(`${node.url}/readyz`)).ok);
    for (const pid of [node.process.pid ?? 0, ...pids]) process.kill(pid, "SIGINT");
    // The one without a request ends.
    await eventually(() => childrenOf(node.process.pid ?? 0).length < 2);
    slow.send(body.slice(9));
    const answer = parseAnswer(await slow.closed);
    expect([answer.status, answer.headers.get("connection")]).toEqual([201, "close"]);
    expect(await node.exited).toBe(0);
  }, 60_000);

  it("is checked without a word to the server of its folder, whose commands find it as before", async () => {
    const redis = await startRedis();
    cleanup.add(() => redis.stop());
    const node = await startNode(cleanup, { storage: { driver: "redis", url: redis.url }, plans });
    const runFile = join(node.dir, ".platform", "run.json");
    const before = await readFile(runFile, "utf8");
    const check = [COMMAND, "serve", "--check", "--port", "0"];
    await promisify(execFile)(process.execPath, check, { cwd: node.dir, env: { PATH: process.env["PATH"] } });
    expect(await readFile(runFile, "utf8")).toBe(before);
  }, 60_000);

  it("answers /healthz only when the run file is written", async () => {
    const redis = await startRedis();
    cleanup.add(() => redis.stop());
    const [port, dir] = [await freePort(), await makeFolder(cleanup)];
    const settings = { storage: { driver: "redis", url: redis.url }, server: { port } };
    const started = startNode(cleanup, settings, ["--workers", "2"], dir);
    const health = async () => (await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => null))?.status;
    await eventually(async () => (await health()) === 200);
    expect(existsSync(join(dir, ".platform", "run.json"))).toBe(true);
    await started;
  }, 60_000);

  it("serves from Redis although its own folder cannot be written to, and says so", async () => {
    const redis = await startRedis();
    cleanup.add(() => redis.stop());
    const dir = await makeFolder(cleanup);
    await writeFile(join(dir, ".platform"), "in the way");
    const loaded = await load(dir, { "storage.driver": "redis", "storage.url": redis.url });
    const server = await startServer({ loaded, dev: true, log: captureLog() });
    cleanup.add(() => server.stop("test"));
    expect(server.warnings.join()).toContain("will not find the server");
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  });

  it("is refused on a folder, which belongs to one process", async () => {
    const started = startNode(cleanup, { storage: { driver: "fs", base: "./data" }, plans }, [
      "--workers",
      "2",
    ]);
    await expect(started).rejects.toThrow(/"fs" supports one process/);
  });
});

const METRICS_TOKEN = "metrics-token-of-this-test";

/** What one scrape says: lists answered by all workers, those that are up, and the one that answers the scrape itself. */
async function scrape({ url }: Node) {
  const answer = await fetch(`${url}/metrics`, {
    headers: { authorization: `Bearer ${METRICS_TOKEN}`, connection: "close" },
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(text);
  const samples = [...text.matchAll(/^(\w+)\{worker="(\d+)"(.*)\} (\S+)$/gm)].map(
    ([, name = "", worker = "", labels = "", value = ""]) => ({ name, worker, labels, value: Number(value) }),
  );
  const of = (name: string) => samples.filter((sample) => sample.name === name);
  const listed = of("http_server_request_duration_seconds_count")
    .filter(({ labels }) => labels.includes('http_route="/v1/delivery/zones"'))
    .reduce((sum, { value }) => sum + value, 0);
  const up: Record<string, number> = Object.fromEntries(
    of("platform_worker_up").map(({ worker, value }) => [worker, value]),
  );
  const scraping = of("http_server_active_requests").find(({ value }) => value === 1)?.worker;
  return { listed, up, scraping };
}

describe.skipIf(!hasRedis)("a node whose clock is not that of its Redis", () => {
  const cleanup = createCleanup();
  afterAll(() => cleanup.run(), 60_000);
  const ahead = (ms: number): Clock => ({ now: () => systemClock.now() + ms });

  it("warns of seconds, and does not serve when it is so far off that holds end on one node and not on another", async () => {
    const redis = await startRedis();
    cleanup.add(() => redis.stop());
    const settings = { "storage.driver": "redis", "storage.url": redis.url };
    for (const ms of [3_600_000, -3_600_000])
      await expect(serve(cleanup, settings, { clock: ahead(ms) })).rejects.toMatchObject({
        code: "INVALID",
        message: expect.stringMatching(
          /clock difference to this machine: 3(600|599)\.\d s\. Synchronise the clocks/,
        ),
      });
    const near = await serve(cleanup, settings, { clock: ahead(10_000) });
    expect(near.warnings.join()).toContain("clock difference to this machine");
    const right = await serve(cleanup, settings);
    expect(right.warnings.join()).not.toContain("clock");
  });
});
