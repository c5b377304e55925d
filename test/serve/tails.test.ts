import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";

import { Redis } from "ioredis";
import { afterAll, describe, expect, it } from "vitest";

import { hasRedis, startRedis, startRedisCluster } from "../support/redis.ts";
import { startS3Double, TEST_SIGNER } from "../support/s3-double.ts";
import { childrenOf, makeShop, startNode } from "./nodes.ts";
import type { Node } from "./nodes.ts";
import { createCleanup, eventually } from "./rig.ts";

const COMMAND = new URL("../../dist/bin/platform.js", import.meta.url).pathname;
const PATH = "/v1/delivery/zones";

interface Line {
  readonly type: string;
  readonly [name: string]: unknown;
}

const cleanup = createCleanup();
afterAll(() => cleanup.run(), 60_000);

/** `platform … tail --json` in the folder of a node, as an operator runs it. */
async function tail(node: Node, command: "limits" | "logs", args: readonly string[] = [], nodes = 1) {
  const child: ChildProcess = spawn(process.execPath, [COMMAND, command, "tail", "--json", ...args], {
    cwd: node.dir,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"] },
  });
  cleanup.add(() => void child.kill("SIGKILL"));
  const lines: Line[] = [];
  let talk = "";
  if (child.stdout === null) throw new Error("no output");
  createInterface({ input: child.stdout }).on("line", (line) => void lines.push(JSON.parse(line)));
  child.stderr?.on("data", (chunk: Buffer) => void (talk += chunk.toString()));
  await eventually(() => talk.includes(nodes === 1 ? "Watching" : `Following ${nodes} nodes: `));
  return {
    lines,
    talk: () => talk,
    /** The lines of a type, once there are so many of them. */
    async of(type: string, count: number): Promise<Line[]> {
      const found = (): Line[] => lines.filter((line) => line.type === type);
      await eventually(() => found().length >= count);
      return found();
    },
    stop: () => void child.kill("SIGINT"),
  };
}

const nodesOf = (lines: readonly Line[]): number => new Set(lines.map(({ node }) => node)).size;

/** Calls each node in turn and resolves to what was left of the limit each time. */
async function callInTurn(nodes: readonly Node[], key: string, count: number): Promise<number[]> {
  const remaining: number[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    const answer = await nodes[turn % nodes.length]?.call(key, "GET", PATH);
    remaining.push(answer?.json.meta.rate_limit.remaining);
  }
  return remaining;
}

/** Tails on both nodes show the requests to both, in the order in which they were made. */
async function expectWhole(nodes: readonly [Node, Node], name: string): Promise<void> {
  const { key, keyId } = await makeShop(nodes[0], name);
  const tails = await Promise.all(nodes.map((node) => tail(node, "limits", ["--key", keyId], 2)));
  const logs = await tail(nodes[1], "logs", ["--key", keyId], 2);
  const remaining = await callInTurn(nodes, key, 12);
  for (const { of, stop } of tails) {
    const updates = await of("update", 12);
    expect(updates.map((line) => line["remaining"])).toEqual(remaining);
    expect(nodesOf(updates)).toBe(2);
    stop();
  }
  const requests = await logs.of("request", 12);
  expect(nodesOf(requests)).toBe(2);
  const times = requests.map(({ at }) => String(at));
  expect(times).toEqual(times.toSorted());
  logs.stop();
}

