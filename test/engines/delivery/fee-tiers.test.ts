import { describe, expect, it } from "vitest";

import { checkFeeTiers, effectiveTiers } from "../../../server/engines/delivery/rules/fee-tiers.ts";
import type { Tier } from "../../../server/engines/delivery/rules/fee-tiers.ts";

const steps = (...pairs: readonly (readonly [number, number])[]): Tier[] =>
  pairs.map(([from, fee]) => ({ from, fee }));

describe("checkFeeTiers", () => {
  it.each([
    ["one tier", steps([0, 499]), null],
    ["three tiers", steps([0, 499], [3000, 299], [5000, 0]), null],
    ["free from above the last", steps([0, 499], [3000, 299]), 5000],
    ["free from that says the same as a tier", steps([0, 499], [5000, 0]), 5000],
    ["free for all", steps([0, 0]), 0],
  ])("allows %s", (_, tiers, freeFrom) => expect(checkFeeTiers(tiers, freeFrom)).toBeNull());

  it.each([
    ["none", [], null, /at least one/],
    ["a first tier above 0", steps([100, 499]), null, /must start from 0/],
    ["tiers out of order", steps([0, 499], [3000, 299], [2000, 0]), null, /2000 is out of order/],
    ["a tier twice", steps([0, 499], [3000, 299], [3000, 0]), null, /strictly increasing/],
    ["two different free bounds", steps([0, 499], [5000, 0]), 4000, /is 4000.*from 5000/],
    ["free below the last tier", steps([0, 499], [3000, 299]), 3000, /greater than 3000/],
  ])("refuses %s", (_, tiers, freeFrom, message) => expect(checkFeeTiers(tiers, freeFrom)).toMatch(message));
});

describe("effectiveTiers", () => {
  it("adds the free tier that free_from stands for, once", () => {
    expect(effectiveTiers(steps([0, 499]), 5000)).toEqual(steps([0, 499], [5000, 0]));
    expect(effectiveTiers(steps([0, 499], [5000, 0]), 5000)).toEqual(steps([0, 499], [5000, 0]));
    expect(effectiveTiers(steps([0, 499]), null)).toEqual(steps([0, 499]));
  });
});
