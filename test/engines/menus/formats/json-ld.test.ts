import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import { jsonLdSteps, scriptSafePieces } from "../../../../server/engines/menus/formats/json-ld.ts";
import type { JsonLdOptions } from "../../../../server/engines/menus/formats/json-ld.ts";
import { runAtOnce } from "../../../../server/lib/slices.ts";
import type { LiveItem, LiveMenu } from "../../../../server/engines/menus/schema/live.ts";
import { createShop, makeMenu } from "../http/shop.ts";
import type { Shop } from "../http/shop.ts";

/*
 * The vocabulary as schema.org publishes it (MenuItem, MenuSection, Menu, Offer, NutritionInformation, ImageObject): the
 * properties that each type may have here, and what they hold. Strict, so that a misspelt property is an error.
 */
const Text = z.string().min(1);
const Url = z.url();
const Image = z.strictObject({ "@type": z.literal("ImageObject"), url: Url, caption: Text.optional() });
const Offer = z.strictObject({
  "@type": z.literal("Offer"),
  name: Text.optional(),
  sku: Text.optional(),
  // Google and schema.org want a plain decimal with a point, without the currency.
  price: z.string().regex(/^\d+(\.\d+)?$/),
  priceCurrency: z.string().regex(/^[A-Z]{3}$/),
  availability: z.literal("https://schema.org/OutOfStock").optional(),
});
const Nutrition = z.strictObject({
  "@type": z.literal("NutritionInformation"),
  calories: z
    .string()
    .regex(/^\d+(-\d+)? kcal$/)
    .optional(),
  servingSize: Text.optional(),
});
const Diet = z.enum([
  "https://schema.org/DiabeticDiet",
  "https://schema.org/GlutenFreeDiet",
  "https://schema.org/HalalDiet",
  "https://schema.org/HinduDiet",
  "https://schema.org/KosherDiet",
  "https://schema.org/LowCalorieDiet",
  "https://schema.org/LowFatDiet",
  "https://schema.org/LowLactoseDiet",
  "https://schema.org/LowSaltDiet",
  "https://schema.org/VeganDiet",
  "https://schema.org/VegetarianDiet",
]);
const thing = {
  identifier: Text,
  name: Text,
  description: Text.optional(),
  image: z.array(Image).min(1).optional(),
};
const MenuItem = z.strictObject({
  "@type": z.literal("MenuItem"),
  ...thing,
  offers: z.array(Offer).min(1).optional(),
  nutrition: Nutrition.optional(),
  suitableForDiet: z.array(Diet).min(1).optional(),
  get menuAddOn() {
    return z.array(MenuSection).min(1).optional();
  },
});
const MenuSection: z.ZodType = z.strictObject({
  "@type": z.literal("MenuSection"),
  ...thing,
  get hasMenuItem() {
    return z.array(MenuItem).min(1).optional();
  },
  get hasMenuSection() {
    return z.array(MenuSection).min(1).optional();
  },
});
const Menu = z.strictObject({
  "@context": z.literal("https://schema.org"),
  "@type": z.literal("Menu"),
  ...thing,
  inLanguage: Text.optional(),
  hasMenuSection: z.array(MenuSection),
});

