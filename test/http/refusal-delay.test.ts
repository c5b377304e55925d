import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import { AT_ONCE, DELAY_MS, EACH } from "../../server/http/refusal-delay.ts";
import type { Incoming, Outgoing } from "../../server/http/messages.ts";
import { namespaces } from "../../server/registry.ts";
import { createHarness } from "../harness.ts";
import type { Harness, TestKey } from "../harness.ts";
import { createPipeline } from "../support/match.ts";

/** Requests per minute of the plan Free. */
const LIMIT = 60;
/** Requests per minute for pages from one address. */
const PAGES = 300;

let harness: Harness;
let handle: (req: Incoming) => Promise<Outgoing>;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness.close());
beforeEach(() => {
  handle = createPipeline(harness.services, namespaces);
});
afterEach(() => {
  vi.useRealTimers();
});

function send(
  target: string,
  peer: string | null,
  token?: string,
  ...[method = "GET", signal = new AbortController().signal]: [string?, AbortSignal?]
): Promise<number> {
  const answered = handle({
    method,
    target,
    header: (name) => (name === "authorization" && token !== undefined ? `Bearer ${token}` : undefined),
    stream: () => new ReadableStream<Uint8Array>(),
    body: () => Promise.resolve(new Uint8Array()),
    signal: () => signal,
    peer,
  });
  return answered.then(({ status }) => status);
}

async function sendAll(times: number, sendOne: () => Promise<number>): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (let n = 0; n < times; n += 1) {
    const status = await sendOne();
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

/** Whether an answer comes only after the delay. */
async function isDelayed(sendOne: () => Promise<number>): Promise<boolean> {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  let status = 0;
  const sent = sendOne().then((answered) => (status = answered));
  await expect.poll(() => status !== 0 || vi.getTimerCount() > 0, { interval: 1 }).toBe(true);
  const wasDelayed = status === 0;
  await vi.advanceTimersByTimeAsync(DELAY_MS);
  expect(await sent).toBe(429);
  vi.useRealTimers();
  return wasDelayed;
}

describe("refusals of a client that goes on", () => {
  it("are delayed after 30 in a minute, by key", async () => {
    const one = await harness.key({ plan: "free" });
    const other = await harness.key({ plan: "free" });
    const call = (key: TestKey) => () => send("/v1/account", "93.184.216.60", key.plaintext);
    expect(await sendAll(LIMIT + AT_ONCE.max, call(one))).toEqual({ 200: LIMIT, 429: AT_ONCE.max });
    expect(await isDelayed(call(one))).toBe(true);
    // Another key behind the same address is answered at once.
    expect(await sendAll(LIMIT, call(other))).toEqual({ 200: LIMIT });
    expect(await isDelayed(call(other))).toBe(false);
    harness.clock.advance(60_000);
    expect(await sendAll(1, call(one))).toEqual({ 200: 1 });
  });

  it("are delayed by address where there is no key", async () => {
    const call = (peer: string) => () => send("/v1/account", peer);
    expect(await sendAll(30 + AT_ONCE.max, call("93.184.216.61"))).toEqual({ 401: 30, 429: AT_ONCE.max });
    expect(await isDelayed(call("93.184.216.61"))).toBe(true);
    await sendAll(30, call("93.184.216.62"));
    expect(await isDelayed(call("93.184.216.62"))).toBe(false);
  });

  it("come one after the other where a client waits for many, and end where it is gone", async () => {
    const call = () => send("/v1/account", "93.184.216.63");
    await sendAll(30 + AT_ONCE.max, call);
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    let answered = 0;
    const waiting = Array.from({ length: 1_000 }, () => call().finally(() => (answered += 1)));
    await expect.poll(vi.getTimerCount).toBe(1_000);
    const gone = send("/v1/account", "93.184.216.63", undefined, "GET", AbortSignal.abort());
    expect(await gone).toBe(429);
    await vi.advanceTimersByTimeAsync(DELAY_MS);
    expect(answered).toBeLessThan(30);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(answered).toBeGreaterThan(60);
    expect(answered).toBeLessThan(100);
    await vi.advanceTimersByTimeAsync(EACH.maxMs);
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([429]));
  });
});

