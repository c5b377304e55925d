import { readFile } from "node:fs/promises";
import { connect } from "node:net";

import { afterEach, describe, expect, it } from "vitest";

import { lameDuckMs } from "../../server/serve/lame-duck.ts";
import {
  createCleanup,
  eventually,
  freePort,
  load,
  makeFolder,
  openWire,
  parseAnswer,
  serve,
} from "./rig.ts";
import type { Settings, Wire } from "./rig.ts";

// Wherever an end must not wait for the deadline, the deadline is far beyond the time-out of the test.
const cleanup = createCleanup();
afterEach(() => cleanup.run());

const FAR = { "server.drainSeconds": 600 };
const SIGNUP = JSON.stringify({ email: "ada@shop.example", storeIdentifier: "shop" });

function startSignup(wire: Wire): void {
  wire.send("POST /api/platform/signup HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n");
  wire.send(`Content-Length: ${SIGNUP.length}\r\n\r\n${SIGNUP.slice(0, 10)}`);
}

const get = (path: string, headers = ""): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

describe.each([
  ["HTTP", {}],
  ["HTTPS", { "server.https": true }],
] as [string, Settings][])("drain over %s", (_name, https) => {
  it("answers the request that runs, ends streams and idle connections, and then the server", async () => {
    const server = await serve(cleanup, { ...FAR, ...https });
    const [slow, stream, idle, late, silent] = await Promise.all(
      Array.from({ length: 5 }, () => openWire(cleanup, server.url)),
    );
    startSignup(slow!);
    stream!.send(get("/api/platform/admin/limits/stream", `Authorization: Bearer ${server.adminToken}\r\n`));
    await stream!.until(/event: ready/);
    idle!.send(get("/readyz"));
    await idle!.until(/"ready"/);
    late!.send(get("/readyz").slice(0, -2));
    await eventually(() => server.log.lines.some((line) => line.includes("pages.readyz")));

    let isStopped = false;
    const stopped = server.stop("test").then(() => {
      isStopped = true;
    });
    // The stream is ended in order, with the last chunk; the idle and the silent connection are simply closed.
    expect(await stream!.closed).toMatch(/0\r\n\r\n$/);
    await idle!.closed;
    await expect(fetch(server.url)).rejects.toThrow();
    late!.send("\r\n");
    const notReady = parseAnswer(await late!.closed);
    expect([notReady.status, notReady.headers.get("connection")]).toEqual([503, "close"]);
    expect(JSON.parse(notReady.body).error.type).toBe("service_unavailable");
    expect(isStopped).toBe(false);

    slow!.send(SIGNUP.slice(10));
    const answer = parseAnswer(await slow!.closed);
    expect([answer.status, answer.headers.get("connection")]).toEqual([201, "close"]);
    expect(JSON.parse(answer.body)).toMatchObject({ status: "pending" });
    await stopped;
    await silent!.closed;
    await server.closed;
  });

  it("cuts what still runs at the deadline, and says so", async () => {
    const server = await serve(cleanup, { "server.drainSeconds": 1, ...https });
    const slow = await openWire(cleanup, server.url);
    startSignup(slow);
    await eventually(() => slow.socket.bytesWritten > 0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await server.stop("test");
    expect(await slow.closed).toBe("");
    expect(server.log.lines.join("")).toContain('"requests":1');
  });
});

describe("drain", () => {
  it("does not wait for a connection in the middle of a TLS handshake", async () => {
    const server = await serve(cleanup, { ...FAR, "server.https": true });
    const { hostname: host, port } = new URL(server.url);
    const socket = connect({ host, port: Number(port) });
    cleanup.add(() => socket.destroy());
    const closed = new Promise((resolve) => socket.once("close", resolve));
    await new Promise((resolve) => socket.once("connect", resolve));
    await server.stop("test");
    await closed;
  });

  it("loses no request under load: each is answered or its connection was never accepted", async () => {
    const server = await serve(cleanup, FAR);
    const outcomes: string[] = [];
    const client = async (): Promise<void> => {
      for (;;) {
        const response = await fetch(`${server.url}/healthz`).catch((error: Error) => error);
        if (response instanceof Error) {
          const cause: unknown = response.cause;
          const code = cause instanceof Error && "code" in cause ? String(cause.code) : response.message;
          outcomes.push(code);
          if (code === "ECONNREFUSED") return;
        } else {
          outcomes.push(String(response.status));
          // A body cut short would reject here.
          await response.text();
        }
      }
    };
    const clients = Array.from({ length: 16 }, client);
    await eventually(() => outcomes.length > 200);
    await server.stop("test");
    await Promise.all(clients);
    expect(outcomes.filter((outcome) => !/^(200|ECONNREFUSED)$/.test(outcome))).toEqual([]);
    expect(outcomes.filter((outcome) => outcome === "200").length).toBeGreaterThan(200);
  });

  it("goes on serving while /readyz is 503, then closes the listener, and idle connections as long after it", async () => {
    const server = await serve(
      cleanup,
      { ...FAR, "server.lameDuckSeconds": 1, baseUrl: "http://127.0.0.1", "mail.transport": "console" },
      { dev: false },
    );
    const [kept, idle] = await Promise.all([openWire(cleanup, server.url), openWire(cleanup, server.url)]);
    idle.send(get("/healthz"));
    await idle.until(/200 OK/);
    const startedAt = performance.now();
    const stopped = server.stop("signal");
    // Nothing asks a proxy to open other connections, which the closing of the listener could reset.
    kept.send(get("/readyz"));
    expect(await kept.until(/"service_unavailable"/)).not.toMatch(/connection: close/i);
    await expect(readFile(server.runFile)).resolves.toBeDefined();

    await eventually(() => isRefused(server.url));
    expect(performance.now() - startedAt).toBeGreaterThan(990);
    // Both connections are still served, and told that it is the last time.
    for (const wire of [kept, idle]) wire.send(get("/healthz"));
    for (const wire of [kept, idle]) expect(await wire.closed).toMatch(/200 OK[^]*connection: close/i);
    await stopped;
  });

  it.each([
    [{}, 0],
    [{ "server.trustedProxies": "10.0.0.0/8" }, 5_000],
    [{ "server.trustedProxies": "10.0.0.0/8", "server.lameDuckSeconds": 2 }, 2_000],
  ] as [Settings, number][])("has lame duck seconds behind a trusted proxy: %o", async (settings, wanted) => {
    const { config } = await load(await makeFolder(cleanup), settings);
    expect(lameDuckMs(config.server)).toBe(wanted);
  });

  it("keeps idle connections open for server.keepAliveSeconds", async () => {
    const server = await serve(cleanup, { "server.keepAliveSeconds": 1 });
    const wire = await openWire(cleanup, server.url);
    const startedAt = performance.now();
    wire.send(get("/readyz"));
    await wire.until(/"ready"/);
    expect(await wire.closed).toMatch(/keep-alive: timeout=1/i);
    expect(performance.now() - startedAt).toBeGreaterThan(900);
    const other = await serve(cleanup);
    const second = await openWire(cleanup, other.url);
    second.send(get("/readyz"));
    expect(await second.until(/"ready"/)).toMatch(/keep-alive: timeout=75/i);
  });

  it("holds a request that comes before the application is there", async () => {
    const port = await freePort();
    const early = (async () => {
      for (;;) {
        const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
        if (answer !== null) return answer.status;
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    await serve(cleanup, { "server.port": port });
    expect(await early).toBe(200);
  });

  it("waits for what is being done for a client that is gone", async () => {
    const server = await serve(cleanup, { ...FAR, "storage.driver": "fs" });
    const wire = await openWire(cleanup, server.url);
    const head = `POST /api/platform/admin/seed HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.adminToken}\r\n`;
    wire.send(`${head}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`);
    await eventually(async () => (await server.services.store.partitions()).length > 1);
    wire.socket.destroy();
    // The server learns of it before it answers what comes later; the rest of the seed takes longer than that.
    for (let n = 0; n < 2; n += 1) await (await fetch(`${server.url}/readyz`)).arrayBuffer();
    await server.stop("test");
    expect(server.log.lines.join("")).toContain('"active":0');
    const told = server.log.lines.find((line) => line.includes("admin.seed.run"));
    expect(told).toContain('"status":200');
  });

  it("does not wait for an upload that was broken off", async () => {
    const server = await serve(cleanup, FAR);
    const wire = await openWire(cleanup, server.url);
    startSignup(wire);
    await eventually(() => wire.socket.bytesWritten > 0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    wire.socket.destroy();
    await server.stop("test");
  });

  it("is the same end for everybody who asks", async () => {
    const server = await serve(cleanup, FAR);
    const ends = [server.stop("first"), server.stop("second"), server.closed];
    await Promise.all(ends);
    expect(server.log.lines.filter((line) => line.includes('"draining"'))).toHaveLength(1);
    await expect(server.services.store.ping()).rejects.toThrow("closed");
  });

  it("keeps what jobs and usage counted", async () => {
    const server = await serve(cleanup, { ...FAR, "storage.driver": "fs" });
    const admin = { authorization: `Bearer ${server.adminToken}`, "content-type": "application/json" };
    const post = async (path: string, body: object) => {
      const init = { method: "POST", headers: admin, body: JSON.stringify(body) };
      return (await fetch(`${server.url}/api/platform/admin${path}`, init)).json();
    };
    const { data: seeded } = await post("/seed", {});
    const { data: issued } = await post("/keys", { customer_id: seeded.customer_id, preset: "full" });
    const key = { authorization: `Bearer ${issued.api_key}` };
    expect((await fetch(`${server.url}/v1/menus/categories`, { headers: key })).status).toBeLessThan(500);
    await server.stop("test");

    const again = await serve(cleanup, {
      ...FAR,
      "storage.driver": "fs",
      "storage.base": `${server.dir}/data`,
    });
    const day = new Date().toISOString().slice(0, 10);
    const usage = await fetch(`${again.url}/api/platform/admin/usage?key_id=${issued.id}&day=${day}`, {
      headers: { authorization: `Bearer ${again.adminToken}` },
    });
    expect(JSON.stringify(await usage.json())).toContain('"requests":1');
  });
});

const isRefused = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname: host, port } = new URL(url);
    const socket = connect({ host, port: Number(port) }, () => resolve(socket.destroy() === undefined));
    socket.once("error", () => resolve(true));
  });
