import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { sheetColumns } from "../../../../server/engines/allergens/rules/fill-sheet.ts";
import { createShop, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

describe("the allergen sheet for guests", () => {
  it("is a page behind a link that can be printed, and is never older than the library", async () => {
    const butter = await shop.make("/ingredients", { name: "butter", contains: ["milk"] });
    await shop.verified("Croissant <b>", [{ ingredient_id: butter }], {
      declarations: [{ code: "almond", presence: "may_contain" }],
    });
    await shop.make("/products", { title: "Draft", ingredients: [{ name: "sugar" }] });
    const link = (await shop.call("PUT", "/sheet", { title: "Our allergens" })).json.data;
    expect(link.qr_svg).toContain("<svg");
    const path = new URL(link.url).pathname;
    const read = async () => (await shop.harness.call("GET", path)).text.replaceAll(/\s+/g, " ");
    const page = await read();
    expect(page).toContain("Croissant &lt;b&gt;");
    expect(page).toContain("Contains milk");
    expect(page).toContain("May contain almond");
    expect(page).toContain("Draft (not verified: please ask us)");
    expect(page).toContain("data:image/svg+xml;base64,");
    expect(page).toContain("A4 landscape");
    expect(page).not.toContain("<script");
    expect(page).not.toContain("Contains soya");
    await shop.patch(`/ingredients/${butter}`, { contains: ["milk", "soy"] });
    const after = await read();
    expect(after).toContain("Contains soya");
    expect(after).toContain("Croissant &lt;b&gt; (not verified: please ask us)");
    expect((await shop.get("/sheet")).json.data.url).toBe(link.url);

    // A new link ends the old one; a withdrawn sheet has none.
    const next = (await shop.call("PUT", "/sheet", {})).json.data;
    expect((await shop.harness.call("GET", path)).status).toBe(404);
    expect((await shop.harness.call("GET", new URL(next.url).pathname)).status).toBe(200);
    expect((await shop.remove("/sheet")).status).toBe(204);
    expect((await shop.harness.call("GET", new URL(next.url).pathname)).status).toBe(404);
    expect(refusal(await shop.get("/sheet"))).toBe("404");
    expect((await shop.harness.call("GET", "/api/public/allergens/abc.def")).status).toBe(404);
  });

  it("has the columns that each law names", () => {
    const titles = (mode: Parameters<typeof sheetColumns>[0]) =>
      sheetColumns(mode, "en").map(({ title }) => title);
    expect(titles("uk")).toHaveLength(14);
    // California SB 68: milk, eggs, fish, crustacean shellfish, tree nuts, wheat, peanuts, soybeans and sesame.
    expect(titles("us")).toEqual([
      "wheat",
      "crustacean shellfish",
      "egg",
      "fish",
      "peanut",
      "soy",
      "milk",
      "nuts",
      "sesame",
    ]);
  });
});
