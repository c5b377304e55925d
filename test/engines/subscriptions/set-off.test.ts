import { expect, it } from "vitest";

import { isSetOff } from "../../../server/engines/subscriptions/rules/set-off.ts";

const ended = (refund: "none" | "prorated" | "full", endedOn: string, requestedOn = "2026-06-01") =>
  isSetOff({
    cancellation: {
      requested_at: `${requestedOn}T09:00:00.000Z`,
      effective_on: "2026-07-01",
      reason_code: "other",
      comment: "",
      by: "merchant",
      refund,
    },
    ended_at: `${endedOn}T09:00:00.000Z`,
    timezone: "Europe/London",
  });

it("what was owed is set off by the refund with which a contract ended", () => {
  expect(ended("prorated", "2026-07-01")).toBe(true);
  expect(ended("full", "2026-07-01", "2026-07-01")).toBe(true);
});

it("it is not without a refund, by one in full that was made before, or where dunning ended the contract first", () => {
  expect(ended("none", "2026-07-01")).toBe(false);
  expect(ended("full", "2026-07-01")).toBe(false);
  expect(ended("prorated", "2026-06-20")).toBe(false);
  expect(isSetOff({ cancellation: null, ended_at: null, timezone: "Europe/London" })).toBe(false);
});