const item: LiveItem = {
  id: "itm_1",
  title: "Aubergine stew",
  description: null,
  sku: null,
  product_id: "prd_1",
  price: 950,
  price_level_id: null,
  variations: [],
  modifier_groups: [],
  kcal: { min: 540, max: null },
  kcal_text: null,
  portion_text: "350 g",
  serves: null,
  tags: [],
  alcohol: null,
  age_restricted: null,
  max_per_order: null,
  images: [],
  allergens: [],
  may_contain: [],
  allergen_status: "complete",
  available: true,
  reason: null,
  next_change_at: null,
  quantity_left: null,
};
const menu = (items: readonly LiveItem[], groups: LiveMenu["modifier_groups"] = []): LiveMenu => ({
  menu_id: "mnu_1",
  menu_version: 1,
  title: "Menu",
  description: null,
  currency: "GBP",
  time_zone: "Europe/London",
  at: "2026-06-01T09:00:00.000Z",
  local: "2026-06-01T10:00",
  channel: null,
  available: true,
  reason: null,
  next_change_at: null,
  statement: null,
  categories: [
    { id: "cat_1", title: "Mains", description: null, image: null, items: [...items], categories: [] },
  ],
  modifier_groups: groups,
});
const toJsonLd = (live: LiveMenu, options: JsonLdOptions) => runAtOnce(jsonLdSteps(live, options));
const OPTIONS: JsonLdOptions = { language: "en", dietsOf: () => [], isSoldOut: () => false };
const ld = (live: LiveMenu, options: Partial<JsonLdOptions> = {}) =>
  Menu.parse(toJsonLd(live, { ...OPTIONS, ...options }));
const first = (live: LiveMenu, diets: readonly string[] = [], isSoldOut = false) => {
  const [section] = z
    .array(z.looseObject({ hasMenuItem: z.array(MenuItem) }))
    .parse(ld(live, { dietsOf: () => diets, isSoldOut: () => isSoldOut }).hasMenuSection);
  const [found] = section?.hasMenuItem ?? [];
  if (found === undefined) throw new Error("No item.");
  return found;
};

describe("toJsonLd", () => {
  it("MA21: price, energy and diet", () => {
    const found = first(menu([item]), ["vegan"]);
    expect(found.offers).toEqual([{ "@type": "Offer", price: "9.50", priceCurrency: "GBP" }]);
    expect(found.nutrition).toEqual({
      "@type": "NutritionInformation",
      calories: "540 kcal",
      servingSize: "350 g",
    });
    expect(found.suitableForDiet).toEqual(["https://schema.org/VeganDiet"]);
  });

  it("says that an item is sold out, and not that it is served at another hour", () => {
    const closed = menu([{ ...item, available: false, reason: "item_schedule" as const }]);
    const offer = { "@type": "Offer", price: "9.50", priceCurrency: "GBP" };
    expect(first(closed, [], true).offers).toEqual([
      { ...offer, availability: "https://schema.org/OutOfStock" },
    ]);
    expect(first(closed).offers).toEqual([offer]);
  });

  it("says no diet that nobody claims, and none that schema.org does not know", () => {
    expect(first(menu([item])).suitableForDiet).toBeUndefined();
    expect(first(menu([item]), ["nut_free"]).suitableForDiet).toBeUndefined();
    expect(first(menu([item]), ["gluten_free", "nut_free"]).suitableForDiet).toEqual([
      "https://schema.org/GlutenFreeDiet",
    ]);
  });

  it("gives each variation its offer, and ranges of energy both ends", () => {
    const variation = { kcal: null, kcal_text: null, portion_text: null };
    const sizes = [
      { ...variation, id: "var_1", title: "Small", price: 300 },
      { ...variation, id: "var_2", title: "Large", price: 455 },
    ];
    const found = first(menu([{ ...item, price: null, variations: sizes, kcal: { min: 120, max: 180 } }]));
    expect(found.offers?.map(({ name, price }) => [name, price])).toEqual([
      ["Small", "3.00"],
      ["Large", "4.55"],
    ]);
    expect(found.nutrition?.calories).toBe("120-180 kcal");
  });

  const group = (id: string, nested: string[], modifiers = 1): LiveMenu["modifier_groups"][number] => ({
    id,
    title: id,
    min: 0,
    max: 1,
    min_distinct: null,
    max_distinct: null,
    free_quantity: 0,
    display_mode: "optional",
    pre_modifiers: [],
    portions: [],
    modifiers: Array.from({ length: modifiers }, (_, n) => ({
      id: `mod_${id}${n}`,
      title: "Sauce",
      price: 50,
      default: false,
      max_quantity: 1,
      nested_group_ids: nested,
      removes: [],
      kcal: null,
      kcal_text: null,
      available: true,
    })),
  });
  const use = (id: string) => ({ group_id: id, min: 0, max: 1, modifier_ids: [] });
  const addOnsIn = (live: LiveMenu): string[] =>
    JSON.stringify(toJsonLd(live, OPTIONS)).match(/mod_[a-z]/g) ?? [];

  it("nests add-ons, and ends where a group would stand inside itself", () => {
    const groups = [group("a", ["b"]), group("b", ["a"])];
    const found = first(menu([{ ...item, modifier_groups: [use("a")] }], groups));
    expect(JSON.stringify(found.menuAddOn).match(/MenuSection/g)).toHaveLength(2);
  });

  it("leaves out the deepest levels of nested groups beyond 5,000 add-ons", () => {
    const groups = [group("a", ["b"], 40), group("b", ["c"], 40), group("c", [], 40)];
    const whole = addOnsIn(menu([{ ...item, modifier_groups: [use("a")] }], groups));
    // Three levels would be 65,640.
    expect(whole).toHaveLength(40 + 40 * 40);
    expect(new Set(whole)).toEqual(new Set(["mod_a", "mod_b"]));
    expect(addOnsIn(menu([{ ...item, modifier_groups: [use("b")] }], groups))).toHaveLength(40 + 40 * 40);
  });

  it("leaves out groups of later items where the first level exceeds 5,000 add-ons", () => {
    const items = Array.from({ length: 60 }, (_, n) => ({
      ...item,
      id: `itm_${n}`,
      modifier_groups: [use("a")],
    }));
    expect(addOnsIn(menu(items, [group("a", [], 99)]))).toHaveLength(50 * 99);
  });

  it("cannot end the script element that it stands in", () => {
    const title = '</script><script>alert(1)</script><!-- & \u2028\u2029 "';
    const text = [
      ...scriptSafePieces(toJsonLd(menu([{ ...item, title }]), { ...OPTIONS, language: null })),
    ].join("");
    expect(text).not.toMatch(/[<>&\u2028\u2029]/);
    expect(JSON.stringify(JSON.parse(text))).toContain(JSON.stringify(title).slice(1, -1));
  });
});

