import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";

import { ConfigSchema } from "../../server/config/schema.ts";
import { ok } from "../../server/core/reply.ts";
import { defineRoute } from "../../server/core/route.ts";
import type { Incoming } from "../../server/http/messages.ts";
import type { Namespace } from "../../server/http/namespace.ts";
import { namespaces } from "../../server/registry.ts";
import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";
import { compute, standStill } from "../support/compute.ts";
import { many } from "../support/longest-turn.ts";
import { createPipeline } from "../support/match.ts";

// What one visitor may use of what a shop has for all of them.

const params = z.object({ id: z.string() });
const Seen = z.object({ seen: z.boolean() });
const shared = { data: Seen, params, summary: "A route of the test", path: "/things/:id" } as const;
const opened: Namespace = {
  name: "forms",
  mount: "/v1/opentest",
  summary: "Test",
  auth: "key",
  part: "store",
  envelope: true,
  routes: [
    defineRoute({
      ...shared,
      id: "opentest.things.get",
      method: "GET",
      open: "public",
      cost: 5,
      example: { params: { id: "x" } },
      handle: async () => {
        compute(200);
        return ok({ seen: true });
      },
    }),
    defineRoute({
      ...shared,
      id: "opentest.things.put",
      method: "PUT",
      open: "submit",
      body: z.strictObject({ text: z.string() }),
      example: { params: { id: "x" }, body: { text: "x" } },
      handle: async () => ok({ seen: true }),
    }),
    defineRoute({
      ...shared,
      id: "opentest.things.patch",
      method: "PATCH",
      open: "submit",
      // Long ones take long to check.
      body: z.strictObject({
        text: z.string().refine((text) => {
          if (text.length > 20_000) compute(60);
          return true;
        }),
      }),
      example: { params: { id: "x" }, body: { text: "x" } },
      handle: async () => ok({ seen: true }),
    }),
    defineRoute({
      ...shared,
      id: "opentest.things.run",
      method: "POST",
      cost: 5,
      example: { params: { id: "x" } },
      handle: async () => {
        running += 1;
        await held;
        return ok({ seen: true });
      },
    }),
  ],
};
/** What requests of the shop's server wait for. */
let held: Promise<void> = Promise.resolve();
let running = 0;

let harness: Harness;
afterEach(() => harness.close());

/** Calls a route with the publishable key of a shop on a plan, or its secret one, from an address of the internet. */
async function createVisits(plan: object) {
  const plans = [
    { id: "free", requestsPerMinute: 60 },
    { id: "paid", requestsPerMinute: 60, ...plan },
  ];
  harness = await createHarness({ config: { plans: ConfigSchema.parse({ plans }).plans } });
  const handle = createPipeline(harness.services, [opened]);
  const key = await harness.key({
    kind: "publishable",
    scopes: ["forms:public", "forms:submit"],
    plan: "paid",
  });
  const { customerId: customer_id, storeId: store_id } = key;
  const secret = await harness.key({ customer_id, store_id, scopes: ["forms:read", "forms:write"] });
  return async (
    method: string,
    peer: string,
    body: string | Promise<string> = "",
    by: "shop" | "visitor" = "visitor",
  ) => {
    const headers: Record<string, string> = {
      authorization: `Bearer ${by === "shop" ? secret.plaintext : key.plaintext}`,
      ...(body === "" ? {} : { "content-type": "application/json" }),
    };
    const req: Incoming = {
      method,
      target: "/v1/opentest/things/a",
      header: (name) => headers[name],
      stream: () => new ReadableStream<Uint8Array>(),
      body: async () => new TextEncoder().encode(await body),
      signal: () => new AbortController().signal,
      peer,
    };
    const out = await handle(req);
    const at = out.headers.indexOf("Retry-After");
    return {
      sender: req.sender,
      status: out.status,
      after: at < 0 ? null : out.headers[at + 1],
      text: typeof out.body === "string" ? out.body : "",
    };
  };
}

