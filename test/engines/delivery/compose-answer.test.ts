import { describe, expect, it } from "vitest";

import { composeAnswer } from "../../../server/engines/delivery/rules/compose-answer.ts";
import type { AnswerParts } from "../../../server/engines/delivery/rules/compose-answer.ts";
import { resolveAddress } from "../../../server/engines/delivery/rules/resolve-address.ts";
import { ValidateAnswer } from "../../../server/engines/delivery/schema.ts";
import { fixtureZones, plan } from "./fixture.ts";

const { index } = plan();

type Answer = ReturnType<typeof composeAnswer>;

function answer(postcode: string, basketTotal: number, more: Partial<AnswerParts> = {}): Answer {
  const address = resolveAddress(index, { postcode, country: "GB" }, false);
  const zone = fixtureZones.find(({ id }) => id === address.match?.zoneId);
  const place = zone === undefined ? null : { kind: "zone" as const, zone };
  const rest = { slot: null, slotReasons: [] };
  return composeAnswer({ address, place, basketTotal, country: "GB", currency: "GBP", ...rest, ...more });
}
const codes = ({ reasons }: Answer): string[] => reasons.map(({ code }) => code);

describe("composeAnswer on fixture F", () => {
  it.each([
    // DA10 to DA15: postcode, basket, zone, fee, to minimum, to free, reasons
    ["SW1A 1AA", 2999, "zon_1", 499, 0, 2001, []],
    ["sw1a1aa", 3000, "zon_1", 299, 0, 2000, []],
    ["sw1a1aa", 5000, "zon_1", 0, 0, 0, []],
    ["SW1A 1AA", 1499, "zon_1", 499, 1, 3501, ["below_minimum_order"]],
    ["SW10 9AA", 3000, "zon_3", 899, 0, null, []],
    ["S1 2AA", 3000, undefined, null, null, null, ["out_of_zone"]],
    ["SW1X 7XJ", 4000, "zon_2", 399, 0, 4000, []],
    ["GIR 0AA", 4000, undefined, null, null, null, ["postcode_not_deliverable"]],
    ["nonsense", 4000, undefined, null, null, null, ["postcode_invalid"]],
  ])("%s with %i", (...[postcode, basket, zoneId, fee, toMinimum, toFree, reasons]) => {
    const made = answer(postcode, basket);
    expect(made).toMatchObject({ fee, amount_to_minimum: toMinimum, amount_to_free_delivery: toFree });
    expect(made.zone?.id).toBe(zoneId);
    expect(codes(made)).toEqual(reasons);
    expect(made.deliverable).toBe(reasons.length === 0);
    expect(ValidateAnswer.parse({ ...made, next_slots: [] })).toEqual({ ...made, next_slots: [] });
  });

  it("serves the whole answer", () => {
    expect(answer("SW1A 1AA", 2999)).toEqual({
      deliverable: true,
      postcode: "SW1A 1AA",
      country: "GB",
      precision: "unit",
      estimate: false,
      outcode: "SW1A",
      area: "SW",
      region: "geographic",
      zone: { id: "zon_1", name: "zon_1" },
      location: null,
      currency: "GBP",
      basket_total: 2999,
      fee: 499,
      minimum_order: 1500,
      free_delivery_from: 5000,
      amount_to_minimum: 0,
      amount_to_free_delivery: 2001,
      slot: null,
      reasons: [],
    });
  });

  it("tells place, minimum and slot in this order", () => {
    const late = { code: "cutoff_passed" as const, detail: "Too late." };
    expect(codes(answer("SW1A 1AA", 100, { slotReasons: [late] }))).toEqual([
      "below_minimum_order",
      "cutoff_passed",
    ]);
  });

  it("carries suggestion and precision", () => {
    expect(answer("SWIA 2AA", 100)).toMatchObject({
      suggestion: "SW1A 2AA",
      precision: "none",
      deliverable: false,
    });
    expect(answer("SW1A", 3000)).toMatchObject({ precision: "outcode", postcode: "SW1A", deliverable: true });
    expect(answer("BF1 3AA", 3000)).toMatchObject({ region: "forces", reasons: [{ code: "out_of_zone" }] });
  });
});
