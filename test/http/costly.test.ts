import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { endpoints, pathOf } from "../contract/world.ts";
import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";

// Input that costs far more than its size: one request of it would hold up everybody else's.

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await harness.close();
});

/** Marks that composing has to put in order, one by one: the work grows with the square of their number. */
const marks = (count: number): string => "a" + "\u0315".repeat(count) + "\u0300".repeat(count);

/** Length of the longest text that was composed while `work` ran. */
async function longestComposed(work: () => Promise<unknown>): Promise<number> {
  const normalize = vi.spyOn(String.prototype, "normalize");
  await work();
  const lengths = normalize.mock.contexts.map((text) => String(text).length);
  normalize.mockRestore();
  return Math.max(0, ...lengths);
}

const COMPOSED_MAX = 2_048;

it.each([
  ["store identifier", { email: "dev@bakery.example", storeIdentifier: marks(3_000) }],
  ["e-mail domain", { email: `dev@${marks(3_000)}.example`, storeIdentifier: "demo-bakery" }],
])("422 for an endless %s, before it is composed", async (_, body) => {
  for (const path of ["/api/platform/signup", "/signup"]) {
    let status = 0;
    const longest = await longestComposed(async () => {
      status = (await harness.call("POST", path, { body })).status;
    });
    expect([path, status]).toEqual([path, 422]);
    expect(longest).toBeLessThanOrEqual(COMPOSED_MAX);
  }
});

it("403 for an endless X-Service-Store, before it is composed", async () => {
  const key = await harness.key();
  const name = Buffer.from(marks(3_000)).toString("latin1");
  let status = 0;
  const longest = await longestComposed(async () => {
    status = (await harness.call("GET", "/v1/account", { key, headers: { "x-service-store": name } })).status;
  });
  expect(status).toBe(403);
  expect(longest).toBeLessThanOrEqual(COMPOSED_MAX);
});

it("400 for an error after a million line breaks, which are counted without a list of them", async () => {
  const key = await harness.key();
  const body = `[1${"\n".repeat(1_000_000)}  x`;
  const split = vi.spyOn(String.prototype, "split");
  const headers = { "content-type": "application/json" };
  const { status, json } = await harness.call("POST", "/v1/menus/price", { key, body, headers });
  const most = Math.max(...split.mock.results.map(({ value }) => (value as string[]).length));
  expect([status, json.error.detail]).toEqual([
    400,
    "The request body is not valid JSON: error at line 1000001, column 3.",
  ]);
  expect(most).toBeLessThan(100);
});

it("422 names at most 100 of many invalid places, and looks no further", async () => {
  const key = await harness.key();
  const body = { zone_id: "zon_1", patterns: Array.from({ length: 4_000 }, () => 0) };
  const { status, json } = await harness.call("POST", "/v1/delivery/outcodes/bulk", { key, body });
  expect([status, json.error.detail]).toEqual([
    422,
    "More than 100 fields are invalid. The first 100 are listed.",
  ]);
  expect(json.error.errors).toHaveLength(100);
  expect(json.error.errors[99]).toEqual({
    pointer: "#/patterns/99",
    detail: "Expected a string, received a number.",
  });
});

it("413 for a body of more values than are checked", async () => {
  const key = await harness.key();
  const lines = (count: number) => ({ lines: Array.from({ length: count }, () => ({})) });
  const send = (count: number) => harness.call("POST", "/v1/menus/price", { key, body: lines(count) });
  const refused = await send(100_001);
  expect([refused.status, refused.json.error.detail]).toEqual([
    413,
    "The request body contains more than 100000 values.",
  ]);
  expect((await send(200)).status).toBe(422);
  // Also empty lists are values: half a million of them fit into 1 MB.
  const nested = `{"lines":[${Array.from({ length: 3_500 }, () => "[".repeat(29) + "]".repeat(29)).join(",")}]}`;
  const answer = await harness.call("POST", "/v1/menus/price", {
    key,
    body: nested,
    headers: { "content-type": "application/json" },
  });
  expect(answer.status).toBe(413);
});

it("413 for objects of more members than are checked, over all of a body", async () => {
  const key = await harness.key();
  const title = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, "a"]));
  const send = (...counts: number[]) =>
    harness.call("POST", "/v1/menus/items/bulk", { key, body: { operations: counts.map(title) } });
  const detail = "The request body contains more than 2000 members in objects of more than 100 members.";
  for (const counts of [[2_102], [1_102, 1_102]]) {
    const { status, json } = await send(...counts);
    expect([status, json.error.detail]).toEqual([413, detail]);
  }
  expect((await send(2_101)).status).toBe(422);
  expect((await send(...Array.from({ length: 60 }, () => 101))).status).toBe(422);
});

it("does not search an endless allergen code for what it may mean, nor repeat it", async () => {
  const key = await harness.key();
  const body = { text: "Bread.", avoid: ["a-".repeat(200_000)] };
  const { status, text } = await harness.call("POST", "/v1/allergens/check", { key, body });
  expect(status).toBe(422);
  expect(text.length).toBeLessThan(1_000);
});

it("422 for far more photos of a review than a form sends, each of them invalid", async () => {
  const endpoint = endpoints.find(({ route }) => route.id === "public.reviews.submit");
  if (endpoint === undefined) throw new Error("There is no such route.");
  const body = { photos: Array.from({ length: 45_000 }, () => ({})) };
  const { status } = await harness.call("POST", pathOf(endpoint), { body });
  expect(status).toBe(422);
});
