import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createHarness } from "../../../harness.ts";
import type { Answer, Harness, TestKey } from "../../../harness.ts";

let harness: Harness;
let key: TestKey;
let productId: string;
const call = (
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> => harness.call(method, `/v1/allergens${path}`, { key, body, headers });
const refusal = ({ status, json }: Answer): unknown[] => [
  status,
  json.error.code,
  ...(json.error.errors ?? []).map(
    ({ pointer, parameter }: { pointer?: string; parameter?: string }) => pointer ?? parameter,
  ),
];

beforeEach(async () => {
  harness = await createHarness();
  key = await harness.key();
  productId = (await call("POST", "/products", { title: "Shortbread" })).json.data.id;
});
afterEach(() => harness.close());

const shortbread = {
  basis: "per_100g",
  portion: { size: 25, unit: "g", servings_per_pack: 8, name: "1 finger" },
  fat: 28.1,
  saturates: 17.5,
  carbohydrate: 57.7,
  sugars: 17.2,
  fibre: 1.9,
  protein: 5.5,
  salt: 0.64,
};
interface Row {
  readonly key: string;
  readonly display: string;
  readonly percent_display: string | null;
}
const display = ({ json }: Answer, wanted: string): string | undefined =>
  json.data.panel.rows.find((row: Row) => row.key === wanted)?.display;

describe("nutrition of a product", () => {
  it("200 is null before it is given", async () => {
    const answer = await call("GET", `/products/${productId}/nutrition`);
    expect(answer.json.data).toEqual({
      product_id: productId,
      nutrition: null,
      missing_ingredients: [],
      panel: null,
      calorie_label: null,
      warnings: [],
    });
  });

  it("200 stores the facts unrounded and answers with the panel", async () => {
    const put = await call("PUT", `/products/${productId}/nutrition`, shortbread);
    expect([put.status, display(put, "saturates"), display(put, "energy_kj")]).toEqual([
      200,
      "18 g",
      "2129 kJ",
    ]);
    const got = await call("GET", `/products/${productId}/nutrition?mode=us`);
    expect(got.json.data.nutrition).toMatchObject({ saturates: 17.5, fat: 28.1, source: "manual" });
    expect(got.json.data.panel).toMatchObject({
      mode: "us",
      per: "portion",
      basis: "per portion of 25 g",
      missing: ["trans_fat", "cholesterol", "added_sugars", "vitamin_d", "calcium", "iron", "potassium"],
    });
    expect(display(got, "energy_kcal")).toBe("130");
    expect(got.json.data.calorie_label).toMatchObject({ text: "127 kcal", portion: "1 finger (25 g)" });
  });

  it("marks the product as changed, with its history, and leaves its verification alone", async () => {
    const before = (await call("GET", `/products/${productId}`)).json.data;
    await call("PUT", `/products/${productId}/nutrition`, shortbread);
    const after = (await call("GET", `/products/${productId}`)).json.data;
    expect(after.revision).toBe(before.revision + 1);
    expect(after.status).toBe(before.status);
    const history = (await call("GET", `/products/${productId}/history`)).json.data;
    expect(history[0]).toMatchObject({ change: "nutrition_changed", revision: after.revision });
  });

  it("422 names each member that cannot be true", async () => {
    const answer = await call("PUT", `/products/${productId}/nutrition`, {
      ...shortbread,
      sugars: 60,
      sodium_mg: 900,
    });
    expect(refusal(answer)).toEqual([422, undefined, "#/sugars", "#/salt"]);
  });

  it("warns of what is improbable", async () => {
    const answer = await call("PUT", `/products/${productId}/nutrition`, { ...shortbread, energy_kj: 1000 });
    expect(answer.json.data.warnings).toEqual([
      {
        field: "energy_kj",
        code: "energy_implausible",
        detail: "The nutrients give 2129 kJ (FIC Annex XIV), not 1000 kJ.",
      },
    ]);
  });

  it("422 portion_required and density_required say what the product's facts lack", async () => {
    const { portion: _, ...bare } = shortbread;
    await call("PUT", `/products/${productId}/nutrition`, bare);
    expect(refusal(await call("GET", `/products/${productId}/nutrition?per=portion`))).toEqual([
      422,
      "portion_required",
      "per",
    ]);
    await call("PUT", `/products/${productId}/nutrition`, { ...bare, portion: { size: 100, unit: "ml" } });
    expect(refusal(await call("GET", `/products/${productId}/nutrition?per=portion`))).toEqual([
      422,
      "density_required",
      "per",
    ]);
  });

  it("404 without the product, 412 with another version", async () => {
    expect((await call("GET", "/products/prd_nothing/nutrition")).status).toBe(404);
    expect((await call("PUT", "/products/prd_nothing/nutrition", shortbread)).status).toBe(404);
    const stale = await call("PUT", `/products/${productId}/nutrition`, shortbread, {
      "if-match": '"999999"',
    });
    expect(stale.status).toBe(412);
  });
});

describe("nutrition.calculate", () => {
  const calculate = (body: unknown): Promise<Answer> => call("POST", "/nutrition/calculate", body);
  const recipe = [
    {
      name: "flour",
      quantity_g: 300,
      nutrition: { ...shortbread, fat: 1, saturates: 0, carbohydrate: 75, sugars: 1 },
    },
    {
      name: "butter",
      quantity_g: 200,
      nutrition: { ...shortbread, fat: 82, saturates: 52, carbohydrate: 1, sugars: 1 },
    },
  ];

  it("200 works out the panel of given facts in any mode", async () => {
    const answer = await calculate({ nutrition: shortbread, mode: "au_nz" });
    expect([display(answer, "energy_kj"), display(answer, "fat")]).toEqual(["2130 kJ", "28.1 g"]);
    expect(answer.json.data).toMatchObject({ raw_g: null, final_g: null });
  });

  it("422 for weights so small that dividing by them takes hundreds of digits", async () => {
    const tiny = { size: 1.23456789e-300, unit: "g" };
    const nothing = { fat: 0, saturates: 0, carbohydrate: 0, sugars: 0, protein: 0 };
    const of = (portion: object) => ({
      ingredients: [
        {
          name: "x",
          quantity_g: 1.2345,
          nutrition: { basis: "per_portion", portion, energy_kj: 9_999.1, energy_kcal: 9_999.1, ...nothing },
        },
      ],
    });
    // Energy beyond what facts may say: the response would break its own schema.
    expect(refusal(await calculate(of({ ...tiny, size: 0.000001 })))).toEqual([
      422,
      "result_impossible",
      "#/weight_loss_percent",
    ]);
    expect(refusal(await calculate(of(tiny)))).toEqual([
      422,
      undefined,
      "#/ingredients/0/nutrition/portion/size",
    ]);
    expect((await calculate({ ingredients: recipe, yield_g: 1e-300 })).status).toBe(422);
  });

  it("200 works out a recipe with its loss of weight", async () => {
    const answer = await calculate({
      ingredients: recipe,
      weight_loss_percent: 10,
      portion: { size: 50, unit: "g" },
      per: "portion",
      mode: "eu",
    });
    expect(answer.json.data).toMatchObject({ raw_g: 500, final_g: 450, incomplete: [] });
    expect(answer.json.data.nutrition).toMatchObject({
      basis: "per_100g",
      fat: 37.111111,
      source: "calculated",
    });
    expect(answer.json.data.panel.basis).toBe("per portion of 50 g");
    expect(display(answer, "fat")).toBe("19 g");
  });

  it("200 tells of nutrients that only some ingredients have", async () => {
    const [flour, butter] = recipe;
    const { fibre: _, ...nutrition } = butter?.nutrition ?? shortbread;
    const answer = await calculate({ ingredients: [flour, { ...butter, nutrition }] });
    expect(answer.json.data.incomplete).toEqual([{ field: "fibre", missing_in: ["butter"] }]);
  });

  it("422 result_impossible when the yield is less than the dry matter", async () => {
    const answer = await calculate({ ingredients: recipe, yield_g: 300 });
    expect(refusal(answer)).toEqual([422, "result_impossible", "#/yield_g"]);
  });

  it.each([
    ["neither facts nor ingredients", {}, "#/nutrition"],
    ["both", { nutrition: shortbread, ingredients: recipe }, "#/nutrition"],
    [
      "both yield and loss",
      { ingredients: recipe, yield_g: 400, weight_loss_percent: 3 },
      "#/weight_loss_percent",
    ],
    [
      "an ingredient whose sugars are more than its carbohydrate",
      { ingredients: [{ name: "x", quantity_g: 1, nutrition: { ...shortbread, sugars: 60 } }] },
      "#/ingredients/0/nutrition/sugars",
    ],
  ])("422 names the place of %s", async (_, body, pointer) =>
    expect(refusal(await calculate(body))).toEqual([422, undefined, pointer]),
  );

  it("422 density_required names the ingredient", async () => {
    const milk = { ...shortbread, basis: "per_100ml" };
    const answer = await calculate({
      ingredients: [...recipe, { name: "milk", quantity_g: 50, nutrition: milk }],
    });
    expect(refusal(answer)).toEqual([422, "density_required", "#/ingredients/2/nutrition/density_g_per_ml"]);
  });
});

describe("nutrition.score", () => {
  const score = (body: unknown): Promise<Answer> => call("POST", "/nutrition/score", body);

  it("200 scores given facts and says why, point by point", async () => {
    const { data } = (await score({ model: "npm_2004", nutrition: shortbread })).json;
    expect(data).toMatchObject({
      score: 20,
      class: "less_healthy",
      protein_counted: false,
      assumed: ["fvn_percent"],
    });
    expect(data.negative.map(({ points }: { points: number }) => points)).toEqual([6, 10, 3, 2]);
    expect(data.negative[0].detail).toBe("2129.3 kJ is more than 2010 and not more than 2345: 6 points.");
  });

  it("200 scores a product", async () => {
    await call("PUT", `/products/${productId}/nutrition`, shortbread);
    const { data } = (await score({ model: "nutri_score_2023", product_id: productId })).json;
    expect(data).toMatchObject({ basis: "per 100 g", class: "E", assumed: ["fvl_percent"] });
  });

  it("200 lights a food, by the portion too", async () => {
    const { data } = (await score({ model: "traffic_light", nutrition: shortbread })).json;
    expect(data).toMatchObject({ score: null, class: null });
    expect(
      data.lights.map(({ nutrient, light, per_portion }: Record<string, unknown>) => [
        nutrient,
        light,
        per_portion,
      ]),
    ).toEqual([
      ["fat", "red", 7.025],
      ["saturates", "red", 4.375],
      ["sugars", "amber", 4.3],
      ["salt", "amber", 0.16],
    ]);
    const drink = {
      ...shortbread,
      fat: 0,
      saturates: 0,
      carbohydrate: 10,
      sugars: 8,
      fibre: 0,
      protein: 0,
      salt: 0,
    };
    const can = { ...drink, basis: "per_100ml", is_drink: true, portion: { size: 330, unit: "ml" } };
    const lit = (await score({ model: "traffic_light", nutrition: can })).json.data;
    expect(lit).toMatchObject({ basis: "per 100 ml" });
    expect(lit.lights[2]).toMatchObject({
      nutrient: "sugars",
      light: "red",
      because: "per_portion",
      per_portion: 26.4,
    });
  });

  it("200 scores a drink by its millilitres, sweetened or not", async () => {
    const drink = {
      ...shortbread,
      basis: "per_100ml",
      is_drink: true,
      fat: 0,
      saturates: 0,
      carbohydrate: 1,
      sugars: 1,
    };
    const nutrition = { ...drink, protein: 0, salt: 0, fibre: 0, energy_kj: 20, energy_kcal: 5 };
    const plain = (await score({ model: "nutri_score_2023", nutrition })).json.data;
    expect(plain).toMatchObject({ basis: "per 100 ml", score: 1, class: "B" });
    const sweet = await score({ model: "nutri_score_2023", nutrition, non_nutritive_sweeteners: true });
    expect(sweet.json.data).toMatchObject({ score: 5, class: "C" });
  });

  it.each(["npm_2018", "health_star"])("422 model_unknown refuses %s instead of guessing", async (model) => {
    const answer = await score({ model, nutrition: shortbread });
    expect(refusal(answer)).toEqual([422, "model_unknown", "#/model"]);
    expect(answer.json.error.errors[0].detail).toContain("npm_2004");
  });

  it("422 nutrient_missing names salt, or the product that has none", async () => {
    const { salt: _, ...unsalted } = shortbread;
    await call("PUT", `/products/${productId}/nutrition`, unsalted);
    const ofProduct = await score({ model: "npm_2004", product_id: productId });
    expect(refusal(ofProduct)).toEqual([422, "nutrient_missing", "#/product_id"]);
    expect(ofProduct.json.error.errors[0].detail).toMatch(/^The product's nutrition facts have no salt\./);
    expect(refusal(await score({ model: "npm_2004", nutrition: unsalted }))).toEqual([
      422,
      "nutrient_missing",
      "#/nutrition/salt",
    ]);
  });

  it("422 density_required for a score per weight of facts per volume", async () => {
    const answer = await score({ model: "npm_2004", nutrition: { ...shortbread, basis: "per_100ml" } });
    expect(refusal(answer)).toEqual([422, "density_required", "#/nutrition/density_g_per_ml"]);
  });

  it("409 nutrition_missing of a product without facts, 404 of none", async () => {
    expect(refusal(await score({ model: "npm_2004", product_id: productId }))).toEqual([
      409,
      "nutrition_missing",
    ]);
    expect((await score({ model: "npm_2004", product_id: "prd_nothing" })).status).toBe(404);
  });

  it("422 names the place of neither or both of facts and product", async () => {
    for (const more of [{}, { product_id: productId, nutrition: shortbread }]) {
      expect(refusal(await score({ model: "npm_2004", ...more }))).toEqual([422, undefined, "#/nutrition"]);
    }
  });
});
