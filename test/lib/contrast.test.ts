import { assert, integer, property } from "fast-check";
import { describe, expect, it } from "vitest";

import { COLORS, accentStyle } from "../../server/core/page-style.ts";
import { contrast, inkOn, legible } from "../../server/lib/contrast.ts";

const color = integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, "0")}`);

describe("contrast", () => {
  // Values of https://webaim.org/resources/contrastchecker/
  it.each([
    ["#000000", "#ffffff", 21],
    ["#777777", "#ffffff", 4.48],
    ["#7db8f5", "#ffffff", 2.09],
    ["#123456", "#123456", 1],
  ])("of %s on %s is %s", (one, other, ratio) => {
    expect(contrast(one, other)).toBeCloseTo(ratio, 2);
    expect(contrast(other, one)).toBe(contrast(one, other));
  });

  it("finds an ink for any color", () =>
    assert(property(color, (ground) => contrast(inkOn(ground), ground) >= 4.5)));

  it("makes any color legible on the grounds of both schemes, and leaves alone what is", () =>
    assert(
      property(color, (chosen) => {
        for (const { ground, raised } of [COLORS.light, COLORS.dark]) {
          const changed = legible(chosen, [ground, raised]);
          expect(Math.min(contrast(changed, ground), contrast(changed, raised))).toBeGreaterThanOrEqual(4.5);
          expect(legible(changed, [ground, raised])).toBe(changed);
        }
      }),
    ));

  it("puts text on a store's color that can be read, in both schemes", () =>
    assert(
      property(color, (chosen) => {
        const [light, dark] = [...accentStyle(chosen).matchAll(/--accent:(.{7});--accent-ink:(.{7})/g)];
        for (const [, accent = "", ink = ""] of [light ?? [], dark ?? []])
          expect(contrast(accent, ink)).toBeGreaterThanOrEqual(4.5);
      }),
    ));
});
