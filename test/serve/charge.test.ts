import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { afterEach, describe, expect, it } from "vitest";

import { startChild } from "./child.ts";
import type { Child } from "./child.ts";
import { createCleanup, makeFolder } from "./outside.ts";

/**
 * The promise: a server that is killed while it charges takes the money of each cycle exactly once. The gateway is a process
 * of the shop's own that keeps books by idempotency key and tells at which point of a charge the server dies.
 */
const POINTS = ["before the money moves", "after it moved", "after the answer left"] as const;
type Point = (typeof POINTS)[number];
const ROUNDS = 6;
const WEEK_MS = 7 * 86_400_000;
/** Longer than a claim is left alone: the gateway's time-out and a minute. */
const LEASE_MS = 90_000;
const START = Date.parse("2026-06-01T09:00:00.000Z");

const cleanup = createCleanup();
afterEach(() => cleanup.run());

interface Books {
  readonly url: string;
  /** Money that moved: the charge it was for, by the key under which it was asked for. */
  readonly moved: Map<string, string>;
  /** What the server is killed at next; null for nothing. */
  dieAt: { readonly point: Point; readonly kill: () => void } | null;
  /** Requests for money, repeated ones included. */
  charges: number;
}

/** A gateway that moves money once for each key; without `keyed` it moves it every time (the negative control). */
async function openGateway(keyed: boolean): Promise<Books> {
  const books: Books = { url: "", moved: new Map(), dieAt: null, charges: 0 };
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on("data", (chunk: Buffer) => chunks.push(chunk));
    req.on("end", () => {
      const { type, data } = JSON.parse(Buffer.concat(chunks).toString());
      const known = books.moved.has(data.key);
      const send = (status: number, body: object): void => {
        res.writeHead(status, { "content-type": "application/json" });
        res.end(JSON.stringify(body));
      };
      if (type === "lookup") {
        if (keyed && known) send(200, { status: "succeeded", ref: data.key });
        else send(404, {});
        return;
      }
      books.charges += 1;
      const die = books.dieAt;
      books.dieAt = null;
      if (die?.point === "before the money moves") return die.kill();
      books.moved.set(keyed ? data.key : `${data.key} ${books.charges}`, data.charge_id);
      if (die?.point === "after it moved") return die.kill();
      send(200, { status: "succeeded", ref: data.key });
      if (die !== null) res.once("finish", die.kill);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanup.add(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(books, { url: `http://127.0.0.1:${port}/pay` });
}

const start = (dir: string): Promise<Child> =>
  startChild(cleanup, dir, { PLATFORM_OUTGOING_ALLOW: "127.0.0.1", PLATFORM_LOG_LEVEL: "warn" });

async function call(url: string, token: string, body?: object) {
  const response = await fetch(url, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { data, error } = await response.json();
  if (response.status >= 400) throw new Error(`${url}: ${JSON.stringify(error)}`);
  return data;
}

/** A weekly contract among test data, whose clock the test moves. */
async function openShop(child: Child, books: Books) {
  const admin = `${child.url}/api/platform/admin`;
  const { customer_id } = await call(`${admin}/seed`, child.token, { engines: ["delivery"] });
  const { api_key: key } = await call(`${admin}/keys`, child.token, {
    customer_id,
    preset: "full",
    name: "kill",
    mode: "test",
  });
  const ask = (path: string, body?: object) => call(`${child.url}/v1/subscriptions${path}`, key, body);
  await call(`${child.url}/v1/account/test-clock`, key, { now: new Date(START).toISOString() });
  const gateway = await ask("/gateways", {
    title: "Own",
    kind: "external",
    url: books.url,
    timeout_seconds: 5,
  });
  await ask(`/gateways/${gateway.id}/secrets`, {});
  const method = await ask("/payment-methods", {
    customer_id: "ada",
    gateway_id: gateway.id,
    token_ref: "card-1",
  });
  const contract = await ask("/contracts", {
    customer: { id: "ada", email: "ada@shop.example", name: "Ada" },
    lines: [{ product_ref: "coffee", title: "Coffee", quantity: 1, unit_price: 1000 }],
    interval: { unit: "week", count: 1 },
    payment_method_id: method.id,
  });
  return { key, contractId: contract.id as string };
}

/** Kills the server once in each cycle of a contract. Gives what the gateway's books and the charges say. */
async function killEachCycle(keyed: boolean, rounds: number) {
  const books = await openGateway(keyed);
  const dir = await makeFolder(cleanup);
  let child = await start(dir);
  const { key, contractId } = await openShop(child, books);
  const ask = (path: string, body?: object) => call(`${child.url}/v1/subscriptions${path}`, key, body);
  const advance = (at: number) =>
    call(`${child.url}/v1/account/test-clock/advance`, key, { to: new Date(at).toISOString() });
  const chargeOf = async (cycle: number) =>
    (await ask(`/charges?contract_id=${contractId}&limit=100`)).find(
      ({ cycle_index: index }: { cycle_index: number }) => index === cycle,
    );
  for (let round = 0; round < rounds; round += 1) {
    const point = POINTS[round % POINTS.length] ?? POINTS[0];
    const dying = child;
    books.dieAt = { point, kill: () => dying.kill("SIGKILL") };
    let at = START + round * WEEK_MS + 2 * 3_600_000;
    // The clock cannot always say that it came there: the server dies on the way.
    await advance(at).catch(() => undefined);
    expect(await dying.exited).toBe("SIGKILL");
    child = await start(dir);
    for (let tries = 0; tries < 10 && (await chargeOf(round))?.status !== "succeeded"; tries += 1) {
      at += LEASE_MS;
      await advance(at);
    }
  }
  const charges: { id: string; status: string }[] = await ask(`/charges?contract_id=${contractId}&limit=100`);
  return { books, charges };
}

describe("kill -9 during a charge", () => {
  it(`takes the money of each cycle exactly once (${ROUNDS} kills)`, async () => {
    const { books, charges } = await killEachCycle(true, ROUNDS);
    expect(charges.map(({ status }) => status)).toEqual(Array(ROUNDS).fill("succeeded"));
    expect([...books.moved.values()].sort()).toEqual(charges.map(({ id }) => id).sort());
    // One in three was killed before the money moved, so it had to be asked for again.
    expect(books.charges).toBeGreaterThan(ROUNDS);
  }, 120_000);

  it("the count finds doubles with a gateway that forgets its keys (negative control)", async () => {
    const { books, charges } = await killEachCycle(false, POINTS.length);
    expect(books.moved.size).toBeGreaterThan(charges.length);
  }, 120_000);
});
