import { once } from "node:events";
import type { Server } from "node:http";
import { connect, Socket } from "node:net";
import { text as readText } from "node:stream/consumers";

import { afterEach, describe, expect, it, vi } from "vitest";

import { listEndpoints } from "../../../cli/calls/endpoints.ts";
import type { ApiResponse } from "../../../cli/command/api.ts";
import { serveMcp } from "../../../cli/mcp/http.ts";
import type { Send } from "../../../cli/mcp/send.ts";
import { createSystemRandom } from "../../../server/core/ids.ts";
import { makeKey } from "../../../server/core/key-format.ts";
import { AT_ONCE, DELAY_MS } from "../../../server/http/refusal-delay.ts";
import { many } from "../../support/longest-turn.ts";

const systemRandom = createSystemRandom();
const [KEY, OTHER] = [makeKey("live", systemRandom), makeKey("live", systemRandom)];
let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

const answer = (status: number, body: object): ApiResponse => ({
  status,
  statusText: "",
  headers: new Map([["content-type", "application/json"]]) as unknown as ApiResponse["headers"],
  chunks: (async function* chunks() {
    yield new TextEncoder().encode(JSON.stringify(body));
  })(),
});

/** In front of a service that knows two keys with so many requests per minute. */
async function start(perMinute: number) {
  const asked: string[] = [];
  const lookUps = { open: 0, until: Promise.resolve() };
  const key = { scopes: ["delivery:read"], requests_per_minute: perMinute };
  const sendAs =
    (secret: string, from: string): Send =>
    async () => {
      asked.push(from);
      lookUps.open += 1;
      await lookUps.until;
      lookUps.open -= 1;
      return secret === KEY || secret === OTHER
        ? answer(200, { data: { key }, meta: { request_id: "req_1" } })
        : answer(401, { error: { detail: "Provide a valid API key." } });
    };
  let now = 0;
  const started = await serveMcp({
    host: "127.0.0.1",
    port: 0,
    offer: { namespaces: [], readOnly: false },
    clock: { now: () => now },
    sendAs,
  });
  server = started.server;
  const post = (message: unknown, headers: Record<string, string> = {}) =>
    fetch(started.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${KEY}`,
        ...headers,
      },
      body: JSON.stringify(message),
    });
  return { ...started, asked, lookUps, post, pass: (ms: number) => (now += ms) };
}

const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };

describe("platform mcp --http", async () => {
  // Read from the source, which takes longer than all of the tests.
  await listEndpoints();

  it("answers as many messages as the key has requests, and as many again: the service counts no list", async () => {
    const { post, pass } = await start(2);
    const statuses = [];
    for (let sent = 0; sent < 5; sent += 1) statuses.push((await post(LIST)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 429]);
    pass(45_000);
    expect((await post(LIST)).headers.get("retry-after")).toBe("15");
    pass(15_000);
    expect((await post(LIST)).status).toBe(200);
  });

  it("answers keys in turns", async () => {
    const { url } = await start(50);
    const { host, port } = new URL(url);
    const params = { name: "search_routes", arguments: { query: "delivery zones slots list create update" } };
    const body = JSON.stringify({ ...LIST, method: "tools/call", params });
    const callers = [...Array.from({ length: 40 }, () => KEY), OTHER].map((key) => {
      const socket = connect(Number(port), "127.0.0.1");
      return async (): Promise<string> => {
        socket.write(
          `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
            `Accept: application/json, text/event-stream\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        );
        expect(String(await once(socket, "data"))).toContain(" 200 ");
        return key;
      };
    });
    // All are connected then, so that the server reads the next requests at the same time.
    await Promise.all(callers.map((ask) => ask()));
    const order: string[] = [];
    await Promise.all(callers.map((ask) => ask().then((key) => order.push(key))));
    expect(order.indexOf(OTHER)).toBeLessThan(20);
  });

  it("refuses several messages in one request", async () => {
    const { post } = await start(10);
    const refused = await post(Array.from({ length: 100 }, (_, id) => ({ ...LIST, id })));
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("one message")]);
  });

  it("refuses a message of as many shapes as the service refuses, before it is parsed", async () => {
    const { post } = await start(10);
    const objects = many(300, (at) => Object.fromEntries(many(100, (n) => [`n${at}_${n}`, 1])));
    const refused = await post({ ...LIST, params: { objects } });
    expect([refused.status, (await refused.json()).error.message]).toEqual([
      413,
      expect.stringContaining("different member names"),
    ]);
    const deep = await post({ ...LIST, params: JSON.parse(`${"[".repeat(40)}${"]".repeat(40)}`) });
    expect(deep.status).toBe(400);
  });

  it("has few large messages in memory, and goes on to answer others", async () => {
    const { lookUps, post } = await start(100);
    await post(LIST);
    await post(LIST, { authorization: `Bearer ${OTHER}` });
    let release: () => void = () => undefined;
    lookUps.until = new Promise((resolve) => (release = resolve));
    const args = { id: "delivery.zones.list", body: "x".repeat(1_000_000) };
    const params = { name: "read_route", arguments: args };
    const large: Promise<number>[] = [];
    let busy = 0;
    for (let sent = 1; sent <= 70; sent += 1) {
      const one = post({ ...LIST, method: "tools/call", params }).then(({ status }) => status);
      void one.then((status) => (busy += Number(status === 503)));
      large.push(one);
      await vi.waitUntil(() => lookUps.open >= sent);
    }
    await vi.waitUntil(() => busy >= 7);
    expect((await post(LIST, { authorization: `Bearer ${OTHER}` })).status).toBe(200);
    release();
    expect((await Promise.all(large)).filter((status) => status === 200).length).toBeGreaterThan(60);
  });

  it("says to the service who asks, behind proxies as well", async () => {
    const { post, asked } = await start(10);
    await post(LIST, { "x-forwarded-for": "203.0.113.7" });
    expect(asked).toEqual(["203.0.113.7, 127.0.0.1"]);
  });

  it("reads no body of a key that is none", async () => {
    const { url } = await start(10);
    const { host, port } = new URL(url);
    const socket = connect(Number(port), "127.0.0.1");
    const key = makeKey("live", systemRandom);
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\nContent-Length: 1000000\r\n\r\n{`,
    );
    expect(await readText(socket)).toContain("401");
  });

  it("asks the service about no key that cannot be one", async () => {
    const { post, asked } = await start(10);
    for (const key of ["none", `${KEY.slice(0, -1)}!`, `plat_live_${"0".repeat(36)}`]) {
      expect((await post(LIST, { authorization: `Bearer ${key}` })).status).toBe(401);
    }
    expect(asked).toEqual([]);
  });

  it("delays what it refuses after 30 refusals in a minute, and nothing else", async () => {
    const { post, pass } = await start(10);
    const refused = async () => {
      const since = performance.now();
      const authorization = `Bearer ${makeKey("live", systemRandom)}`;
      expect((await post(LIST, { authorization })).status).toBe(401);
      return performance.now() - since;
    };
    for (let sent = 0; sent < AT_ONCE.max; sent += 1) await refused();
    const waiting = refused();
    expect((await post(LIST)).status).toBe(200);
    // A timer may end a millisecond early.
    expect(await waiting).toBeGreaterThan(DELAY_MS - 2);
    pass(AT_ONCE.windowMs);
    expect((await post(LIST)).status).toBe(200);
  });

  it("looks up few keys at the same time", async () => {
    const { lookUps, post } = await start(10);
    await post(LIST);
    let release: () => void = () => undefined;
    lookUps.until = new Promise((resolve) => (release = resolve));
    let received = 0;
    server?.on("request", () => (received += 1));
    const authorization = () => `Bearer ${makeKey("live", systemRandom)}`;
    const strangers = many(AT_ONCE.max, () => post(LIST, { authorization: authorization() }));
    await vi.waitUntil(() => received === AT_ONCE.max);
    // A key that is known waits for none of them.
    expect((await post(LIST)).status).toBe(200);
    expect(lookUps.open).toBe(8);
    release();
    for (const refused of await Promise.all(strangers)) expect(refused.status).toBe(401);
  });

  it("leaves places of an address that holds almost all connections to others", async () => {
    await start(10);
    const { maxConnections } = server ?? {};
    expect(maxConnections).toBeGreaterThan(100);
    Object.assign(server ?? {}, { maxConnections: 150 });
    const open = (remoteAddress: string): Socket => {
      const socket = Object.defineProperty(new Socket(), "remoteAddress", { value: remoteAddress });
      server?.emit("connection", socket);
      return socket;
    };
    const crowd = many(134, () => open("93.184.216.1"));
    const other = open("93.184.217.1");
    expect([crowd.filter(({ destroyed }) => destroyed).length, other.destroyed]).toEqual([1, false]);
    for (const socket of [...crowd, other]) socket.destroy();
  });

  it("searches the first words of a query, and gives 30 routes at most", async () => {
    const { post } = await start(10);
    const search = async (args: object) => {
      const params = { name: "search_routes", arguments: args };
      const { result } = JSON.parse(await (await post({ ...LIST, method: "tools/call", params })).text());
      return JSON.parse(result.content[0].text);
    };
    expect((await search({ query: "delivery", limit: 500 })).routes.length).toBeLessThanOrEqual(30);
    const words = Array.from({ length: 20 }, (_, at) => `zzzzzz${at}q`).join(" ");
    expect((await search({ query: `${words} delivery` })).found).toBe(0);
  });
});
