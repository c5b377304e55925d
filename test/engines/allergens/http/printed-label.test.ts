import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createShop, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

const flour = { name: "wheat flour", contains: ["wheat"] };
const NOTICE = "NOT VERIFIED. DO NOT USE AS A LABEL.";
const lint = (answer: { json: { data: { lint: { code: string }[] } } }): string[] =>
  answer.json.data.lint.map(({ code }) => code);

describe("a printed label never says more than somebody answers for", () => {
  it.each(["text", "html"])("409 as %s for a product that nobody verified", async (format) => {
    const id = await shop.make("/products", { title: "Loaf", ingredients: [flour] });
    expect(refusal(await shop.get(`/products/${id}/label?format=${format}`))).toBe("409 label_errors");
    expect((await shop.get(`/products/${id}/label`)).json.data.status).toBe("unverified");
  });

  it("409 for a stale one; 200 with the notice and a pattern where verification is not required", async () => {
    const id = await shop.verified("Loaf", [flour]);
    expect((await shop.get(`/products/${id}/label?format=text`)).text).toBe(
      "Loaf\nIngredients: WHEAT flour.\n",
    );
    await shop.put(`/products/${id}/ingredients?apply=true`, { ingredients: [flour, { name: "salt" }] });
    expect(refusal(await shop.get(`/products/${id}/label?format=text`))).toBe("409 label_errors");
    await shop.patch("/settings", { require_verified: false });
    const text = (await shop.get(`/products/${id}/label?format=text`)).text;
    expect(text.startsWith(`*** ${NOTICE} ***\n`)).toBe(true);
    expect(text.trimEnd().endsWith(`*** ${NOTICE} ***`)).toBe(true);
    const page = (await shop.get(`/products/${id}/label?format=html`)).text;
    expect(page).toContain('class="label unverified"');
    expect(page).toContain("repeating-linear-gradient");
  });

  it("409 in another language without names, 200 with them; two languages on one label", async () => {
    const butter = await shop.make("/ingredients", { name: "butter", contains: ["milk"] });
    const id = await shop.verified("Loaf", [flour, { ingredient_id: butter }]);
    const french = await shop.get(`/products/${id}/label?mode=eu&locale=fr`);
    expect(french.json.data.lint.map(({ detail }: { detail: string }) => detail)).toEqual([
      '"Loaf" has no name in fr. Add it to names (an ingredient) or titles.',
      '"wheat flour" has no name in fr. Add it to names (an ingredient) or titles.',
      '"butter" has no name in fr. Add it to names (an ingredient) or titles.',
    ]);
    expect(refusal(await shop.get(`/products/${id}/label?mode=eu&locale=fr&format=text`))).toBe(
      "409 label_errors",
    );

    // Names of the library reach the labels of its products at once, without another verification.
    await shop.patch(`/ingredients/${butter}`, { names: { fr: "beurre" } });
    await shop.patch(`/products/${id}`, { titles: { fr: "Pain" } });
    await shop.put(`/products/${id}/ingredients?apply=true`, {
      ingredients: [{ ...flour, names: { fr: "farine de blé" } }, { ingredient_id: butter }],
    });
    await shop.post(`/products/${id}/verify`, { by: "Priya" });
    expect((await shop.get(`/products/${id}/label?mode=eu&locale=fr&format=text`)).text).toBe(
      "Pain\nIngrédients : farine de BLÉ, beurre (LAIT).\n",
    );
    expect(lint(await shop.get(`/products/${id}/label?mode=ca&locale=en,fr`))).toEqual(["not_verified"]);
    await shop.post(`/products/${id}/verify`, { by: "Priya", mode: "ca" });
    const canada = await shop.get(`/products/${id}/label?mode=ca&locale=en,fr`);
    expect(canada.json.data.translations).toHaveLength(1);
    expect(lint(canada)).toEqual([]);
    expect((await shop.get(`/products/${id}/label?mode=ca&locale=en,fr&format=text`)).text).toBe(
      "Loaf\nIngredients: wheat flour, butter (milk).\nContains: wheat, milk.\n\n" +
        "Pain\nIngrédients : farine de blé, beurre (lait).\nContient : blé, lait.\n",
    );
    expect(lint(await shop.get(`/products/${id}/label?mode=ca`))).toEqual(["second_language_missing"]);
  });

  it("names of the library are read when the label is written", async () => {
    const butter = await shop.make("/ingredients", { name: "butter", contains: ["milk"] });
    const id = await shop.verified("Toast", [{ ingredient_id: butter }], { titles: { fr: "Tartine" } });
    await shop.patch(`/ingredients/${butter}`, { names: { fr: "beurre" } });
    expect((await shop.get(`/products/${id}`)).json.data.status).toBe("verified");
    expect((await shop.get(`/products/${id}/label?mode=eu&locale=fr&format=text`)).text).toBe(
      "Tartine\nIngrédients : beurre (LAIT).\n",
    );
  });

  it("a shop in another language writes its names in it", async () => {
    await shop.patch("/settings", { language: "de", default_mode: "eu" });
    const id = await shop.verified("Brot", [{ name: "Weizenmehl", contains: ["wheat"] }]);
    expect((await shop.get(`/products/${id}/label?format=text`)).text).toBe("Brot\nZutaten: WEIZENmehl.\n");
    expect(refusal(await shop.get(`/products/${id}/label?locale=en&format=text`))).toBe("409 label_errors");
  });
});