describe("menus.transfers.json-ld", () => {
  let shop: Shop;
  let made: { menu: string; category: string; item: string };
  beforeAll(async () => {
    shop = await createShop();
    made = await makeMenu(shop, {
      menu: { title: { en: "Kitchen & bar", cy: "Cegin" } },
      item: {
        title: "Stew </script>",
        kcal: { min: 540 },
        images: [{ url: "https://x.example/a.jpg", alt: "Stew" }],
      },
    });
    await shop.make("/categories", { title: "Sides", parent_id: made.category, item_ids: [made.item] });
  });
  afterAll(() => shop.harness.close());

  it("404 not_published before it is", async () => {
    const answer = await shop.get(`/${made.menu}/jsonld`);
    expect([answer.status, answer.json.error.code]).toEqual([404, "not_published"]);
  });

  it("200 as application/ld+json in the language that is asked for", async () => {
    await shop.post(`/${made.menu}/publish`, {});
    const answer = await shop.get(`/${made.menu}/jsonld?locale=cy`);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/ld+json"]);
    expect(answer.text).not.toContain("</script>");
    const parsed = Menu.parse(JSON.parse(answer.text));
    expect(parsed).toMatchObject({ name: "Cegin", inLanguage: "cy", identifier: made.menu });
    const english = await shop.get(`/${made.menu}/jsonld`, { "accept-language": "en-GB" });
    expect(Menu.parse(JSON.parse(english.text))).toMatchObject({ name: "Kitchen & bar", inLanguage: "en" });
    expect(english.headers.get("vary")).toContain("Accept-Language");
  });

  it("404 for no such menu, 422 for a locale that is none", async () => {
    expect((await shop.get("/mnu_01JD8Z5T9QK3M4N5P6R7S8T9V0/jsonld")).status).toBe(404);
    expect((await shop.get(`/${made.menu}/jsonld?locale=english!`)).status).toBe(422);
  });
});
