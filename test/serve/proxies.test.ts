import { spawn, spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

import { afterEach, describe, expect, it } from "vitest";

import { hasRedis, startRedis } from "../support/redis.ts";
import { makeShop, startNode } from "./nodes.ts";
import type { Node } from "./nodes.ts";
import { createCleanup, eventually, freePort, makeFolder } from "./outside.ts";
import type { Cleanup } from "./outside.ts";

const cleanup = createCleanup();
afterEach(() => cleanup.run(), 60_000);

const has = (command: string): boolean => spawnSync(command, ["-v"]).error === undefined;
const hasAll = hasRedis && has("nginx") && has("haproxy");
if (!hasAll && process.env["PLATFORM_TEST_REQUIRE"] === "1")
  throw new Error("redis-server, nginx and haproxy are required");

const RESTARTS = Number(process.env["PLATFORM_TEST_RESTARTS"] ?? 20);
const CLIENTS = 12;

describe.skipIf(!hasAll)("two nodes behind nginx and HAProxy, as templates/hosting has them", () => {
  it(
    "lose no request in rolling restarts under load",
    async () => {
      const redis = await startRedis();
      cleanup.add(() => redis.stop());
      const ports = [await freePort(), await freePort()];
      const start = (port: number): Promise<Node> =>
        startNode(cleanup, {
          server: { port, trustedProxies: ["127.0.0.1"], lameDuckSeconds: 1 },
          storage: { driver: "redis", url: redis.url },
          plans: [{ id: "free", requestsPerMinute: 1_000_000 }],
        });
      const nodes = await Promise.all(ports.map(start));
      const proxies = [await startNginx(cleanup, ports), await startHaproxy(cleanup, ports)];

      // A shop each: writers of one shop may get 409 from each other.
      const shops = await Promise.all(
        Array.from({ length: CLIENTS }, (_, index) => makeShop(nodes[0]!, `rolling-${index}`)),
      );
      const load = createLoad();
      const clients = shops.map(({ key }, index) => load.run(key, proxies[index % 2]!));
      await eventually(() => load.answered() > 200);
      for (let round = 0; round < RESTARTS; round += 1) {
        const index = round % 2;
        nodes[index]!.process.kill("SIGTERM");
        expect(await nodes[index]!.exited).toBe(0);
        nodes[index] = await start(ports[index]!);
        // The run file is written when the node serves; HAProxy's next check takes it back.
        await sleep(300);
      }
      load.stop();
      await Promise.all(clients);

      expect(load.failures).toEqual([]);
      expect(load.answered()).toBeGreaterThan(RESTARTS * 50);
      // Every zone was deleted by the client that created it: one left over would be a POST that was carried out twice.
      const left = await Promise.all(
        shops.map(({ key }) => nodes[0]!.call(key, "GET", "/v1/delivery/zones")),
      );
      expect(left.flatMap(({ json }) => json.data)).toEqual([]);
    },
    RESTARTS * 30_000 + 60_000,
  );
});

interface Client {
  readonly agent: Agent;
  readonly key: string;
}

/** Clients with kept-alive connections: of three requests one reads, one creates and one deletes. */
function createLoad() {
  const failures: string[] = [];
  let answered = 0;
  const stopping = new AbortController();

  async function send({ agent, key }: Client, method: string, url: string, body?: string) {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const outgoing = request(url, { method, agent, headers });
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once("response", resolve).once("error", reject);
      outgoing.end(body);
    });
    return { status: incoming.statusCode ?? 0, body: await text(incoming) };
  }
  async function expectStatus(wanted: number, ...call: Parameters<typeof send>): Promise<string> {
    try {
      const answer = await send(...call);
      answered += 1;
      if (answer.status === wanted) return answer.body;
      failures.push(`${call[1]} ${call[2]}: ${answer.status} ${answer.body.slice(0, 300)}`);
    } catch (error) {
      failures.push(`${call[1]} ${call[2]}: ${String(error)}`);
    }
    return "";
  }
  return {
    failures,
    answered: () => answered,
    stop: () => stopping.abort(),
    async run(key: string, proxy: string): Promise<void> {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const client = { agent, key };
      const zones = `${proxy}/v1/delivery/zones`;
      while (!stopping.signal.aborted) {
        const created = await expectStatus(201, client, "POST", zones, ZONE);
        await expectStatus(200, client, "GET", `${zones}?limit=1`);
        const id = /"id":"([^"]+)"/.exec(created)?.[1];
        if (id !== undefined) await expectStatus(204, client, "DELETE", `${zones}/${id}`);
        await sleep(10);
      }
      agent.destroy();
    },
  };
}

const ZONE = JSON.stringify({ name: "Centre", fee_tiers: [{ from: 0, fee: 395 }] });

async function startNginx(on: Cleanup, ports: readonly number[]): Promise<string> {
  const dir = await makeFolder(on);
  const port = await freePort();
  const site = withPorts(await template("nginx.conf"), ports)
    .replace("listen 443 ssl;", `listen 127.0.0.1:${port};`)
    // The same part of the lame duck second here as of the five in production.
    .replace("keepalive_timeout 3s", "keepalive_timeout 600ms")
    .replaceAll(/^ +ssl_certificate.*$/gm, "");
  const temp = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${dir};`,
  );
  const config = `daemon off; pid ${dir}/pid; error_log ${dir}/error.log; worker_processes 2;
    events {} http { access_log off; ${temp.join(" ")}\n${site} }`;
  await writeFile(join(dir, "nginx.conf"), config);
  return startProxy(on, port, ["nginx", "-p", dir, "-c", join(dir, "nginx.conf")]);
}

async function startHaproxy(on: Cleanup, ports: readonly number[]): Promise<string> {
  const dir = await makeFolder(on);
  const port = await freePort();
  const config = withPorts(await template("haproxy.cfg"), ports)
    .replace(/bind :443 ssl.*/, `bind 127.0.0.1:${port}`)
    // As many checks in the lame duck second here as in the five of production.
    .replace("inter 1s", "inter 200ms");
  await writeFile(join(dir, "haproxy.cfg"), config);
  return startProxy(on, port, ["haproxy", "-db", "-f", join(dir, "haproxy.cfg")]);
}

async function startProxy(on: Cleanup, port: number, [command = "", ...args]: string[]): Promise<string> {
  const child = spawn(command, args, { stdio: "ignore" });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  on.add(async () => {
    child.kill("SIGTERM");
    await exited;
  });
  await eventually(() => canConnect(port));
  return `http://127.0.0.1:${port}`;
}

const template = (name: string): Promise<string> =>
  readFile(new URL(`../../templates/hosting/${name}`, import.meta.url), "utf8");

const withPorts = (config: string, [a, b]: readonly number[]): string =>
  config.replace("127.0.0.1:3000", `127.0.0.1:${a}`).replace("127.0.0.1:3001", `127.0.0.1:${b}`);

const canConnect = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket.destroy() !== undefined));
    socket.once("error", () => resolve(false));
  });