describe("what a title says", () => {
  it("bars a verification until an ingredient, a declaration or an acknowledgement answers", async () => {
    const id = await shop.make("/products", { title: "Walnut loaf", ingredients: [flour] });
    const open = (await shop.get(`/products/${id}`)).json.data.unresolved_names;
    expect(open).toEqual([
      { line_id: null, name: "Walnut loaf", code: "walnut", certain: true, declared: false },
    ]);
    expect(refusal(await shop.post(`/products/${id}/verify`, { by: "Priya" }))).toBe("409 lint_errors");
    const check = await shop.post("/check", { product_ids: [id], avoid: ["walnut"] });
    expect(check.json.data.results[0].because).toContainEqual({
      code: "name_unresolved",
      verdict: "unknown",
      detail: 'The name "Walnut loaf" says walnut, which no code declares.',
      about: "walnut",
    });
    const answered = await shop.patch(`/products/${id}`, {
      acknowledgements: [{ reading: "walnut", reason: "Named after Walnut Street" }],
    });
    expect(answered.json.data.acknowledgements[0].at).toBeDefined();
    expect((await shop.post(`/products/${id}/verify`, { by: "Priya" })).status).toBe(200);
    expect((await shop.patch(`/products/${id}`, { title: "Cheese loaf" })).json.data.status).toBe("stale");
  });

  it("refuses a claim that the title denies", async () => {
    const answer = await shop.post("/products", {
      title: "Ham sandwich",
      ingredients: [flour],
      dietary: [{ claim: "vegetarian" }],
    });
    expect(refusal(answer)).toBe("422 claim_conflict");
  });
});

describe("the reasons of a check", () => {
  it("name the ingredient that is in the way", async () => {
    const butter = await shop.make("/ingredients", { name: "butter", contains: ["milk"] });
    const id = await shop.verified("Toast", [{ ingredient_id: butter }]);
    const diets = await shop.post("/check", { product_ids: [id], diets: ["vegan"] });
    expect(diets.json.data.results[0].because[0].detail).toBe("It is not vegan. Butter contains milk.");
    await shop.patch(`/ingredients/${butter}`, { contains: ["milk", "soy"] });
    const stale = await shop.post("/check", { product_ids: [id], avoid: ["egg"] });
    expect(stale.json.data.results[0].because).toEqual([
      {
        code: "not_verified",
        verdict: "unknown",
        detail: expect.stringContaining("It is not verified: butter changed in the ingredient library."),
      },
    ]);
  });

  it("library ingredients show what their names leave open", async () => {
    const made = await shop.post("/ingredients", { name: "pesto" });
    expect(made.json.data.unresolved_names.map(({ code }: { code: string }) => code)).toContain("milk");
    const listed = await shop.get("/ingredients");
    expect(listed.json.data[0].unresolved_names).toEqual(made.json.data.unresolved_names);
  });
});

