import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { brandNames, extractMentions } from "../../../server/engines/answeros/rules/read-answer.ts";

const brand = (id: string, name: string, ...aliases: string[]) => ({ id, name, aliases });
const found = (text: string, ...brands: ReturnType<typeof brand>[]) =>
  extractMentions(text, brandNames(brands)).map(({ brand_id: id, count, order, first_offset: at }) => [
    id,
    count,
    order,
    at,
  ]);

describe("mentions", () => {
  it.each([
    ["whole words alone", "Crumbs and crumbling, breadcrumb.", []],
    ["whatever the case", "CRUMB crumb", [["c", 2, 1, 0]]],
    ["beside punctuation", "(Crumb), Crumb's", [["c", 2, 1, 1]]],
    ["not beside digits", "Crumb2 2Crumb", []],
    ["beyond the first plane", "🥖Crumb🥖", [["c", 1, 1, 2]]],
    ["not inside a letter beyond the first plane", "𝒜Crumb", []],
  ])("%s", (_, text, expected) => expect(found(text, brand("c", "Crumb"))).toEqual(expected));

  it("fold marks on both sides, and tell places in the text as it is", () => {
    expect(found("Très bon: Café Brûlé!", brand("c", "cafe brule"))).toEqual([["c", 1, 1, 10]]);
    expect(found("cafe brule", brand("c", "Café Brûlé"))).toEqual([["c", 1, 1, 0]]);
  });

  it("take the longest name first, and never what is inside it", () => {
    const short = brand("s", "Crumb");
    const long = brand("l", "Crumb & Co");
    expect(found("Crumb & Co beats Crumb.", short, long)).toEqual([
      ["l", 1, 1, 0],
      ["s", 1, 2, 17],
    ]);
  });

  it("count aliases for their brand", () => {
    expect(found("Loaf House, then LH.", brand("l", "Loafly", "Loaf House", "LH"))).toEqual([["l", 2, 1, 0]]);
  });

  it("are ordered by where they come first", () => {
    expect(found("B, A, A", brand("a", "A"), brand("b", "B")).map(([id, , order]) => [id, order])).toEqual([
      ["b", 1],
      ["a", 2],
    ]);
  });

  it("span line breaks", () => expect(found("Loaf\nHouse", brand("l", "Loaf House"))).toHaveLength(1));

  it("do not depend on the order of the brands", () => {
    const brands = [brand("a", "Crumb"), brand("b", "Crumb Co"), brand("c", "Loafly", "Loaf")];
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("Crumb", "Crumb Co", "Loafly", "Loaf", "and", "."), { maxLength: 12 }),
        (parts) => {
          const text = parts.join(" ");
          const mentions = (all: typeof brands) => extractMentions(text, brandNames(all));
          expect(mentions(brands.toReversed())).toEqual(mentions(brands));
        },
      ),
    );
  });
});
