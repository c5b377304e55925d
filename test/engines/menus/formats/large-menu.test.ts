import { expect, it } from "vitest";

import { FORMATS, writeDocument } from "../../../../server/engines/menus/formats/formats.ts";
import { jsonPieces } from "../../../../server/lib/json-pieces.ts";
import type { MenuTree } from "../../../../server/engines/menus/schema/tree.ts";
import { longestOf, many, TURN_MS } from "../../../support/longest-turn.ts";
import { categoryOf, groupOf, itemOf, levelOf, menuOf, modifierOf, treeOf } from "../fixture.ts";

// A menu of 4 MB must not keep the event loop from all others while it is written for another system.

const words = (title: string) => ({ en: `${title} with butter`, cy: `${title} gyda menyn` });

/** 3,000 items in two categories each, 500 groups of 3,000 modifiers, and 20 levels of prices. */
function largeMenu(): MenuTree {
  const modifiers = many(3_000, (n) => modifierOf({ id: `mod_${n}`, title: words(`Topping ${n}`) }));
  const groups = many(500, (n) =>
    groupOf({
      id: `grp_${n}`,
      title: words(`Toppings ${n}`),
      modifier_ids: many(60, (at) => `mod_${(n * 6 + at) % 3_000}`),
    }),
  );
  const items = many(3_000, (n) =>
    itemOf({
      id: `itm_${n}`,
      title: words(`Dish ${n}`),
      description: words("What is in season, ".repeat(12)),
      modifier_groups: many(3, (at) => ({
        group_id: `grp_${(n + at) % 500}`,
        min: 1,
        hidden_modifier_ids: [],
      })),
      tags: ["hot", "new"],
      portion_text: words("Two slices"),
    }),
  );
  const categories = many(100, (n) =>
    categoryOf({
      id: `cat_${n}`,
      item_ids: many(60, (at) => `itm_${(n * 30 + at) % 3_000}`),
    }),
  );
  const price_levels = many(20, (n) =>
    levelOf({
      id: `prl_${n}`,
      title: words(`Level ${n}`),
      menu_id: "mnu_1",
      overrides: many(1_500, (at) => ({
        target_id: `itm_${(n + 2 * at) % 3_000}`,
        price: 500 + n,
        percent: null,
      })),
    }),
  );
  const menu = menuOf({ category_ids: categories.map(({ id }) => id) });
  return treeOf({ menu, categories, items, modifier_groups: groups, modifiers, price_levels });
}

const tree = largeMenu();
const options = { locale: "en", facts: new Map(), unavailable: {}, key: "sto_a" };

it.each(FORMATS)("is written for %s with pauses", async (format) => {
  const write = async () => void (await writeDocument(format, tree, options));
  expect(await longestOf(() => undefined, write)).toBeLessThan(TURN_MS);
});

it("has the same JSON text in pieces", async () => {
  for (const format of FORMATS) {
    const { data } = await writeDocument(format, tree, options);
    const pieces = [...jsonPieces(data)];
    expect(pieces.join("") === JSON.stringify(data), format).toBe(true);
    expect(pieces.every(({ length }) => length < 10_000)).toBe(true);
  }
  const odd = { a: undefined, b: [undefined, null, {}, []], c: "\u2028", "": 0 };
  expect([...jsonPieces(odd)].join("")).toBe(JSON.stringify(odd));
});
