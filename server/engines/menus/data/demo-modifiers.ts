import type { Modifier, ModifierGroup } from "../schema/modifier.ts";
import type { PriceLevel } from "../schema/price-level.ts";
import type { Stock } from "../schema/stock.ts";
import { DEMO_IDS } from "./demo-ids.ts";
import { newStock } from "../schema/stock.ts";
import { newResource } from "../../../lib/new-resource.ts";

const { groups: G, modifiers: D, priceLevels: P, schedules: S, items: I } = DEMO_IDS;

export function demoGroups(nowAt: string): ModifierGroup[] {
  const group = (
    id: string,
    title: string,
    modifierIds: readonly string[],
    rest: Partial<ModifierGroup>,
  ): ModifierGroup => ({
    ...newResource(id, nowAt),
    title: { en: title },
    min: 0,
    max: null,
    min_distinct: null,
    max_distinct: null,
    free_quantity: 0,
    free_policy: "cheapest_first",
    defaults_charged: false,
    substitution: false,
    modifier_ids: [...modifierIds],
    display_mode: "optional",
    pre_modifiers: [],
    portions: [],
    ...rest,
  });
  const required = { min: 1, max: 1, display_mode: "required" as const };
  return [
    group(G.milk, "Milk", [D.wholeMilk, D.oatMilk, D.soyaMilk], { ...required, substitution: true }),
    group(G.shots, "Extras", [D.extraShot, D.syrup], { max: 4 }),
    group(G.toast, "Toast", [D.sourdoughToast, D.ryeToast], required),
    group(G.spread, "On it", [D.butter, D.jam, D.avocado], { max: 3, free_quantity: 1 }),
    group(G.burger, "Build it", [D.cheese, D.bacon, D.avocado, D.noBun], {
      max: 5,
      pre_modifiers: [
        { code: "extra", title: { en: "Extra" }, factor: 1.5, fixed_price: null, position: "prefix" },
        { code: "side", title: { en: "on the side" }, factor: null, fixed_price: null, position: "suffix" },
      ],
    }),
    group(G.sauces, "Sauces for ten wings", [D.buffalo, D.barbecue, D.garlic, D.lemon], {
      min: 10,
      max: 10,
      max_distinct: 3,
      display_mode: "required",
    }),
    group(G.toppings, "Toppings", [D.olives, D.mushrooms, D.chilli, D.bacon], {
      max: 6,
      portions: [
        { code: "whole", title: { en: "Whole" }, scale: 1 },
        { code: "left", title: { en: "Left half" }, scale: 0.5 },
        { code: "right", title: { en: "Right half" }, scale: 0.5 },
      ],
    }),
  ];
}

export function demoModifiers(nowAt: string): Modifier[] {
  const modifier = (id: string, title: string, price: number, rest: Partial<Modifier> = {}): Modifier => ({
    ...newResource(id, nowAt),
    title: { en: title },
    price,
    sku: null,
    item_id: null,
    product_id: null,
    default: false,
    max_quantity: 1,
    nested_group_ids: [],
    removes: [],
    removes_ingredient_ids: [],
    kcal: null,
    ...rest,
  });
  const kcal = (min: number) => ({ kcal: { min, max: null } });
  const sauce = { max_quantity: 10, ...kcal(12) };
  return [
    modifier(D.wholeMilk, "Whole milk", 0, { default: true, ...kcal(130) }),
    modifier(D.oatMilk, "Oat milk", 40, kcal(95)),
    modifier(D.soyaMilk, "Soya milk", 40, kcal(85)),
    modifier(D.extraShot, "Extra shot", 80, { max_quantity: 3, ...kcal(2) }),
    modifier(D.syrup, "Vanilla syrup", 60, { max_quantity: 2, ...kcal(45) }),
    modifier(D.sourdoughToast, "Sourdough", 0, { default: true, ...kcal(210) }),
    modifier(D.ryeToast, "Seeded rye", 30, kcal(190)),
    modifier(D.butter, "Butter", 40, kcal(75)),
    modifier(D.jam, "Raspberry jam", 60, kcal(50)),
    modifier(D.avocado, "Avocado", 180, kcal(120)),
    modifier(D.cheese, "Cheddar", 100, { default: true, max_quantity: 3, ...kcal(85) }),
    modifier(D.bacon, "Streaky bacon", 180, { max_quantity: 2, ...kcal(110) }),
    modifier(D.noBun, "No bun", 0, { removes: ["wheat"] }),
    modifier(D.buffalo, "Buffalo", 0, sauce),
    modifier(D.barbecue, "Barbecue", 0, sauce),
    modifier(D.garlic, "Garlic mayonnaise", 0, { ...sauce, ...kcal(38) }),
    modifier(D.lemon, "Lemon and pepper", 0, sauce),
    modifier(D.olives, "Olives", 120, { max_quantity: 2, ...kcal(40) }),
    modifier(D.mushrooms, "Mushrooms", 120, { max_quantity: 2, ...kcal(15) }),
    modifier(D.chilli, "Chilli", 60, { max_quantity: 2, ...kcal(4) }),
  ];
}

export function demoPriceLevels(nowAt: string): PriceLevel[] {
  const level = (id: string, title: string, rest: Partial<PriceLevel>): PriceLevel => ({
    ...newResource(id, nowAt),
    title: { en: title },
    menu_id: null,
    channel: null,
    schedule_id: null,
    automatic: true,
    priority: 0,
    overrides: [],
    round_to: null,
    ...rest,
  });
  const reduced = (id: string) => ({ target_id: id, price: null, percent: -30 });
  return [
    level(P.delivery, "Delivery", {
      channel: "delivery",
      priority: 10,
      overrides: [{ target_id: null, price: null, percent: 15 }],
      round_to: 5,
    }),
    level(P.evening, "Reduced in the evening", {
      schedule_id: S.evening,
      priority: 20,
      overrides: [I.sourdough, I.rye, I.baguette, I.croissant, I.almondCroissant].map(reduced),
      round_to: 5,
    }),
  ];
}

export function demoStock(nowAt: string, tomorrowAt: string): Stock[] {
  const stock = (id: string, target: Stock["target"], rest: Partial<Stock>): Stock => ({
    ...newStock(id, target, nowAt),
    ...rest,
  });
  const counted = (quantity: number, low: number | null): Partial<Stock> => ({
    status: quantity === 0 ? "out_of_stock" : "quantity",
    quantity,
    low_threshold: low,
  });
  return [
    stock(I.sourdough, "item", counted(18, 6)),
    stock(I.croissant, "item", counted(4, 8)),
    stock(I.almondCroissant, "item", counted(9, null)),
    stock(I.cinnamonBun, "item", counted(0, null)),
    stock(I.wings, "item", {
      suspensions: [{ channel: "delivery", until: tomorrowAt, reason: "They do not travel", since: nowAt }],
    }),
    stock(D.oatMilk, "modifier", counted(40, 10)),
    stock(D.soyaMilk, "modifier", {
      suspensions: [{ channel: null, until: tomorrowAt, reason: "Delivery is late", since: nowAt }],
    }),
  ];
}
