import { describe, expect, it } from "vitest";

import { JITTER, judge, LADDER_MS, nextAttempt } from "../../../server/operations/webhooks/ladder.ts";

const NOW = Date.parse("2026-06-01T09:00:00.000Z");
const at = (attempts: number, more: { random?: number; retryAfter?: string } = {}) =>
  nextAttempt(attempts, { now: NOW, random: more.random ?? 0.5, retryAfter: more.retryAfter });

describe("the ladder", () => {
  it("waits 5 s, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h after the attempts that failed, and then no more", () => {
    const waits = Array.from({ length: 9 }, (_, index) => ((at(index + 1) ?? 0) - NOW) / 1000);
    expect(waits).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
    expect(LADDER_MS[0]).toBe(0);
    expect(at(10)).toBeNull();
    expect(at(25)).toBeNull();
  });

  it("spreads a crowd by a tenth to either side", () => {
    expect(at(2, { random: 0 })).toBe(NOW + 300_000 * (1 - JITTER));
    expect(at(2, { random: 0.999_999_9 })).toBe(NOW + 300_000 * (1 + JITTER));
  });

  it.each([
    ["seconds that are longer", "900", 900_000],
    ["seconds that are shorter", "10", 300_000],
    ["a date", "Mon, 01 Jun 2026 10:00:00 GMT", 3_600_000],
    ["a date that is over", "Mon, 01 Jun 2020 10:00:00 GMT", 300_000],
    ["more than a day", "999999999", 86_400_000],
    ["nonsense", "soon", 300_000],
    ["a negative number", "-5", 300_000],
    ["nothing", "", 300_000],
  ])("honours a Retry-After of %s", (_, retryAfter, waitMs) => {
    expect(at(2, { retryAfter })).toBe(NOW + waitMs);
  });

  it.each([
    [200, "delivered"],
    [204, "delivered"],
    [299, "delivered"],
    [301, "failed"],
    [400, "failed"],
    [404, "failed"],
    [410, "gone"],
    [429, "failed"],
    [500, "failed"],
    [null, "failed"],
  ] as const)("takes %s for %s", (status, verdict) => {
    expect(judge({ status, error: null })).toBe(verdict);
  });
});
