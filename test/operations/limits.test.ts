import { afterEach, expect, it } from "vitest";

import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";
import { makeAccount, operator } from "../accounts/support.ts";

let harness: Harness;
afterEach(() => harness.close());

it("200 for exactly 60 of 100 simultaneous requests with a fresh Free key; remaining takes each value once", async () => {
  harness = await createHarness();
  const { apiKey } = await makeAccount(harness);
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => harness.call("GET", "/v1/reviews", { key: apiKey })),
  );
  const passed = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status === 429);
  expect([passed.length, refused.length]).toEqual([60, 40]);
  const remaining = passed.map(({ json }) => json.meta.rate_limit.remaining).sort((a, b) => a - b);
  expect(remaining).toEqual(Array.from({ length: 60 }, (_, index) => index));
  for (const { json, headers } of passed) {
    expect(headers.get("x-ratelimit-remaining")).toBe(String(json.meta.rate_limit.remaining));
  }
  for (const { headers } of refused) {
    expect([headers.get("retry-after"), headers.get("x-ratelimit-remaining")]).toEqual(["60", "0"]);
  }
  harness.clock.advance(60_000);
  expect((await harness.call("GET", "/v1/reviews", { key: apiKey })).json.meta.rate_limit.remaining).toBe(59);
});

it("200 the next request has the limit of a new plan, and the window keeps its count", async () => {
  harness = await createHarness();
  const { apiKey, customerId } = await makeAccount(harness);
  const call = () => harness.call("GET", "/v1/reviews", { key: apiKey });
  const setPlan = (plan: string) => operator(harness, "POST", `/customers/${customerId}/plan`, { plan });
  await Promise.all(Array.from({ length: 60 }, call));
  expect((await call()).status).toBe(429);
  await setPlan("starter");
  const upgraded = await call();
  expect([upgraded.status, upgraded.json.meta.rate_limit]).toMatchObject([
    200,
    { limit: 300, remaining: 239 },
  ]);
  await setPlan("free");
  const downgraded = await call();
  expect([downgraded.status, downgraded.headers.get("x-ratelimit-limit")]).toEqual([429, "60"]);
  harness.clock.advance(60_000);
  expect((await call()).json.meta.rate_limit).toMatchObject({ limit: 60, remaining: 59 });
});

it("200 the limit of every plan, from 60 to 30,000", async () => {
  harness = await createHarness();
  const { apiKey, customerId } = await makeAccount(harness);
  const limits: string[] = [];
  for (const plan of ["free", "starter", "growth", "scale", "enterprise"]) {
    await operator(harness, "POST", `/customers/${customerId}/plan`, { plan });
    const seen = await harness.call("GET", "/v1/reviews", { key: apiKey });
    limits.push(seen.headers.get("x-ratelimit-limit") ?? "");
  }
  expect(limits).toEqual(["60", "300", "1500", "6000", "30000"]);
});
