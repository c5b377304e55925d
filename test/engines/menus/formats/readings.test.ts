import { expect, it } from "vitest";

import { checkDraft } from "../../../../server/engines/menus/formats/check-draft.ts";
import { readDocument, SHAPES } from "../../../../server/engines/menus/formats/formats.ts";
import type { Document } from "../../../../server/engines/menus/formats/formats.ts";
import { invalid } from "../../../../server/engines/menus/formats/invalid.ts";
import { parseRest, readRest } from "../../../../server/engines/menus/formats/leave-out.ts";
import { many } from "../../../support/longest-turn.ts";

// A large document takes a third of a second for each time that it is read.

/** How often a document is read, and how many entries are left out. */
function countOf(format: Document["format"], data: unknown): { readings: number; leftOut: number } {
  let readings = 0;
  const { rest } = readRest(parseRest(SHAPES[format], data), (document) => {
    readings += 1;
    // The schema is that of the format.
    const { draft } = readDocument({ format, data: document.data } as Document, {
      locale: "en",
      currency: "GBP",
    });
    checkDraft(draft);
    return draft;
  });
  return { readings, leftOut: rest.leftOut.length };
}

const uber = (items: readonly object[]) => ({ menus: [], categories: [], items, modifier_groups: [] });
const uberItem = (id: string, language = "en") => ({
  id,
  title: { translations: { [language]: "Bread" } },
  price_info: { price: 340 },
});
const square = (id: string, currency = "GBP") => ({
  type: "ITEM",
  id,
  item_data: {
    name: "Bread",
    variations: [
      { id: `${id}-v`, item_variation_data: { name: "", price_money: { amount: 300, currency } } },
    ],
  },
});
const product = (plu: string, price: number | null = 300) => ({ plu, name: "Bread", productType: 1, price });
const otter = (id: string, currencyCode = "GBP") => ({
  id,
  name: "Bread",
  price: { amount: 3, currencyCode },
});
const byId = (items: readonly { readonly id: string }[]) =>
  Object.fromEntries(items.map((item) => [item.id, item]));

it.each([
  ["duplicate ids", "uber", uber([...many(50, () => uberItem("a")), uberItem("b")]), 49],
  [
    "items without a title",
    "uber",
    uber([uberItem("a"), ...many(50, (n) => uberItem(`b${n}`, "no language"))]),
    50,
  ],
  ["duplicate ids", "square", { objects: many(50, () => square("A")) }, 49],
  ["other currencies", "square", { objects: [square("A"), ...many(50, (n) => square(`B${n}`, "EUR"))] }, 50],
  ["duplicate PLUs", "deliverect", { products: many(50, () => product("a")), categories: [] }, 49],
  [
    "products without a price",
    "deliverect",
    { products: [product("a"), ...many(50, (n) => product(`b${n}`, null))], categories: [] },
    50,
  ],
  [
    "other currencies",
    "otter",
    {
      items: byId([otter("a"), ...many(50, (n) => otter(`b${n}`, "EUR"))]),
      categories: {},
      menus: {},
      modifierGroups: {},
    },
    50,
  ],
] as const)("%s of %s are left out by one reading", (_faults, format, data, leftOut) => {
  expect(countOf(format, data)).toEqual({ readings: 2, leftOut });
});

it("a document that has another fault after each reading is refused after ten of them, with the first", () => {
  let readings = 0;
  const read = (): never => {
    readings += 1;
    throw invalid(["objects", 0], `Fault ${readings}.`);
  };
  const parsed = { document: { data: { objects: many(60, () => square("A")) } }, leftOut: [] };
  expect(() => readRest(parsed, read)).toThrow(
    expect.objectContaining({
      options: { errors: [expect.objectContaining({ detail: "Fault 1." })] },
    }),
  );
  expect(readings).toBe(10);
});