describe("law, by its source", () => {
  const stated = async (mode: string, lines: readonly object[]) => {
    const id = await shop.make("/products", { title: "Food", ingredients: lines });
    return (await shop.get(`/products/${id}?mode=${mode}`)).json.data.allergens;
  };
  const oil = (exemption: string | null, code = "peanut") => ({ name: "oil", contains: [code], exemption });

  it("us: a highly refined oil is no allergen (21 U.S.C. 321(qq)(2)(A)); uk knows that of soy only", async () => {
    expect(await stated("us", [oil("highly_refined_oil")])).toEqual([]);
    expect(await stated("us", [oil(null)])).toEqual(["peanut"]);
    expect(await stated("uk", [oil("highly_refined_oil")])).toEqual(["peanut"]);
    expect(await stated("us", [oil("refined_soy_oil", "soy")])).toEqual([]);
    expect(await stated("ca", [oil("refined_soy_oil", "soy")])).toEqual(["soy"]);
  });

  it("au_nz: Schedule 9 exempts less of wheat than Annex II, and more of beer", async () => {
    const syrup = (exemption: string) => [{ name: "glucose syrup", contains: ["wheat"], exemption }];
    expect(await stated("au_nz", syrup("wheat_glucose_syrup"))).toEqual(["wheat"]);
    expect(await stated("au_nz", syrup("refined_wheat_glucose_syrup"))).toEqual([]);
    expect(await stated("uk", syrup("refined_wheat_glucose_syrup"))).toEqual([]);
    const fining = (exemption: string) => [{ name: "fining", contains: ["fish"], exemption }];
    expect(await stated("au_nz", fining("fish_fining"))).toEqual(["fish"]);
    expect(await stated("au_nz", fining("isinglass_fining"))).toEqual([]);
    const beer = [
      { name: "beer", contains: ["barley"], exemption: "cereal_in_beer_or_spirits", alcohol: true },
    ];
    expect([await stated("au_nz", beer), await stated("eu", beer)]).toEqual([[], ["barley"]]);
  });

  it("eu: behenic acid of mustard in emulsifiers, not in Great Britain (Regulation (EU) 2024/2512)", async () => {
    const emulsifier = [{ name: "E 471", contains: ["mustard"], exemption: "mustard_behenic_acid" }];
    expect([await stated("eu", emulsifier), await stated("uk", emulsifier)]).toEqual([[], ["mustard"]]);
  });

  it("us: no barley malt in gluten-free food, however little gluten was measured (21 CFR 101.91)", async () => {
    await shop.patch("/settings", { default_mode: "us" });
    const claim = (ingredients: readonly object[]) =>
      shop.post("/products", {
        title: "Crisps",
        ingredients,
        dietary: [{ claim: "gluten_free", gluten_mg_per_kg: 5 }],
      });
    const malt = { name: "barley malt", contains: ["barley"] };
    expect(refusal(await claim([malt]))).toBe("422 claim_conflict");
    expect(refusal(await claim([{ name: "malt extract" }]))).toBe("422 claim_conflict");
    const starch = { name: "wheat starch", contains: ["wheat"], gluten_reduced: true };
    expect((await claim([starch])).status).toBe(201);
    await shop.patch("/settings", { default_mode: "uk" });
    expect((await claim([malt])).status).toBe(201);
  });

  it("uk: may contain tree nuts is specific enough, may contain nuts is advised against", async () => {
    const warned = async (code: string) => {
      const id = await shop.verified("Loaf", [flour], { declarations: [{ code, presence: "may_contain" }] });
      return (await shop.get(`/products/${id}/label`)).json.data;
    };
    const trees = await warned("tree_nuts");
    expect([trees.may_contain_statement, trees.lint]).toEqual(["May contain tree nuts.", []]);
    expect((await warned("nuts")).lint).toMatchObject([{ code: "allergen_not_specific", level: "warning" }]);
    const id = await shop.make("/products", {
      title: "Loaf",
      ingredients: [flour],
      declarations: [{ code: "tree_nuts", presence: "contains" }],
    });
    expect(refusal(await shop.post(`/products/${id}/verify`, { by: "Priya" }))).toBe(
      "422 allergen_not_specific",
    );
  });
});
