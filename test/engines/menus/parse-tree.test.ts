import { expect, it } from "vitest";

import { canonicalText } from "../../../server/engines/menus/rules/canonical.ts";
import { parseTreeSteps } from "../../../server/engines/menus/rules/parse-tree.ts";
import { MenuTree } from "../../../server/engines/menus/schema/tree.ts";
import { runAtOnce } from "../../../server/lib/slices.ts";
import { itemOf, treeOf } from "./fixture.ts";

const parse = (text: string): MenuTree => runAtOnce(parseTreeSteps(Buffer.from(text)));

const trees = {
  "without items": treeOf({ items: [] }),
  "with two items": treeOf({ items: [itemOf({ id: "itm_one" }), itemOf({ id: "itm_two" })] }),
  "with quotes, brackets and other alphabets in texts": treeOf({
    items: [{ ...itemOf({ id: "itm_one" }), title: { en: `"{[\\"]}\\`, ja: "パン🥐" } }],
  }),
};

it.each(Object.entries(trees))("reads a tree %s as JSON and its schema do", (_, tree) => {
  const text = canonicalText(tree);
  expect(parse(text)).toEqual(MenuTree.parse(JSON.parse(text)));
});

it.each([
  ["that is cut", (text: string) => text.slice(0, -1)],
  ["that ends within an object", (text: string) => text.slice(0, text.length / 2)],
  ["with a member that is no list and no object", (text: string) => text.replace("{", '{"a":1,')],
  ["that is empty", () => ""],
])("refuses a text %s", (_, change) => {
  expect(() => parse(change(canonicalText(trees["with two items"])))).toThrow(SyntaxError);
});
