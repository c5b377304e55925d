import { describe, expect, it } from "vitest";

import { OtterMenus } from "../../../../server/engines/menus/formats/otter/shape.ts";
import { byTitle, readSample, sampleOf } from "./samples.ts";

const lines = (all: readonly string[]): string[] => [...all].sort();
const NO_PLACE = "This field is not supported.";

describe("square.json", () => {
  const { tree, draft, told } = readSample("square");
  const flatWhite = byTitle(tree.items, "Flat white");

  it("makes a menu of a top-level menu category, open past midnight", () => {
    expect(tree.menu).toMatchObject({
      title: { en: "Breakfast" },
      currency: "GBP",
      external_refs: [{ system: "square", id: "MENU4BREAKFAST5X2" }],
    });
    expect(tree.schedules[0]?.rules).toEqual([
      { days: ["fri"], start: "07:30", end: "11:00" },
      { days: ["sat"], start: "22:00", end: "02:00" },
    ]);
  });

  it("keeps items in the order of their ordinals", () => {
    const titles = tree.categories[0]?.item_ids.map(
      (id) => tree.items.find((item) => item.id === id)?.title.en,
    );
    expect(titles).toEqual(["Croissant", "Flat white"]);
  });

  it("makes variations of several, and the item's own price of one", () => {
    expect(flatWhite).toMatchObject({ price: null, sku: null, kcal: { min: 120, max: null } });
    expect(flatWhite.variations.map(({ title, price, sku }) => [title.en, price, sku])).toEqual([
      ["Regular", 340, "FW-8"],
      ["Large", 395, null],
    ]);
    expect(byTitle(tree.items, "Croissant")).toMatchObject({
      price: 275,
      variations: [],
      description: { en: "All butter" },
      external_refs: [
        { system: "square", id: "ITEMCROISSANT01" },
        { system: "square-variation", id: "VARCROISSANT001" },
      ],
    });
  });

  it("MA12: min 0 and max 0 lift the limit, -1 inherits the list", () => {
    const [milk, syrups] = flatWhite.modifier_groups;
    expect(milk).toEqual({ group_id: byTitle(tree.modifier_groups, "Milk").id, hidden_modifier_ids: [] });
    expect(syrups).toMatchObject({
      min: 0,
      max: null,
      hidden_modifier_ids: [byTitle(tree.modifiers, "Hazelnut").id],
    });
    expect(byTitle(tree.modifier_groups, "Milk")).toMatchObject({ min: 1, max: 1 });
    expect(byTitle(tree.modifier_groups, "Syrups")).toMatchObject({ min: 0, max: 3 });
    expect(byTitle(tree.modifiers, "Hazelnut").max_quantity).toBe(3);
    expect(byTitle(tree.modifiers, "Whole milk")).toMatchObject({ price: 0, default: true, max_quantity: 1 });
  });

  it("hands allergens and diets back", () => {
    expect(byTitle(draft.items, "Flat white").food).toEqual({
      contains: ["milk", "gluten"],
      freeFrom: [],
      diets: ["vegetarian"],
    });
  });

  it("tells everything that has no place", () => {
    expect([...told].sort()).toEqual(
      lines([
        `/objects/0/version: ${NO_PLACE}`,
        `/objects/6/updated_at: ${NO_PLACE}`,
        `/objects/6/item_data/abbreviation: ${NO_PLACE}`,
        `/objects/6/item_data/is_taxable: ${NO_PLACE}`,
        `/objects/11/tax_data/percentage: ${NO_PLACE}`,
        "/objects/6/item_data/food_and_beverage_details/ingredients/2: Not a supported allergen.",
        "/objects/7/item_data/description_html: Only its text is imported.",
        "/objects/8/item_data/product_type: Items of type GIFT_CARD are not supported.",
        "/objects/5/category_data/category_type: Kitchen categories are not supported.",
        "/objects/2/availability_period_data: An end of 23:59 is imported as midnight.",
      ]),
    );
  });
});

