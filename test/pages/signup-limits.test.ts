import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";
import { longestOf, TURN_MS } from "../support/longest-turn.ts";

// The page of the signup form shows again what was typed: it must not be longer than what a person types.

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness.close());

// Just below what is read without a key; each of these is three characters long in a form.
const LONG = 21_000;
const signUp = (body: Readonly<Record<string, string>>) => harness.call("POST", "/signup", { body });

describe.each([
  ["an address of escapes", { email: "&".repeat(LONG), storeIdentifier: "shop" }],
  ["an address of many parts", { email: `${"a@".repeat(LONG / 2)}b.co`, storeIdentifier: "shop" }],
  ["a store of quotes", { email: "ada@shop.example", storeIdentifier: '"'.repeat(LONG / 2) }],
  ["a store of blanks", { email: "ada@shop.example", storeIdentifier: `x${" ".repeat(LONG)}y` }],
  ["a store of prefixes of keys", { email: "ada@shop.example", storeIdentifier: "plat_live_".repeat(6_000) }],
])("%s of 64 KB", (_, body) => {
  it("is refused with a short page, in a short turn", async () => {
    const most = (await harness.call("GET", "/signup")).text.length + 8_000;
    const longest = await longestOf(
      () => harness.clock.advance(3_600_000),
      async () => {
        const { status, text } = await signUp(body);
        expect([status, text.length < most, text.match(/id="\w+-wrong"/g)?.length]).toEqual([422, true, 1]);
      },
    );
    expect(longest).toBeLessThan(TURN_MS);
  });
});

it("names the field that is too long", async () => {
  const { text } = await signUp({ email: "&".repeat(5_000), storeIdentifier: "x".repeat(5_000) });
  expect(text).toContain("Expected an e-mail address such as dev@shop.example.");
  expect(text).toContain("Expected at most 255 characters.");
});
