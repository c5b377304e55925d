import { afterAll, beforeAll, expect, it } from "vitest";

import { createHarness } from "../harness.ts";
import type { Harness, TestKey } from "../harness.ts";
import { longestOf, many, TURN_MS } from "../support/longest-turn.ts";

// V8 makes a hidden class of each sequence of member names that it parses: 90,000 of them took half a second.

let harness: Harness;
let key: TestKey;
beforeAll(async () => {
  harness = await createHarness();
  key = await harness.key({ plan: "scale" });
});
afterAll(() => harness.close());

/** What parsing is for: the schema refuses it, or ignores it. */
const post = (body: string) => harness.call("POST", "/v1/content/drafts", { key, body });
const longestPost = (bodyOf: () => string, status: number): Promise<number> =>
  longestOf(
    () => {
      harness.clock.advance(3_600_000);
      return bodyOf();
    },
    async (body) => {
      expect((await post(body)).status).toBe(status);
    },
  );

let used = 1e9;
const newNames = (count: number): string[] => many(count, () => (used += 1).toString(36));
const objectOf = (names: readonly string[]): string => `{${names.map((name) => `"${name}":1`).join()}}`;
const bodyOf = (objects: readonly string[]): string => `{"x":[${objects.join()}]}`;

const FEW = many(100, (n) => `n${n}`);
const shuffled = (names: readonly string[]): string[] =>
  names
    .map((name) => [Math.random(), name] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, name]) => name);

it.each([
  [900, 100],
  [4_500, 20],
  [28_000, 3],
])("refuses %d objects of %d names each, all different, before it parses them", async (objects, names) => {
  const longest = await longestPost(() => bodyOf(many(objects, () => objectOf(newNames(names)))), 413);
  expect(longest).toBeLessThan(TURN_MS);
});

it("refuses the same names in as many orders, and as many beginnings of few orders", async () => {
  const orders = () => bodyOf(many(900, () => objectOf(shuffled(FEW))));
  expect(await longestPost(orders, 413)).toBeLessThan(TURN_MS);
  const beginnings = () =>
    bodyOf(
      many(19, () => shuffled(FEW)).flatMap((names) => FEW.map((_, n) => objectOf(names.slice(0, n + 1)))),
    );
  expect(await longestPost(beginnings, 413)).toBeLessThan(TURN_MS);
});

it.each([
  [
    "escapes",
    (n: number) =>
      n
        .toString(8)
        .padStart(6, "0")
        .split("")
        .map((at) => `\\${'"\\/bfnrt'[Number(at)]}`),
  ],
  [
    "letters and escapes",
    (n: number) =>
      n
        .toString(2)
        .padStart(16, "0")
        .split("")
        .map((bit) => (bit === "1" ? "n" : "\\n")),
  ],
])("tells names of %s apart", async (_, charsOf) => {
  const names = many(30_000, (n) => charsOf(n).join(""));
  const answer = await post(bodyOf(many(300, (n) => objectOf(names.slice(n * 100, n * 100 + 100)))));
  expect(answer.status).toBe(413);
});

it("says what to change", async () => {
  const { json } = await post(bodyOf(many(900, () => objectOf(newNames(100)))));
  expect(json.error).toMatchObject({
    type: "content_too_large",
    detail:
      "The request body contains objects with different member names that have more than 20000 members. Use the same names, in the same order, or send several requests.",
  });
});

it("takes a body of as many members as there may be in objects that are alike", async () => {
  expect((await post(bodyOf(many(4_600, () => objectOf(FEW.slice(0, 20)))))).status).toBe(422);
});

it("takes a thousand rows of which each has others of twenty members", async () => {
  const rows = many(1_000, () => objectOf(FEW.slice(0, 20).filter(() => Math.random() < 0.9)));
  expect((await post(bodyOf(rows))).status).toBe(422);
});

it("parses what is just below the limit in a short turn", async () => {
  const body = () => bodyOf(many(199, () => objectOf(newNames(100))));
  expect(await longestPost(body, 422)).toBeLessThan(TURN_MS);
});

it("takes 64 KB from a request without a key", async () => {
  const signUp = (length: number) =>
    harness.call("POST", "/api/platform/signup", { body: `{"a":"${"a".repeat(length - 8)}"}` });
  expect((await signUp(65_536)).status).toBe(422);
  const { json, status } = await signUp(65_537);
  expect(status).toBe(413);
  expect(json.error.detail).toContain("65536 bytes");
});
