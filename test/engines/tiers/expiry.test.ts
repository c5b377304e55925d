import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { endedTerms, expiryOf, termAfter } from "../../../server/engines/tiers/rules/expiry.ts";
import { addDays } from "../../../server/lib/local-time.ts";
import type { Term } from "../../../server/engines/tiers/schema/programme.ts";

const of = (term: Partial<Term>, startDate = "2024-04-06") => ({
  term: { type: "rolling" as const, months: 12, round_to: "none" as const, ...term },
  start_date: startDate,
});

describe("expiryOf", () => {
  it.each([
    ["rolling", of({}), "2019-03-03", [0, "2020-03-03"]],
    ["a day that the month lacks", of({ months: 1 }), "2024-01-31", [0, "2024-02-29"]],
    ["no drift after it", of({ months: 1 }), "2024-01-31", [1, "2024-03-31"]],
    ["rounded to the month", of({ round_to: "month" }), "2025-03-15", [0, "2026-04-01"]],
    ["already at the end of a month", of({ round_to: "month" }), "2025-03-01", [0, "2026-03-01"]],
    ["rounded to the quarter", of({ round_to: "quarter" }), "2025-03-15", [0, "2026-04-01"]],
    ["rounded to the half", of({ round_to: "half" }), "2025-03-15", [0, "2026-07-01"]],
    ["rounded to the year", of({ round_to: "year" }), "2025-03-15", [0, "2027-01-01"]],
    ["rounded in the first centuries", of({ round_to: "year" }), "0001-03-15", [0, "0003-01-01"]],
    ["calendar", of({ type: "calendar" }), "2018-11-14", [0, "2020-01-01"]],
    ["calendar in the first centuries", of({ type: "calendar" }), "0001-03-15", [0, "0003-01-01"]],
    ["calendar, renewed", of({ type: "calendar" }), "2018-11-14", [1, "2021-01-01"]],
    ["absolute", of({ type: "absolute" }), "2025-03-15", [0, "2025-04-06"]],
    ["absolute, on the first day of a cycle", of({ type: "absolute" }), "2025-04-06", [0, "2026-04-06"]],
    ["absolute, before the first cycle", of({ type: "absolute" }), "2022-01-01", [0, "2022-04-06"]],
    ["absolute, renewed twice", of({ type: "absolute", months: 6 }), "2025-03-15", [2, "2026-04-06"]],
    ["lifetime", of({ type: "lifetime" }), "2025-03-15", [0, null]],
    ["immediate", of({ type: "immediate" }), "2025-03-15", [0, null]],
  ] as const)("%s", (_, rules, since, [renewals, expected]) =>
    expect(expiryOf(rules, since, renewals)).toBe(expected),
  );

  const term = fc.record({
    type: fc.constantFrom("rolling" as const, "calendar" as const, "absolute" as const),
    months: fc.integer({ min: 1, max: 60 }),
    round_to: fc.constantFrom("none", "month", "quarter", "half", "year"),
  });

  it("lies after the upgrade, and later with each renewal (T5)", () => {
    fc.assert(
      fc.property(term, fc.integer({ min: 0, max: 6000 }), fc.integer({ min: 0, max: 9 }), (t, day, n) => {
        const since = addDays("2015-01-01", day);
        const first = expiryOf(of(t), since, n) ?? "";
        expect(first > since).toBe(true);
        expect((expiryOf(of(t), since, n + 1) ?? "") >= first).toBe(true);
      }),
    );
  });

  const oneByOne = (t: Parameters<typeof of>[0], since: string, day: string) => {
    let renewals = 0;
    while ((expiryOf(of(t), since, renewals) ?? "") <= day) renewals += 1;
    return { renewals, expires_on: expiryOf(of(t), since, renewals) };
  };

  it("is over for all terms but the last ones where they are counted at once", () => {
    fc.assert(
      fc.property(
        term,
        fc.integer({ min: 0, max: 6000 }),
        fc.integer({ min: 0, max: 30_000 }),
        (t, from, days) => {
          const since = addDays("2015-01-01", from);
          const day = addDays(since, days);
          const ended = endedTerms(of(t), since, day);
          if (ended >= 0) expect((expiryOf(of(t), since, ended) ?? "") <= day).toBe(true);
          expect(termAfter(of(t), { since, renewals: 0 }, day)).toEqual(oneByOne(t, since, day));
          const all = ended + Math.ceil(36 / t.months) + 4;
          expect((expiryOf(of(t), since, Math.max(0, all)) ?? "") > day).toBe(true);
        },
      ),
    );
  });
});
