import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createHarness } from "../harness.ts";
import type { Answer, Harness, TestKey } from "../harness.ts";

const START = "2026-06-01T09:00:00.250Z";
const START_MS = Date.parse(START);

let harness: Harness;
let key: TestKey;
beforeEach(async () => {
  harness = await createHarness({ now: START });
  key = await harness.key({ plan: "free" });
});
afterEach(() => harness.close());

const get = (path = "/v1/reviews", more = {}): Promise<Answer> => harness.call("GET", path, { key, ...more });
const header = (answer: Answer, name: string): string => answer.headers.get(name) ?? "";
const left = (answer: Answer): number => Number(header(answer, "x-ratelimit-remaining"));

/** Every place that tells the limit must tell the same. */
function expectOneArithmetic(answer: Answer, now: number): void {
  const limit = Number(header(answer, "x-ratelimit-limit"));
  const remaining = left(answer);
  const reset = Number(header(answer, "x-ratelimit-reset"));
  const [, r, t] = /^"per-key";r=(\d+);t=(\d+)$/.exec(header(answer, "ratelimit")) ?? [];
  expect(header(answer, "ratelimit-policy")).toBe(`"per-key";q=${limit};w=60`);
  expect(Number(r)).toBe(remaining);
  expect(Number(t)).toBeGreaterThanOrEqual(1);
  expect(Number(t)).toBeLessThanOrEqual(60);
  expect(Math.abs(reset - now / 1000 - Number(t))).toBeLessThan(1);
  if (answer.json?.meta !== undefined)
    expect(answer.json.meta.rate_limit).toEqual({ limit, remaining, reset });
  const retryAfter = answer.headers.get("retry-after");
  if (answer.status === 429) {
    expect(retryAfter).toBe(t);
    expect(remaining).toBe(0);
    expect(answer.json.error.detail).toContain(`${limit} requests per minute`);
    expect(answer.json.error.detail).toContain(`Retry in ${t} second`);
  } else expect(retryAfter).toBeNull();
}

describe("rate limit", () => {
  it("tells one arithmetic everywhere, from the first request to the refusal", async () => {
    const seen: number[] = [];
    for (let count = 0; count < 63; count += 1) {
      const answer = await get();
      expectOneArithmetic(answer, harness.clock.now());
      seen.push(answer.status);
      harness.clock.advance(500);
    }
    expect(seen).toEqual([...Array.from({ length: 60 }, () => 200), 429, 429, 429]);
  });

  it("counts in a window of 60 seconds from the first request", async () => {
    const first = await get();
    expect(Number(header(first, "x-ratelimit-reset"))).toBe(Math.ceil((START_MS + 60_000) / 1000));
    harness.clock.advance(59_999);
    const last = await get();
    expect([left(first), left(last), header(last, "ratelimit")]).toEqual([59, 58, '"per-key";r=58;t=1']);
    harness.clock.advance(1);
    expect(left(await get())).toBe(59);
  });

  it("does not count what it refuses", async () => {
    for (let count = 0; count < 100; count += 1) await get();
    harness.clock.advance(60_000);
    expect(left(await get())).toBe(59);
  });

  it("lets exactly 60 of 100 simultaneous requests pass, each with its own remaining", async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => get()));
    const passed = answers.filter(({ status }) => status === 200);
    expect(passed.length).toBe(60);
    expect(answers.filter(({ status }) => status === 429).length).toBe(40);
    expect(new Set(passed.map(left)).size).toBe(60);
  });

  it.each([
    [403, "GET", "/v1/reviews", { "x-service-store": "other" }],
    [404, "GET", "/v1/nowhere", {}],
    [405, "PUT", "/v1/reviews", {}],
    [415, "POST", "/v1/delivery/validate", { "content-type": "text/plain" }],
    [422, "GET", "/v1/reviews?limit=0", {}],
    [200, "HEAD", "/v1/reviews", {}],
  ])("counts a %i as one", async (status, method, path, headers) => {
    const before = await get();
    const body = method === "POST" ? { body: "{}" } : {};
    const answer = await harness.call(method, path, { key, headers, ...body });
    expect(answer.status).toBe(status);
    expectOneArithmetic(answer, harness.clock.now());
    expect(left(before) - left(answer)).toBe(1);
  });

  it.each([
    ["an unknown key", () => harness.call("GET", "/v1/reviews", { key: `${key.plaintext}x` })],
    ["OPTIONS", () => harness.call("OPTIONS", "/v1/reviews", { key })],
    ["a look at the limit", () => get("/v1/account/rate-limit")],
    ["the documentation", () => harness.call("GET", "/openapi.json", { key })],
    ["the front door", () => harness.call("GET", "/", { key })],
  ])("does not count %s", async (_, call) => {
    const before = await get();
    await call();
    await call();
    expect(left(before) - left(await get())).toBe(1);
  });

  it("lets a used-up key look at its limit", async () => {
    for (let count = 0; count < 61; count += 1) await get();
    const look = await get("/v1/account/rate-limit");
    expect(look.status).toBe(200);
    expectOneArithmetic(look, harness.clock.now());
    expect(look.json.data).toMatchObject({ limit: 60, remaining: 0 });
  });

  it("counts each key for itself, and each by its own plan", async () => {
    await get();
    const other = await harness.key({ plan: "starter" });
    const answer = await harness.call("GET", "/v1/reviews", { key: other });
    expect([header(answer, "x-ratelimit-limit"), left(answer)]).toEqual(["300", 299]);
    expect(left(await get())).toBe(58);
  });

  it("keeps the count when the plan changes in the middle of a window", async () => {
    for (let count = 0; count < 60; count += 1) await get();
    expect((await get()).status).toBe(429);
    const path = `/api/platform/admin/customers/${key.customerId}/plan`;
    expect((await harness.admin("POST", path, { body: { plan: "starter" } })).status).toBe(200);
    const upgraded = await get();
    expect([upgraded.status, left(upgraded)]).toEqual([200, 239]);
    expect((await harness.admin("POST", path, { body: { plan: "free" } })).status).toBe(200);
    expect((await get()).status).toBe(429);
  });
});

describe("requests that do not count", () => {
  const paths = ["/v1/account/rate-limit", "/v1/account/usage/budgets"];

  it("are limited to 300 a minute of one key, and do not use up what others need", async () => {
    for (let count = 0; count < 300; count += 1) {
      const answer = await get(paths[count % 2]);
      if (answer.status !== 200) throw new Error(`${count}: ${answer.text}`);
    }
    harness.clock.advance(10_000);
    for (const path of paths) {
      const refused = await get(path);
      expect([refused.status, header(refused, "retry-after")]).toEqual([429, "50"]);
      expect([header(refused, "x-ratelimit-limit"), left(refused)]).toEqual(["60", 60]);
      expect(refused.json.error.detail).toBe(
        "This API key can send 300 requests per minute that do not count towards its rate limit. Retry in 50 seconds.",
      );
    }
    const counted = await get();
    expect([counted.status, left(counted)]).toEqual([200, 59]);
    const other = await harness.key({ plan: "free" });
    expect((await get(paths[0], { key: other })).status).toBe(200);
    harness.clock.advance(50_000);
    expect((await get(paths[0])).status).toBe(200);
  });
});