describe.skipIf(!hasRedis)("tails of all nodes", () => {
  it("follow two nodes on one Redis, with secrets and other stores kept apart", async () => {
    const redis = await startRedis();
    cleanup.add(() => redis.stop());
    const storage = { driver: "redis", url: redis.url, prefix: "shop:" };
    const nodes = [await startNode(cleanup, { storage }), await startNode(cleanup, { storage })] as const;
    // A second store in the same Redis, with the same prefix in another database: its events are its own.
    const apart = await startNode(cleanup, { storage: { ...storage, url: `${redis.url}/1` } });
    const heard: { channel: string; text: string }[] = [];
    const spy = new Redis(redis.url);
    cleanup.add(() => spy.disconnect());
    spy.on("pmessage", (_pattern, channel: string, text: string) => void heard.push({ channel, text }));
    await spy.psubscribe("*");

    await expectWhole(nodes, "pair");
    const elsewhere = await makeShop(apart, "apart");
    const alone = await tail(apart, "limits", ["--key", elsewhere.keyId]);
    expect(alone.talk()).not.toContain("Following");
    await callInTurn([apart], elsewhere.key, 2);
    expect(await alone.of("update", 2)).toHaveLength(2);
    expect(heard.length).toBeGreaterThan(12);
    expect(heard.filter(({ channel }) => !channel.startsWith("shop:live:"))).toEqual([]);
    expect(heard.filter(({ text }) => /plat_[a-z]+_/.test(text))).toEqual([]);

    const { key, keyId } = await makeShop(nodes[0], "counted");
    await Promise.all(
      Array.from({ length: 90 }, (_, turn) => nodes[turn % 2 === 0 ? 0 : 1].call(key, "GET", PATH)),
    );
    for (const node of nodes) {
      const shown = await node.admin("GET", `/limits/${keyId}`);
      expect(shown.json.data).toMatchObject({ used: 60, rejected: 30 });
    }
  }, 60_000);

  it("report a node that is killed, one that ends, and one that joins", async () => {
    const redis = await startRedis();
    cleanup.add(() => redis.stop());
    const config = { storage: { driver: "redis", url: redis.url } };
    const watching = await startNode(cleanup, config);
    const killed = await startNode(cleanup, config);
    const ended = await startNode(cleanup, config);
    const { key, keyId } = await makeShop(watching, "dying");
    const { of, lines } = await tail(watching, "limits", ["--key", keyId], 3);
    await callInTurn([killed, ended], key, 2);
    expect(nodesOf(await of("update", 2))).toBe(2);
    killed.process.kill("SIGKILL");
    ended.process.kill("SIGTERM");
    const notes = await of("node", 2);
    const joined = await startNode(cleanup, config);
    await eventually(() => lines.some(({ state }) => state === "joined"));
    await callInTurn([joined], key, 1);
    const nameOf = (node: Node): string => expect.stringMatching(new RegExp(`:${node.process.pid}$`));
    expect(notes).toContainEqual(expect.objectContaining({ state: "silent", node: nameOf(killed) }));
    expect(notes).toContainEqual(expect.objectContaining({ state: "left", node: nameOf(ended) }));
    expect((await of("update", 3))[2]).toMatchObject({ node: nameOf(joined) });
    // It is still among the nodes of the store, so who begins to watch now is told.
    const later = await tail(watching, "logs");
    expect(await later.of("node", 1)).toMatchObject([{ state: "silent", node: nameOf(killed) }]);
  }, 60_000);

  it("follow all workers of one machine, also one that replaces another", async () => {
    const redis = await startRedis();
    cleanup.add(() => redis.stop());
    const plans = [{ id: "free", requestsPerMinute: 30_000, activeKeys: 10 }];
    const config = { storage: { driver: "redis", url: redis.url }, plans };
    const node = await startNode(cleanup, config, ["--workers", "2"]);
    const { key, keyId } = await makeShop(node, "workers");
    const { lines, stop } = await tail(node, "limits", ["--key", keyId], 2);
    const seen = (): Line[] => lines.filter(({ type }) => type === "update");
    // Each call is a connection of its own, which either worker may take.
    const callUntil = (count: number) =>
      eventually(async () => {
        await node.call(key, "GET", PATH);
        return nodesOf(seen()) >= count;
      });
    await callUntil(2);
    const remaining = seen().map((line) => Number(line["remaining"]));
    expect(remaining).toEqual(remaining.toSorted((one, other) => other - one));
    // The tail itself is lost where it is one of that worker's: then it comes back at the other one.
    process.kill(childrenOf(node.process.pid ?? 0)[0] ?? 0, "SIGKILL");
    await eventually(() => node.log().includes("exited by SIGKILL"));
    await callUntil(3);
    stop();
  }, 60_000);

  it("follow two nodes on a bucket, through the Redis that counts their limits", async () => {
    const [double, redis] = await Promise.all([startS3Double(), startRedis()]);
    cleanup.add(() => double.close());
    cleanup.add(() => redis.stop());
    const storage = { driver: "s3", endpoint: double.endpoint, bucket: double.bucket, ...TEST_SIGNER };
    const config = { storage, limits: { url: redis.url } };
    await expectWhole([await startNode(cleanup, config), await startNode(cleanup, config)], "bucket");
  }, 60_000);

  it("follow two nodes on a Redis Cluster", async () => {
    const cluster = await startRedisCluster();
    cleanup.add(() => cluster.stop());
    const config = { storage: { driver: "redis", nodes: cluster.urls } };
    await expectWhole([await startNode(cleanup, config), await startNode(cleanup, config)], "cluster");
  }, 60_000);
});