describe("toast.json", () => {
  const { tree, told } = readSample("toast", sampleOf("toast"), "USD");

  it("reads hours: past midnight, and 00:00 to 00:00 as the whole day", () => {
    expect(tree.menu).toMatchObject({ time_zone: "America/New_York", description: { en: "From five" } });
    const schedule = tree.schedules.find(({ id }) => tree.menu.schedule_ids.includes(id));
    expect(schedule?.rules).toEqual([
      { days: ["mon", "tue", "wed", "thu"], start: "17:00", end: "22:00" },
      { days: ["fri"], start: "17:00", end: "01:00" },
      { days: ["sat"], start: "17:00", end: "00:00" },
      { days: ["sun"], start: "00:00", end: "00:00" },
    ]);
  });

  it("nests groups as categories", () => {
    const [burgers, pizza] = tree.categories;
    expect(pizza).toMatchObject({ title: { en: "Pizza" }, parent_id: burgers?.id, menu_ids: [] });
    expect(tree.menu.category_ids).toEqual([burgers?.id]);
  });

  it("turns decimals into minor units", () => {
    expect(byTitle(tree.items, "Smash burger")).toMatchObject({
      price: 800,
      tax_inclusive: false,
      sku: "BRG-01",
      kcal: { min: 780, max: null },
      prep_time_minutes: 8,
      tags: ["best-seller"],
      alcohol: null,
    });
    expect(byTitle(tree.items, "Margherita").variations.map(({ price }) => price)).toEqual([1100, 1599]);
  });

  it("MA13: no maximum, shown without being required", () => {
    expect(byTitle(tree.modifier_groups, "Cheese")).toMatchObject({
      min: 0,
      max: null,
      display_mode: "forced",
      defaults_charged: false,
      substitution: true,
    });
  });

  it("reads pre-modifiers, portions and prices at certain hours", () => {
    expect(byTitle(tree.modifier_groups, "Cheese").pre_modifiers).toEqual([
      {
        code: "18b2ba5e-7f8c-4e6d-8a27-b18fb27cc9f9",
        title: { en: "EXTRA" },
        factor: 1.5,
        fixed_price: null,
        position: "prefix",
      },
      {
        code: "29c3cb6f-809d-4f7e-9b38-c290c38dda0a",
        title: { en: "ON THE SIDE" },
        factor: null,
        fixed_price: 50,
        position: "suffix",
      },
    ]);
    expect(byTitle(tree.modifier_groups, "Toppings").portions).toMatchObject([
      { title: { en: "1st Half" }, scale: 0.5 },
    ]);
    const special = byTitle(tree.items, "Lunch special");
    expect(special.price).toBe(925);
    expect(tree.price_levels).toMatchObject([
      { automatic: true, channel: null, overrides: [{ target_id: special.id, price: 650, percent: null }] },
    ]);
  });

  it("leaves the group that prices by size out of the item's groups", () => {
    expect(byTitle(tree.items, "Margherita").modifier_groups.map(({ group_id: id }) => id)).toEqual([
      byTitle(tree.modifier_groups, "Toppings").id,
    ]);
    expect(tree.modifier_groups).toHaveLength(2);
  });

  it("tells everything that has no place", () => {
    expect([...told].sort()).toEqual(
      lines([
        `/menus/0/menuGroups/0/menuItems/0/kitchenName: ${NO_PLACE}`,
        "/menus/0/menuGroups/0/visibility: Imported as visible everywhere: visibility per channel of Toast is not supported.",
        "/menus/0/menuGroups/0/menuItems/0/prepTime: Rounded up to whole minutes.",
      ]),
    );
  });
});

