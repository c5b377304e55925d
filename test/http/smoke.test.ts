import { afterEach, expect, it } from "vitest";

import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";

let harness: Harness;
afterEach(() => harness.close());

it("401 without a key, 404 with one, on a path that does not exist", async () => {
  harness = await createHarness();
  const without = await harness.call("GET", "/v1/nowhere");
  expect(without.status).toBe(401);
  const key = await harness.key();
  const found = await harness.call("GET", "/v1/nowhere", { key });
  expect([found.status, found.json]).toMatchObject([404, { error: { type: "not_found" } }]);
  expect(found.headers.get("x-ratelimit-remaining")).toBe("29999");
});
