import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { FAILED_AUTH } from "../../server/http/failed-auth.ts";
import { createWindows } from "../../server/http/windows.ts";
import type { Incoming, Outgoing } from "../../server/http/messages.ts";
import { createSystemRandom } from "../../server/core/ids.ts";
import { makeKey } from "../../server/core/key-format.ts";
import { namespaces } from "../../server/registry.ts";
import { createHarness } from "../harness.ts";
import type { Harness, TestKey } from "../harness.ts";
import { createPipeline } from "../support/match.ts";

let harness: Harness;
let key: TestKey;
let handle: (req: Incoming) => Promise<Outgoing>;
beforeAll(async () => {
  harness = await createHarness();
  key = await harness.key();
  const { services } = harness;
  const server = { ...services.config.server, trustedProxies: ["192.0.2.0/24"] };
  handle = createPipeline({ ...services, config: { ...services.config, server } }, namespaces);
});
afterAll(() => harness.close());

interface Sent {
  readonly peer: string | null;
  readonly token?: string;
  readonly target?: string;
  readonly method?: string;
  readonly forwarded?: string;
}

async function send({ forwarded, method = "GET", peer, target = "/v1/reviews", token }: Sent) {
  const { body, headers, status } = await handle({
    method,
    target,
    header: (name) =>
      name === "authorization" && token !== undefined
        ? `Bearer ${token}`
        : name === "x-forwarded-for"
          ? forwarded
          : undefined,
    stream: () => new ReadableStream<Uint8Array>(),
    body: () => Promise.resolve(new Uint8Array()),
    signal: () => new AbortController().signal,
    peer,
  });
  const header = (name: string): string | null => {
    const index = headers.findIndex((value, at) => at % 2 === 0 && value.toLowerCase() === name);
    return index < 0 ? null : (headers[index + 1] ?? null);
  };
  return { status, header, text: typeof body === "string" ? body : "" };
}

