import { expect, it } from "vitest";

import { CODES } from "../../../../server/engines/allergens/data/codes.ts";
import { ALLERGEN_LIMITS } from "../../../../server/engines/allergens/schema/limits.ts";
import { CLAIMS } from "../../../../server/engines/allergens/schema/declaration.ts";
import { createShop } from "./shop.ts";

it("the largest change of a product fits into one commit", async () => {
  const shop = await createShop();
  const codes = CODES.map(({ code }) => code);
  /** As much as a product can hold, with nothing in common between the two halves. */
  const largest = async (half: 0 | 1) => {
    const ingredients = [];
    for (let count = 0; count < ALLERGEN_LIMITS.libraryUses; count += 1)
      ingredients.push({
        ingredient_id: await shop.make("/ingredients", { name: `spice ${half} ${count}` }),
      });
    const own =
      half === 0 ? codes.slice(0, ALLERGEN_LIMITS.declarations) : codes.slice(-ALLERGEN_LIMITS.declarations);
    return {
      title: Array.from({ length: 20 }, (_, word) => `${half === 0 ? "a" : "b"}${word}${half}word`).join(" "),
      ingredients,
      declarations: own.map((code) => ({ code, presence: "contains" })),
      dietary: half === 0 ? [] : CLAIMS.map((claim) => ({ claim, status: "withdrawn" })),
    };
  };
  const ref = { system: "till", id: "1" };
  const write = async (half: 0 | 1) =>
    (await shop.post("/products/import", { rows: [{ external_ref: ref, ...(await largest(half)) }] })).json
      .data.rows[0];
  expect(await write(0)).toMatchObject({ outcome: "created", error: null });
  expect(await write(1)).toMatchObject({ outcome: "updated", error: null });
  await shop.harness.close();
});

it("the change of an ingredient of several of the largest recipes reaches all of them", async () => {
  const shop = await createShop();
  const id = await shop.make("/ingredients", { name: "Seed mix", contains: ["sesame"] });
  const others = Array.from({ length: 280 }, (_, n) => ({
    name: `Flour ${n}`,
    names: { de: "Mehl ".repeat(38).trim(), fr: "Farine ".repeat(25).trim() },
  }));
  const ids: string[] = [];
  for (let n = 0; n < 6; n += 1) {
    const ingredients = [{ ingredient_id: id }, ...others];
    ids.push(await shop.make("/products", { title: `Bread ${n}`, ingredients }));
  }
  const changed = await shop.patch(`/ingredients/${id}`, { contains: ["sesame", "milk"] });
  expect(changed.status, changed.text).toBe(200);
  await shop.runJob();
  await shop.runJob();
  for (const each of ids) {
    const { revision, allergens } = (await shop.get(`/products/${each}`)).json.data;
    expect([revision, allergens]).toEqual([2, ["sesame", "milk"]]);
  }
  await shop.harness.close();
});

const names = {
  de: "Mehl ".repeat(38).trim(),
  fr: "Farine ".repeat(25).trim(),
  it: "Farina ".repeat(20).trim(),
};
const flours = (count: number, length: number) =>
  Array.from({ length: count }, (_, n) => ({
    name: `Flour ${n}`,
    names: n < length ? names : {},
    supplier: "s".repeat(110),
  }));

it("a product that the change of an ingredient would make too large keeps its lines, and is no longer verified", async () => {
  const shop = await createShop();
  const id = await shop.make("/ingredients", { name: "Seed mix", contains: ["sesame"] });
  const largest = await shop.make("/products", {
    title: "Bread",
    ingredients: [{ ingredient_id: id }, ...flours(290, 236)],
  });
  const grown = await shop.patch(`/ingredients/${id}`, {
    contains: ["milk"],
    sub_ingredients: flours(8, 8),
  });
  expect(grown.status, grown.text.slice(0, 500)).toBe(200);
  const { revision, allergens } = (await shop.get(`/products/${largest}`)).json.data;
  expect([revision, new Set(allergens)]).toEqual([2, new Set(["milk", "sesame"])]);
  expect(await shop.runJob()).toMatchObject({ ingredient_changed: 0 });
  await shop.harness.close();
});

it("the change of an ingredient reaches a product of the largest size that is accepted", async () => {
  const shop = await createShop();
  const id = await shop.make("/ingredients", { name: "Seed mix", contains: ["sesame"] });
  const write = (length: number) =>
    shop.post("/products", { title: "Bread", ingredients: [{ ingredient_id: id }, ...flours(290, length)] });
  let length = 270;
  let made = await write(length);
  for (; made.status === 413; made = await write(length)) length -= 1;
  expect(made.status, made.text).toBe(201);
  const { id: largest } = made.json.data;
  const contains = ["milk", "egg", "peanut", "soy", "mustard", "celery", "fish", "lupin"];
  const grown = await shop.patch(`/ingredients/${id}`, { name: "Mix ".repeat(29).trim(), contains });
  expect(grown.status, grown.text.slice(0, 500)).toBe(200);
  const { allergens } = (await shop.get(`/products/${largest}`)).json.data;
  expect(allergens).toEqual(expect.arrayContaining(contains));
  await shop.harness.close();
});

it("the change of an ingredient reaches a product that would have more declarations than it may", async () => {
  const shop = await createShop();
  const codes = CODES.map(({ code }) => code);
  const id = await shop.make("/ingredients", { name: "Mix" });
  const others = [codes.slice(0, 20), codes.slice(20, 30)];
  const product = await shop.make("/products", {
    title: "Bread",
    ingredients: [{ ingredient_id: id }, ...others.map((contains, n) => ({ name: `Part ${n}`, contains }))],
  });
  const grown = await shop.patch(`/ingredients/${id}`, { contains: codes.slice(30, 50) });
  expect(grown.status, grown.text.slice(0, 500)).toBe(200);
  const { data } = (await shop.get(`/products/${product}`)).json;
  const contained = data.ingredients[0].contains;
  expect([contained, data.declarations.length]).toEqual([codes.slice(30, 50), 30]);
  await shop.harness.close();
});

it("the job marks a product with an ingredient in each of its lines, which comes to contain twenty allergens", async () => {
  const shop = await createShop();
  const codes = CODES.map(({ code }) => code);
  const id = await shop.make("/ingredients", { name: "Mix" });
  // The last one made is the first that the change reaches: the job has the rest.
  const titles = ["Largest", ...Array.from({ length: 20 }, (_, n) => `Bread ${n}`)];
  for (const title of titles) {
    const lines = Array.from({ length: title === "Largest" ? 250 : 1 }, () => ({ ingredient_id: id }));
    await shop.make("/products", { title, ingredients: lines });
  }
  const change = { name: "M".repeat(190), contains: codes.slice(0, 20), may_contain: codes.slice(20, 40) };
  expect((await shop.patch(`/ingredients/${id}`, change)).status).toBe(200);
  expect((await shop.runJob()).ingredient_changed).toBeGreaterThan(0);
  expect(await shop.runJob()).toMatchObject({ ingredient_changed: 0 });
  await shop.harness.close();
});
