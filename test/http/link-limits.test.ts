import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import type { Incoming, Outgoing } from "../../server/http/messages.ts";
import { namespaces } from "../../server/registry.ts";
import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";
import { createPipeline } from "../support/match.ts";

let harness: Harness;
let handle: (req: Incoming) => Promise<Outgoing>;
beforeAll(async () => {
  harness = await createHarness();
  handle = createPipeline(harness.services, namespaces);
});
afterAll(() => harness.close());

const incoming = {
  header: (): string | undefined => undefined,
  stream: () => new ReadableStream<Uint8Array>(),
  body: () => Promise.resolve(new Uint8Array()),
  signal: () => new AbortController().signal,
};

const statusOf = async (target: string, peer: string, method = "GET"): Promise<number> => {
  const { status } = await handle({ ...incoming, method, target, peer });
  return status;
};

/** How many of so many requests were not refused for their number. */
async function countPassed(
  times: number,
  peer: string,
  pathOf: (n: number) => string,
  method?: string,
): Promise<number> {
  let passed = 0;
  for (let n = 0; n < times; n += 1) if ((await statusOf(pathOf(n), peer, method)) !== 429) passed += 1;
  return passed;
}

const feed = (store: string) => `/api/public/stores/${store}/content/rss`;

describe("what anybody may request without a key", () => {
  it("is limited to 120 requests a minute for one path and visitor", async () => {
    expect(await countPassed(130, "93.184.216.40", () => feed("sto_one"))).toBe(120);
    expect(await statusOf(feed("sto_two"), "93.184.216.40")).not.toBe(429);
    expect(await statusOf(feed("sto_one"), "93.184.216.41")).not.toBe(429);
    harness.clock.advance(60_000);
    expect(await statusOf(feed("sto_one"), "93.184.216.40")).not.toBe(429);
  });

  it("is limited to 600 requests a minute for one visitor", async () => {
    harness.clock.advance(60_000);
    expect(await countPassed(620, "93.184.216.42", (n) => feed(`sto_${n}`))).toBe(600);
  });

  it("is remembered for a bounded number of paths, whatever paths a visitor invents", async () => {
    harness.clock.advance(60_000);
    const names = new Set<string>();
    const take = vi.spyOn(harness.services.store, "take");
    await countPassed(625, "93.184.216.44", (n) => feed(`sto_${n}`));
    for (const [counter] of take.mock.calls) names.add(counter);
    take.mockRestore();
    expect(names.size).toBe(601);
  });

  it.each([
    ["feeds", 1_200, "GET", (n: number) => feed(`sto_${n}`)],
    ["forms", 480, "GET", (n: number) => `/api/public/forms/sto_one.frm_${n}`],
    ["submissions", 60, "POST", (n: number) => `/api/public/forms/sto_one.frm_${n}`],
  ] as const)(
    "is limited for an IPv6 /48 with all its visitors: %s, %d a minute",
    async (_, max, method, pathOf) => {
      harness.clock.advance(60_000);
      let passed = 0;
      for (let n = 0; n < max + 20; n += 1)
        if ((await statusOf(pathOf(n), `2606:4700:2:${n.toString(16)}::1`, method)) !== 429) passed += 1;
      expect(passed).toBe(max);
      expect(await statusOf(pathOf(0), "2606:4700:3::1", method)).not.toBe(429);
    },
  );

  it("is limited to 15 submissions a minute of a form for an IPv6 /48, which leaves some to others", async () => {
    harness.clock.advance(60_000);
    const send = (peer: string) => statusOf("/api/public/forms/sto_one.frm_one", peer, "POST");
    let passed = 0;
    for (let n = 0; n < 40; n += 1)
      if ((await send(`2606:4700:1:${Math.floor(n / 4)}::1`)) !== 429) passed += 1;
    expect(passed).toBe(15);
    expect(await send("93.184.216.47")).not.toBe(429);
  });

  it("is limited to 60 submissions a minute of a form, whoever sends", async () => {
    harness.clock.advance(60_000);
    const statuses: number[] = [];
    for (let n = 0; n < 61; n += 1)
      statuses.push(await statusOf("/api/public/forms/sto_two.frm_two", `93.184.217.${n + 1}`, "POST"));
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    expect(statuses.at(-1)).toBe(429);
  });

  it.each([
    ["that invents paths", "{}"],
    ["that invents paths, with answers", '{"answers":{"name":"Ada"}}'],
    ["whose requests cannot be parsed", "{"],
  ])("leaves no window longer than a minute of a visitor %s", async (_, body) => {
    const bytes = new TextEncoder().encode(body);
    const header = (name: string) => (name === "content-type" ? "application/json" : undefined);
    const take = vi.spyOn(harness.services.store, "take");
    const peer = "2606:4700:4::1";
    const request = { method: "POST", header, body: () => Promise.resolve(bytes), peer };
    const target = "/api/public/forms/sto_one.frm_none";
    expect((await handle({ ...incoming, ...request, target })).status).toBeGreaterThanOrEqual(400);
    const counters = take.mock.calls.filter(([, , windowMs]) => windowMs > 60_000).map(([name]) => name);
    take.mockRestore();
    expect(counters.length).toBeGreaterThan(2);
    for (const counter of counters) expect(await harness.services.store.peek(counter)).toBeNull();
  });

  it.each(["/healthz", "/elements.js", "/api/hooks/payments/gw_none"])(
    "is limited to 3,000 requests a minute of %s",
    async (path) => {
      harness.clock.advance(60_000);
      const method = path.startsWith("/api/hooks/") ? "POST" : "GET";
      expect(await countPassed(3_010, "93.184.216.45", () => path, method)).toBe(3_000);
      expect(await statusOf(path, "93.184.216.46", method)).not.toBe(429);
      expect(await countPassed(3_010, "10.0.0.7", () => path, method)).toBe(3_010);
    },
  );

  it("is not limited behind a proxy that is not declared", async () => {
    expect(await countPassed(130, "10.0.0.7", () => feed("sto_one"))).toBe(130);
  });
});