/** Fails so often; gives how often each status was answered. */
async function fail(times: number, sent: Sent): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (let n = 0; n < times; n += 1) {
    const { status } = await send(sent);
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

const UNKNOWN = makeKey("live", createSystemRandom());

describe("requests that fail to authenticate", () => {
  it("are answered 401, then 429 until the window ends, in the form that every error has", async () => {
    const peer = "93.184.216.1";
    const before = await send({ peer });
    expect(await fail(29, { peer })).toEqual({ 401: 29 });
    harness.clock.advance(20_000);
    const over = await send({ peer });
    expect([over.status, over.header("retry-after"), over.header("www-authenticate")]).toEqual([
      429,
      "40",
      null,
    ]);
    expect(over.header("content-type")).toBe("application/problem+json");
    expect(JSON.parse(over.text)).toEqual({
      error: {
        type: "too_many_requests",
        title: "Too Many Requests",
        status: 429,
        detail:
          "Too many requests without a valid API key from this IP address: at most 30 per minute. Requests with a valid key are not affected. Retry in 40 seconds.",
      },
    });
    // What is refused does not put the end off.
    harness.clock.advance(39_999);
    expect((await send({ peer })).status).toBe(429);
    harness.clock.advance(1);
    const after = await send({ peer });
    expect([after.status, after.text]).toEqual([401, before.text]);
  });

  it.each(["2002:5db8:d801::1", "2001:0:5db8:d801::1"])("count for %s, of a tunnel to IPv6", async (peer) => {
    expect(await fail(31, { peer })).toEqual({ 401: 30, 429: 1 });
  });

  it("count together whatever is wrong with the key, and at the operator's routes as well", async () => {
    const peer = "93.184.216.2";
    const revoked = await harness.key({ status: "revoked" });
    const ways: Omit<Sent, "peer">[] = [
      {},
      { token: "nonsense" },
      { token: UNKNOWN },
      { token: revoked.plaintext },
      { target: "/api/platform/admin/customers", token: key.plaintext },
      { target: "/v1/nowhere", method: "POST" },
    ];
    for (const way of ways) expect(await fail(5, { ...way, peer })).toEqual({ 401: 5 });
    for (const way of ways) expect((await send({ ...way, peer })).status).toBe(429);
  });

  it("shut out nobody who has a valid key, a preflight or a page behind the same address", async () => {
    const peer = "93.184.216.3";
    await fail(40, { peer, token: UNKNOWN });
    const good = await send({ peer, token: key.plaintext });
    expect([good.status, good.header("retry-after")]).toEqual([200, null]);
    const target = "/api/platform/admin/customers";
    expect((await send({ peer, target, token: harness.adminToken })).status).toBe(200);
    expect((await send({ peer, method: "OPTIONS" })).status).toBe(204);
    expect((await send({ peer, target: "/healthz" })).status).toBe(200);
    expect((await send({ peer })).status).toBe(429);
  });

  it("of other addresses are counted for themselves; of IPv6 a /48 is one address", async () => {
    await fail(30, { peer: "2606:4700:1:2::1" });
    expect((await send({ peer: "2606:4700:1:2:ffff::9" })).status).toBe(429);
    expect((await send({ peer: "2606:4700:1:3::1" })).status).toBe(429);
    expect((await send({ peer: "2606:4700:2:2::1" })).status).toBe(401);
    await fail(30, { peer: "::ffff:93.184.216.4" });
    expect((await send({ peer: "93.184.216.4" })).status).toBe(429);
    expect((await send({ peer: "93.184.216.5" })).status).toBe(401);
  });

  it("are counted by X-Forwarded-For where a trusted proxy wrote it, and nowhere else", async () => {
    const behind = { peer: "192.0.2.7", forwarded: "1.1.1.1, 93.184.216.6" };
    await fail(30, behind);
    expect((await send(behind)).status).toBe(429);
    expect((await send({ ...behind, forwarded: "93.184.216.7" })).status).toBe(401);
    for (let n = 0; n < 30; n += 1) await send({ peer: "93.184.216.8", forwarded: `93.184.217.${n}` });
    expect((await send({ peer: "93.184.216.8", forwarded: "93.184.217.99" })).status).toBe(429);
    expect((await send({ peer: "93.184.217.1" })).status).toBe(401);
  });

  it.each([[null], ["127.0.0.1"], ["::1"], ["10.0.0.9"], ["172.17.0.1"], ["fd00::1"], ["192.0.2.7"]])(
    "from %s are not counted: that is not where whoever called is",
    async (peer) => expect(await fail(40, { peer })).toEqual({ 401: 40 }),
  );
});

describe("the counters", () => {
  const limits = { max: 2, windowMs: 60_000, keysMax: 100 };

  it("hold a bounded number of addresses, and forget those whose window began first", () => {
    const failures = createWindows(limits);
    for (let n = 0; n < 3; n += 1) failures.take("first", 0);
    for (let n = 0; n < 10_000; n += 1) failures.take(`address ${n}`, 1);
    expect(failures.size()).toBe(100);
    for (let n = 0; n < 2; n += 1) failures.take("address 9999", 2);
    expect(failures.take("address 9999", 2)).toBe(59_999);
    expect(failures.take("first", 2)).toBeNull();
    // By default too.
    const many = createWindows(FAILED_AUTH);
    for (let n = 0; n < FAILED_AUTH.keysMax + 500; n += 1) many.take(`address ${n}`, n);
    expect(many.size()).toBe(FAILED_AUTH.keysMax);
  });

  it("forget windows that ended, as new ones begin", () => {
    const failures = createWindows(limits);
    for (let n = 0; n < 50; n += 1) failures.take(`address ${n}`, n);
    failures.take("later", 60_025);
    expect(failures.size()).toBe(25);
  });

  it("begin anew where the clock was set back: nobody waits longer than a window", () => {
    const failures = createWindows(limits);
    for (let n = 0; n < 3; n += 1) failures.take("one", 10_000_000);
    expect(failures.take("one", 10_000_000)).toBe(60_000);
    expect(failures.take("one", 0)).toBeNull();
    expect(failures.take("one", 0)).toBeNull();
    expect(failures.take("one", 0)).toBe(60_000);
  });
});
