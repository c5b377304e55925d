import { expect, it } from "vitest";

import { markupChecks, readMarkup } from "../../../server/engines/answeros/rules/markup-checks.ts";
import { inputOf } from "./fixture.ts";

const product = '{"@type":"Product","name":"Rye loaf","offers":{"@type":"Offer","price":"4.20"}}';
const script = (json: string) => `<script type="application/ld+json">${json}</script>`;
const body = "<p>Rye loaf for £4.20.</p>";

it.each([
  ["all is well", script(product), [3, 3, 4]],
  ["there is none", "", [0, 0, 0]],
  ["it cannot be read", script("{"), [0, 0, 0]],
  ["a second block cannot be read", script(product) + script("nonsense"), [0, 3, 4]],
  [
    "another type",
    script('{"@type":"Recipe","name":"Rye loaf","image":"https://a.example/x.png"}'),
    [0, 3, 4],
  ],
  ["an offer is missing", script('{"@type":"Product","name":"Rye loaf"}'), [3, 0, 4]],
  ["the page shows another price", script(product.replace("4.20", "3.90")), [3, 3, 0]],
])("%s", async (_, head, expected) => {
  const checks = markupChecks(await inputOf(body, { head, page_type: "product" }));
  expect(checks.map(({ points }) => points)).toEqual(expected);
});

it("any type that schema.org knows fits a page of no type", async () => {
  const [first] = markupChecks(await inputOf(body, { head: script('{"@type":"WebPage"}') }));
  expect(first?.points).toBe(3);
  const [unknown] = markupChecks(await inputOf(body, { head: script('{"@type":"Breadpage"}') }));
  expect(unknown?.points).toBe(0);
});

it("tells what is hidden", async () => {
  const { hidden } = readMarkup(await inputOf("<p>Bread.</p>", { head: script(product) }));
  expect(hidden.map(({ path }) => path)).toEqual(["/name", "/offers/price"]);
});

it("says what to do where there is no markup at all", async () => {
  const fixes = markupChecks(await inputOf(body, { page_type: "product" })).map(({ fix }) => fix);
  expect(fixes[1]).toBe("Add JSON-LD first.");
  expect(fixes[2]).toBe("Add JSON-LD that matches the page.");
});
