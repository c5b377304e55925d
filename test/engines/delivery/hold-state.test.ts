import { describe, expect, it } from "vitest";

import { extendedExpiry, holdStateAt, stepOf } from "../../../server/engines/delivery/rules/hold-state.ts";
import { ms } from "./fixture.ts";

const EXPIRES = "2026-07-01T12:15:00.000Z";

describe("holdStateAt", () => {
  it.each([
    ["held", "2026-07-01T12:14:59.999Z", "held"],
    ["held", "2026-07-01T12:15:00.000Z", "expired"],
    ["confirmed", "2026-07-01T13:00:00.000Z", "confirmed"],
    ["released", "2026-07-01T13:00:00.000Z", "released"],
  ] as const)("%s at %s is %s", (state, at, expected) => {
    expect(holdStateAt({ state, expires_at: EXPIRES }, ms(at))).toBe(expected);
  });
});

describe("stepOf", () => {
  it.each([
    ["confirm", "held", "apply"],
    ["confirm", "confirmed", "keep"],
    ["confirm", "released", "invalid"],
    ["confirm", "expired", "apply_if_free"],
    ["extend", "held", "apply"],
    ["extend", "confirmed", "invalid"],
    ["extend", "released", "invalid"],
    ["extend", "expired", "expired"],
    ["release", "held", "apply"],
    ["release", "confirmed", "apply"],
    ["release", "released", "keep"],
    ["release", "expired", "apply"],
  ] as const)("%s of a %s hold: %s", (action, state, expected) =>
    expect(stepOf(action, state)).toBe(expected),
  );
});

describe("extendedExpiry", () => {
  const createdAt = ms("2026-07-01T12:00:00Z");
  const expiresAt = ms("2026-07-01T12:15:00Z");
  it.each([
    ["from now on", "2026-07-01T12:10:00Z", 900, "2026-07-01T12:25:00Z"],
    ["never shorter", "2026-07-01T12:01:00Z", 60, "2026-07-01T12:15:00Z"],
    ["never past its whole life", "2026-07-01T12:10:00Z", 7200, "2026-07-01T14:00:00Z"],
  ])("%s", (_, now, ttl, expected) => {
    expect(extendedExpiry({ createdAt, expiresAt }, ms(now), ttl, 7200)).toBe(ms(expected));
  });
});