describe("while the clock stands still", () => {
  standStill();

  it("leaves three quarters of the CPU time of visitors to the others", async () => {
    const visit = await createVisits({ requestsPerMinute: 6_000, cpuSecondsPerHour: 16 });
    const statuses = [];
    for (let n = 0; n < 12; n += 1) statuses.push((await visit("GET", "93.184.216.60")).status);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(statuses.indexOf(429)).toBeLessThan(8);
    expect((await visit("GET", "93.184.216.61")).status).toBe(200);
    harness.clock.advance(3_600_000);
    expect((await visit("GET", "93.184.216.60")).status).toBe(200);
  });

  it("leaves their half of the CPU time to visitors whatever the shop used of its own, and no more than that of any hour", async () => {
    const visit = await createVisits({ requestsPerMinute: 6_000, cpuSecondsPerHour: 6 });
    let address = 80;
    /** Each from another address, until one is refused. */
    const visitAll = async (): Promise<number> => {
      for (let n = 0; n < 50; n += 1) {
        const { status } = await visit("GET", `93.184.216.${address++}`);
        if (status === 429) return n;
      }
      return Infinity;
    };
    const shop = (count: number) =>
      Promise.all(many(count, async () => (await visit("GET", "93.184.216.68", "", "shop")).status));
    expect(await shop(1)).toEqual([200]);
    // Late in the hour of the shop: theirs must not last longer.
    harness.clock.advance(3_000_000);
    expect(await shop(14)).toEqual(many(14, () => 200));
    const visits = await visitAll();
    expect(visits).toBeGreaterThan(5);
    expect(visits).toBeLessThan(20);
    expect((await visit("GET", "93.184.216.79")).after).toBe("600");
    harness.clock.advance(600_000);
    expect(await visitAll()).toBeGreaterThan(5);
    expect(await shop(8)).toEqual(many(8, () => 200));
    harness.clock.advance(3_000_000);
    expect((await visit("GET", "93.184.216.78")).status).toBe(429);
    expect(await shop(1)).toEqual([200]);
  });

  it("has requests of one of them at once wait for what the others have reserved, not for an hour", async () => {
    const visit = await createVisits({ requestsPerMinute: 6_000, cpuSecondsPerHour: 16 });
    const together = (count: number) => Promise.all(many(count, () => visit("GET", "93.184.216.66")));
    expect((await together(3)).map(({ status }) => status)).toEqual(many(3, () => 200));
    // What is left of two seconds is used up, and the rest is refused.
    const statuses = (await together(12)).map(({ status }) => status);
    expect(statuses).toContain(200);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(5);
    expect((await together(2)).map(({ status }) => status)).toEqual([429, 429]);
  });

  it("reserves nothing for a body until it has been received: one that is sent slowly would keep all others waiting", async () => {
    const visit = await createVisits({ requestsPerMinute: 6_000, cpuSecondsPerHour: 16 });
    const peer = "93.184.216.67";
    const body = JSON.stringify({ text: "x".repeat(30_000) });
    expect((await visit("PATCH", peer, body)).status).toBe(200);
    let send: (body: string) => void = () => undefined;
    const slow = visit("PATCH", peer, new Promise<string>((resolve) => (send = resolve)));
    const others = many(16, () => visit("GET", peer));
    // Of the same route.
    expect((await visit("GET", "93.184.216.68", "", "shop")).status).toBe(200);
    await Promise.all(others);
    send(body);
    expect([200, 429]).toContain((await slow).status);
  });

  it("refuses a visitor at once whose CPU time is used up, while others of the shop are under way", async () => {
    const visit = await createVisits({ requestsPerMinute: 6_000, cpuSecondsPerHour: 16 });
    const peer = "93.184.216.69";
    let status = 200;
    while (status === 200) ({ status } = await visit("GET", peer));
    let end = (): void => undefined;
    held = new Promise<void>((resolve) => (end = resolve));
    const run = visit("POST", "93.184.216.68", "", "shop");
    await expect.poll(() => running).toBe(1);
    expect((await visit("GET", peer)).status).toBe(429);
    end();
    expect((await run).status).toBe(200);
  });

  it("leaves each of them what one request may take, of a small budget too", async () => {
    const visit = await createVisits({ requestsPerMinute: 6_000, cpuSecondsPerHour: 4 });
    for (const peer of ["93.184.216.64", "93.184.216.65"])
      expect((await visit("GET", peer)).status).toBe(200);
  });
});

it("counts their bodies for their address, not for the shop, whose uploads would be read as slowly", async () => {
  const visit = await createVisits({});
  const body = JSON.stringify({ text: "x" });
  const senders = [
    (await visit("PUT", "93.184.216.70", body)).sender,
    (await visit("PUT", "93.184.216.70", body, "shop")).sender,
    // A proxy that is not declared.
    (await visit("PUT", "10.0.0.1", body)).sender,
  ];
  expect(senders).toEqual(["93.184.216.70", expect.stringMatching(/^cus_/), senders[1]]);
});

it("limits the bytes that one of them hands in on a day, by the plan", async () => {
  const visit = await createVisits({ requestsPerMinute: 120 });
  const body = JSON.stringify({ text: "x".repeat(500_000) });
  const got = [];
  for (let n = 0; n < 32; n += 1) {
    got.push(await visit("PUT", "93.184.216.62", body));
    harness.clock.advance(3_000);
  }
  expect(got.map(({ status }) => status)).toEqual([...many(31, () => 200), 429]);
  expect(Number(got.at(-1)?.after)).toBeGreaterThan(80_000);
  expect(got.at(-1)?.text).toContain("at most 16 MB per day by this route");
  expect((await visit("PUT", "93.184.216.63", body)).status).toBe(200);
  harness.clock.advance(86_400_000);
  expect((await visit("PUT", "93.184.216.62", body)).status).toBe(200);
});

it("leaves three quarters of the requests of a key to others than the addresses of an IPv6 /48", async () => {
  const visit = await createVisits({ requestsPerMinute: 60 });
  const got = [];
  for (let n = 1; n < 4; n += 1)
    for (let times = 0; times < 4; times += 1) got.push(await visit("GET", `2606:4700:1:${n}::1`));
  expect(got.filter(({ status }) => status === 200)).toHaveLength(4);
  expect(got.at(-1)?.text).toContain("at most 20 of the 60 per minute of the key");
  expect((await visit("GET", "93.184.216.64")).status).toBe(200);
});

it("has their bodies take turns by address, whatever number of them one sends without a key", async () => {
  harness = await createHarness();
  const handle = createPipeline(harness.services, namespaces);
  const ended: string[] = [];
  const send = async (peer: string): Promise<void> => {
    const body = Buffer.from(
      `{"email":"a","storeIdentifier":"b","x":[${many(15_000, () => "{}").join(",")}]}`,
    );
    const headers: Record<string, string> = { "content-type": "application/json" };
    const out = await handle({
      method: "POST",
      target: "/api/platform/signup",
      header: (name) => headers[name],
      stream: () => new ReadableStream<Uint8Array>(),
      body: () => Promise.resolve(body),
      signal: () => new AbortController().signal,
      peer,
    });
    expect(out.status).toBe(422);
    ended.push(peer);
  };
  await Promise.all([...many(40, () => send("93.184.216.71")), send("93.184.216.72")]);
  expect(ended.indexOf("93.184.216.72")).toBeLessThan(5);
});