describe("deliverect.json", () => {
  const { tree, draft, told } = readSample("deliverect");

  it("reads limits of units and of different options", () => {
    expect(byTitle(tree.modifier_groups, "Sauces")).toMatchObject({
      min: 10,
      max: 10,
      max_distinct: 3,
      min_distinct: null,
    });
    expect(byTitle(tree.modifiers, "Buffalo")).toMatchObject({ default: true, max_quantity: 10, price: 0 });
  });

  it("keeps translations, PLUs, ranges of energy and price levels", () => {
    expect(byTitle(tree.items, "Ten wings")).toMatchObject({
      title: { en: "Ten wings", cy: "Deg adain" },
      price: 950,
      kcal: { min: 640, max: 810 },
      max_per_order: 4,
      external_refs: [{ system: "deliverect", id: "WNG-10" }],
    });
    expect(
      tree.price_levels.map(({ title, automatic, overrides }) => [title.en, automatic, overrides[0]?.price]),
    ).toEqual([
      ["Takeaway", false, 900],
      ["Delivery", false, 1050],
    ]);
  });

  it("reads tags as allergens, diets and alcohol", () => {
    expect(byTitle(draft.items, "Ten wings").food).toEqual({
      contains: ["milk", "gluten"],
      freeFrom: [],
      diets: ["vegetarian"],
    });
    expect(byTitle(draft.modifiers, "Korean").food?.contains).toEqual(["soy", "sesame"]);
    expect(byTitle(tree.items, "Pale ale").alcohol).toEqual({ abv: null });
  });

  it("tells everything that has no place", () => {
    expect([...told].sort()).toEqual(
      lines([
        `/products/*/deliveryTax x8: ${NO_PLACE}`,
        `/products/0/takeawayTax: ${NO_PLACE}`,
        `/products/0/eatInTax: ${NO_PLACE}`,
        "/products/7: Bundles are not supported.",
        "/products/0/productTags/3: Tag 18 is not supported.",
        "/products/3/defaultQuantity: A default can only be one unit.",
      ]),
    );
  });
});

describe("uber.json", () => {
  const { tree, draft, told } = readSample("uber");
  const muffin = byTitle(tree.items, "Muffin");

  it("reads texts in all languages, the channel and the hours", () => {
    expect(tree.menu).toMatchObject({
      title: { "en-GB": "All day", "cy-GB": "Drwy'r dydd" },
      channels: ["delivery"],
    });
    const schedule = tree.schedules.find(({ id }) => tree.menu.schedule_ids.includes(id));
    expect(schedule?.rules).toEqual([
      { days: ["mon"], start: "00:00", end: "00:00" },
      { days: ["tue"], start: "10:00", end: "14:30" },
      { days: ["tue"], start: "17:00", end: "01:30" },
    ]);
  });

  it("reads E5 and E2 numbers", () => {
    expect(muffin).toMatchObject({
      kcal: { min: 380, max: 420 },
      serves: 1,
      max_per_order: 12,
      sku: "POS-204",
    });
    expect(byTitle(tree.items, "Irish coffee").alcohol).toEqual({ abv: 12.75 });
  });

  it("reads dates around the hours of an item", () => {
    const schedule = tree.schedules.find(({ id }) => muffin.schedule_ids.includes(id));
    expect(schedule).toMatchObject({
      rules: [{ days: ["mon"], start: "09:00", end: "13:00" }],
      valid_from: "2026-01-01",
      valid_until: "2026-12-31",
    });
  });

  it("makes a price level of a price for one menu", () => {
    expect(tree.price_levels).toMatchObject([
      { menu_id: tree.menu.id, automatic: true, overrides: [{ target_id: muffin.id, price: 320 }] },
    ]);
  });

  it("gives an option one modifier for each group that prices or limits it differently", () => {
    const [inFlavour, inSauces] = tree.modifiers.filter(({ title }) => title.en === "Chocolate");
    expect(inFlavour).toMatchObject({ price: 100, max_quantity: 1 });
    expect(inSauces).toMatchObject({ price: 100, max_quantity: 10 });
    expect(byTitle(tree.modifier_groups, "Sauces")).toMatchObject({
      free_quantity: 2,
      max: null,
      modifier_ids: [inSauces?.id, byTitle(tree.modifiers, "Glass of milk").id],
    });
    expect(byTitle(tree.modifiers, "Glass of milk")).toMatchObject({
      price: 50,
      item_id: byTitle(tree.items, "Glass of milk").id,
    });
    expect(byTitle(tree.modifiers, "Blueberry")).toMatchObject({ price: 0, default: true });
    expect(muffin.modifier_groups[0]).toMatchObject({ min: 1 });
  });

  it("hands allergens, diets and what is sold out back", () => {
    expect(byTitle(draft.items, "Muffin")).toMatchObject({
      food: { contains: ["wheat", "egg", "milk"], freeFrom: [], diets: ["vegetarian"] },
      stock: { available: false, until: "2026-06-01T18:00:00.000Z", reason: "Oven" },
    });
  });

  it("tells everything that has no place", () => {
    expect([...told].sort()).toEqual(
      lines([
        `/items/0/price_info/container_deposit: ${NO_PLACE}`,
        "/items/0/tax_info: Rates of tax are not imported, only whether prices include tax.",
        `/display_options: ${NO_PLACE}`,
        "/items/0/nutritional_info/allergens/3: Not a supported allergen.",
        "/menus/*/service_availability/*/time_periods/* x2: An end of 23:59 is imported as midnight.",
      ]),
    );
  });
});

