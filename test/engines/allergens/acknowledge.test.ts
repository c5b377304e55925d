import { describe, expect, it } from "vitest";

import { acknowledges, stampAcknowledgements } from "../../../server/engines/allergens/rules/acknowledge.ts";
import type { LineInput } from "../../../server/engines/allergens/schema/ingredient.ts";
import { line } from "./make.ts";

const stamp = { by: "key_1", at: "2026-06-01T09:00:00.000Z" };

describe("acknowledges", () => {
  it("answers a reading, what it covers, and the animal it comes from", () => {
    const answered = (reading: string, asked: string): boolean =>
      acknowledges({ acknowledgements: [{ reading, reason: "Checked" }] }, asked);
    expect([answered("milk", "milk"), answered("nuts", "almond"), answered("milk", "dairy")]).toEqual([
      true,
      true,
      true,
    ]);
    expect([answered("almond", "nuts"), answered("milk", "egg"), acknowledges({}, "milk")]).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe("stampAcknowledgements", () => {
  const given = { reading: "milk", reason: "Coconut" };
  it("records who and when, at every level, and keeps an earlier record", () => {
    const [made] = stampAcknowledgements<LineInput>(
      [{ name: "x", acknowledgements: [given], sub_ingredients: [{ name: "y", acknowledgements: [given] }] }],
      [],
      stamp,
    );
    expect(made?.acknowledgements).toEqual([{ ...given, ...stamp }]);
    expect(made?.sub_ingredients?.[0]?.acknowledgements).toEqual([{ ...given, ...stamp }]);
    const earlier = { ...given, by: "Priya", at: "2026-05-01T09:00:00.000Z" };
    const again = stampAcknowledgements<LineInput>(
      [{ name: "x", acknowledgements: [{ ...given, at: "1999-01-01T00:00:00Z" }] }],
      [line("x", [], { acknowledgements: [earlier] })],
      stamp,
    );
    expect(again[0]?.acknowledgements).toEqual([earlier]);
  });
  it("takes no time from the caller, and the name of a person", () => {
    const [made] = stampAcknowledgements<LineInput>(
      [{ name: "x", acknowledgements: [{ ...given, by: "Priya", at: "1999-01-01T00:00:00Z" }] }],
      [],
      stamp,
    );
    expect(made?.acknowledgements).toEqual([{ ...given, by: "Priya", at: stamp.at }]);
  });
});