describe("pages that everybody may read", () => {
  it("are limited to 300 requests a minute of one address", async () => {
    const call = (peer: string) => () => send("/openapi.json?namespace=none", peer);
    expect(await sendAll(PAGES, call("93.184.216.64"))).toEqual({ 404: PAGES });
    expect(await sendAll(1, call("93.184.216.64"))).toEqual({ 429: 1 });
    expect(await sendAll(1, () => send("/docs", "93.184.216.64"))).toEqual({ 429: 1 });
    expect(await sendAll(1, call("93.184.216.65"))).toEqual({ 404: 1 });
    harness.clock.advance(60_000);
    expect(await sendAll(1, call("93.184.216.64"))).toEqual({ 404: 1 });
  });

  it("are not limited for an address of a private network, and probes and elements for nobody", async () => {
    expect(await sendAll(PAGES + 1, () => send("/openapi.json?namespace=none", "10.0.0.9"))).toEqual({
      404: PAGES + 1,
    });
    await sendAll(PAGES + 1, () => send("/openapi.json?namespace=none", "93.184.216.66"));
    for (const path of ["/healthz", "/elements/none.js"]) {
      expect(await send(path, "93.184.216.66"), path).not.toBe(429);
    }
  });

  it("are limited where there are none, or not with this method", async () => {
    const peer = "93.184.216.67";
    expect(await sendAll(100, () => send("/nowhere", peer))).toEqual({ 404: 100 });
    expect(await sendAll(100, () => send("/healthz", peer, undefined, "POST"))).toEqual({ 405: 100 });
    expect(await sendAll(100, () => send("/metrics", peer))).toEqual({ 404: 100 });
    for (const path of ["/nowhere", "/metrics", "/docs"]) expect(await send(path, peer), path).toBe(429);
    expect(await send("/healthz", peer, undefined, "POST")).toBe(429);
    expect(await send("/healthz", peer)).toBe(200);
    expect(await sendAll(PAGES + 1, () => send("/nowhere", "10.0.0.9"))).toEqual({ 404: PAGES + 1 });
  });
});

describe("paths that cannot be decoded", () => {
  it("count with the 300 requests a minute of one address", async () => {
    const call = (peer: string) => () => send("/v1/delivery/%zz", peer);
    expect(await sendAll(PAGES, call("93.184.216.70"))).toEqual({ 400: PAGES });
    expect(await sendAll(1, call("93.184.216.70"))).toEqual({ 429: 1 });
    expect(await sendAll(1, () => send("/nowhere", "93.184.216.70"))).toEqual({ 429: 1 });
    expect(await sendAll(1, call("93.184.216.71"))).toEqual({ 400: 1 });
    expect(await sendAll(PAGES + 1, call("10.0.0.9"))).toEqual({ 400: PAGES + 1 });
  });
});

describe("preflights", () => {
  it("are limited to 3,000 a minute of one address, whatever else it requests", async () => {
    const preflight = (peer: string) => () => send("/v1/account", peer, undefined, "OPTIONS");
    await sendAll(PAGES + 1, () => send("/nowhere", "93.184.216.68"));
    expect(await sendAll(3_000, preflight("93.184.216.68"))).toEqual({ 204: 3_000 });
    expect(await sendAll(1, preflight("93.184.216.68"))).toEqual({ 429: 1 });
    expect(await sendAll(1, () => send("/nowhere", "93.184.216.68", undefined, "OPTIONS"))).toEqual({
      429: 1,
    });
    expect(await sendAll(1, preflight("93.184.216.69"))).toEqual({ 204: 1 });
    harness.clock.advance(60_000);
    expect(await sendAll(1, preflight("93.184.216.68"))).toEqual({ 204: 1 });
  });
});
