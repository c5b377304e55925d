import { expect, it } from "vitest";

import { nextRunAt } from "../../../server/engines/answeros/rules/next-run.ts";

const at = (text: string) => Date.parse(`2026-06-${text}:00.000Z`);
const last = "2026-06-01T09:00:00.000Z";

it.each([
  ["manual", last, at("02T09:00"), null],
  ["daily", null, at("02T09:00"), at("02T09:00")],
  ["daily", last, at("01T09:00"), at("02T09:00")],
  ["daily", last, at("02T09:00"), at("02T09:00")],
  ["daily", last, at("02T09:01"), at("03T09:00")],
  ["daily", last, at("05T10:00"), at("06T09:00")],
  ["weekly", last, at("01T09:00"), at("08T09:00")],
  ["weekly", last, at("20T00:00"), at("22T09:00")],
] as const)("%s, last %s", (cadence, before, now, expected) => {
  expect(nextRunAt(cadence, before, now)).toBe(expected);
});
