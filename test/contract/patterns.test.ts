import { afterAll, beforeAll, expect, it } from "vitest";

import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";

// A pattern is matched with the whole text, also where the text is longer than allowed: it must take linear time.

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness.close());

const PUMPS = ["a", "A", "0", "-", ".", "/", ":", " ", "\n", "a-", "a.", "a:", "/a", "0-", "@", "a@"];
const CHARS = 60_000;
/** Tried on texts of 500 characters at most: `test/http/event-loop.test.ts` sends a longer one. */
const BOUNDED = "^https:\\/\\/[\\x21-\\x7e]*\\{id\\}[\\x21-\\x7e]*$";
/** Measured: up to 2 ms for a linear pattern, 900 ms for a quadratic one. */
const PATTERN_MS = 50;

function patternsIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value !== "object" || value === null) return found;
  for (const [name, member] of Object.entries(value)) {
    if (name === "pattern" && typeof member === "string") found.add(member);
    else patternsIn(member, found);
  }
  return found;
}

/** What the pattern itself is made of is what it repeats most. */
const pumpsOf = (pattern: string): string[] => [
  ...PUMPS,
  ...(pattern.replaceAll("\\", "").match(/[\w{}:/.-]{2,8}/g) ?? []),
];

function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function slowest(pattern: string): { readonly pump: string; readonly ms: number } {
  const expression = new RegExp(pattern, "u");
  const start = /^\^?([\w:/-]*)/.exec(pattern.replaceAll("\\/", "/"))?.[1] ?? "";
  const times = pumpsOf(pattern).map((pump) => {
    const text = `${start}${pump.repeat(Math.ceil(CHARS / pump.length))}\0`;
    const attempt = () => cpuMs(() => void expression.test(text));
    const ms = attempt();
    return { pump, ms: ms > PATTERN_MS ? attempt() : ms };
  });
  return times.reduce((most, each) => (each.ms > most.ms ? each : most));
}

it("patterns of the contract take linear time", async () => {
  const document = await harness.call("GET", "/openapi.json");
  const patterns = [...patternsIn(document.json)];
  expect(patterns.length).toBeGreaterThan(30);
  expect(patterns).toContain(BOUNDED);
  const slow = patterns
    .filter((pattern) => pattern !== BOUNDED)
    .map((pattern) => ({ pattern, ...slowest(pattern) }))
    .filter(({ ms }) => ms > PATTERN_MS);
  expect(slow).toEqual([]);
}, 60_000);
