import { describe, expect, it } from "vitest";

import { DAY_MS } from "../../../server/lib/instant.ts";
import { dayOf, stretchesOf, timeMs } from "../../../server/engines/menus/rules/wall-clock.ts";

const HOUR = 3_600_000;

describe("stretchesOf", () => {
  it("splits a span where the offset changes, at the instant itself", () => {
    const fromMs = Date.parse("2026-10-24T00:00:00Z");
    expect(stretchesOf("Europe/London", fromMs, fromMs + 3 * DAY_MS)).toEqual([
      { fromMs, untilMs: Date.parse("2026-10-25T01:00:00Z"), offsetMs: HOUR },
      { fromMs: Date.parse("2026-10-25T01:00:00Z"), untilMs: fromMs + 3 * DAY_MS, offsetMs: 0 },
    ]);
  });

  it("is one stretch in a zone that never changes, and none for an empty span", () => {
    expect(stretchesOf("Asia/Kolkata", 0, DAY_MS)).toEqual([
      { fromMs: 0, untilMs: DAY_MS, offsetMs: 5.5 * HOUR },
    ]);
    expect(stretchesOf("Europe/London", 5, 5)).toEqual([]);
  });
});

it("days are numbered from 1970-01-01 of the wall clock, before it too", () =>
  expect([dayOf(DAY_MS - 1), dayOf(DAY_MS), dayOf(-1)]).toEqual([0, 1, -1]));

it("timeMs counts from midnight", () =>
  expect([timeMs("00:00"), timeMs("23:59")]).toEqual([0, 23 * HOUR + 59 * 60_000]));
