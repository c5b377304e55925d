import { describe, expect, it } from "vitest";

import { resolveAddress } from "../../../server/engines/delivery/rules/resolve-address.ts";
import type { Address } from "../../../server/engines/delivery/rules/resolve-address.ts";
import { plan } from "./fixture.ts";

const { index } = plan();
const resolve = (postcode: string, autocorrect = false, country = "GB"): Address =>
  resolveAddress(index, { postcode, country }, autocorrect);

describe("resolveAddress", () => {
  it.each([
    ["SW1A 1AA", "zon_1", null],
    ["S1 2AA", null, "out_of_zone"],
    ["SE28 0AA", null, "zone_excluded"],
    ["GX11 1AA", undefined, "postcode_invalid"],
    ["GIR 0AA", undefined, "postcode_not_deliverable"],
  ])("%s", (text, zoneId, code) => {
    const { match, reason } = resolve(text);
    expect([match?.zoneId, reason?.code ?? null]).toEqual([zoneId, code]);
  });

  it("finds an address once for the same zones, and again for others", () => {
    expect(resolve("SW1A 1AA")).toBe(resolve("SW1A 1AA"));
    expect(resolve("SWIA 2AA", true)).not.toBe(resolve("SWIA 2AA"));
    const others = plan({ zones: [] }).index;
    const elsewhere = resolveAddress(others, { postcode: "SW1A 1AA", country: "GB" }, false);
    expect([resolve("SW1A 1AA").match?.zoneId, elsewhere.match?.zoneId]).toEqual(["zon_1", null]);
  });

  it("only proposes a correction", () => {
    expect(resolve("SWIA 2AA")).toMatchObject({
      match: null,
      suggestion: "SW1A 2AA",
      correctedFrom: null,
      reason: { code: "postcode_invalid" },
    });
    expect(resolve("SW1A 2AA").suggestion).toBeNull();
    expect(resolve("GIR OAA").suggestion).toBeNull();
  });

  it("uses it where the store asked for it, and says so", () => {
    expect(resolve("swia 2aa", true)).toMatchObject({
      parsed: { ok: true, value: { postcode: "SW1A 2AA" } },
      match: { zoneId: "zon_1" },
      suggestion: "SW1A 2AA",
      correctedFrom: "swia 2aa",
      reason: null,
    });
    expect(resolve("SW1A 2AA", true)).toMatchObject({ suggestion: null, correctedFrom: null });
  });

  it("corrects UK postcodes only", () => expect(resolve("I0I15", true, "DE").suggestion).toBeNull());
});