describe("otter.json", () => {
  const { tree, draft, told } = readSample("otter");
  const brisket = byTitle(tree.items, "Brisket plate");

  it("reads decimals, hours past midnight and ways of fulfilment", () => {
    expect(tree.menu).toMatchObject({ currency: "USD", channels: ["delivery", "pickup"] });
    expect(tree.schedules[0]?.rules).toEqual([{ days: ["fri"], start: "17:30", end: "01:30" }]);
    expect(brisket).toMatchObject({
      price: 1999,
      sku: "brisket-plate",
      serves: 2,
      kcal: { min: 900, max: 1100 },
    });
  });

  it("maximum 0 is no limit, and a missing limit of one option is 1", () => {
    expect(byTitle(tree.modifier_groups, "Sides")).toMatchObject({ min: 0, max: null });
    expect(byTitle(tree.modifiers, "Pickles")).toMatchObject({
      default: true,
      max_quantity: 1,
      item_id: null,
    });
    expect(byTitle(tree.modifiers, "Slaw")).toMatchObject({ item_id: byTitle(tree.items, "Slaw").id });
    expect(tree.items.map(({ title }) => title.en)).toEqual(["Brisket plate", "Slaw"]);
  });

  it("gives a modifier the lowest limit of the groups that share it, in whatever order they stand", () => {
    const sample = OtterMenus.parse(sampleOf("otter"));
    const [sides] = Object.values(sample.modifierGroups ?? {});
    if (sides === undefined) throw new Error("The sample has a group.");
    const more = { ...sides, id: "more", name: "More", maxPerModifierSelectionQuantity: 3 };
    for (const modifierGroups of [
      { [sides.id]: sides, more },
      { more, [sides.id]: sides },
    ]) {
      const read = readSample("otter", { ...sample, modifierGroups });
      expect(byTitle(read.tree.modifiers, "Pickles").max_quantity).toBe(1);
      expect(read.told.join("\n")).toContain("one limit in all groups (the lowest is used)");
    }
  });

  it("keeps a price for one service as a level of its name", () => {
    expect(tree.price_levels).toMatchObject([
      { title: { en: "ubereats" }, automatic: false, overrides: [{ target_id: brisket.id, price: 2250 }] },
    ]);
  });

  it("hands allergens, their absence and what is sold out back", () => {
    expect(byTitle(draft.items, "Brisket plate")).toMatchObject({
      food: { contains: ["mustard"], freeFrom: ["wheat"], diets: [] },
      stock: { available: false, until: "2026-06-02T18:00:00.000Z" },
    });
  });

  it("tells everything that has no place", () => {
    expect([...told].sort()).toEqual(
      lines([
        `/menus/ff6dd693-5e55-4a92-a359-ea61b23ed423/additionalCharges: ${NO_PLACE}`,
        `/items/fa4f0192-4c4e-4455-9db8-61d428c34969/skuDetails/producerInformation: ${NO_PLACE}`,
        `/modifierGroups/f4c69056-3ae3-4517-9294-5ceec8df5f81/type: ${NO_PLACE}`,
        "/menus/ff6dd693-5e55-4a92-a359-ea61b23ed423/hours/intervals/0: An end of 23:59 is imported as midnight.",
        "/items/fa4f0192-4c4e-4455-9db8-61d428c34969/skuDetails/dietaryClassifications/0: KETO is not a supported claim.",
      ]),
    );
  });
});
