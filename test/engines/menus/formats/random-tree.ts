import * as fc from "fast-check";

import type {
  MenuTree,
  TreeCategory,
  TreeGroup,
  TreeItem,
  TreeModifier,
} from "../../../../server/engines/menus/schema/tree.ts";

/** Whole menus of a few things each: every category hangs on the menu, every group on an item, every modifier in a group. */
export const menuTrees = (): fc.Arbitrary<MenuTree> =>
  fc
    .record({
      menu: menuPart,
      schedules: fc.array(schedulePart, { minLength: 1, maxLength: 4 }),
      categories: fc.array(categoryPart, { minLength: 1, maxLength: 6 }),
      items: fc.array(itemPart, { minLength: 1, maxLength: 7 }),
      groups: fc.array(groupPart, { minLength: 1, maxLength: 5 }),
      modifiers: fc.array(modifierPart, { minLength: 1, maxLength: 9 }),
      levels: fc.array(levelPart, { maxLength: 5 }),
      picks: fc.array(fc.nat(1_000), { minLength: 200, maxLength: 200 }),
    })
    .map(assemble);

const ULID = "01JD8Z5T9QK3M4N5P6R7S8T9";
/** Ids that read like real ones: `itm_…03`. */
const idAt = (prefix: string, at: number): string => `${prefix}_${ULID}${String(at).padStart(2, "0")}`;

const word = fc.constantFrom(
  "Flat white",
  "Sourdough",
  "Crème brûlée",
  "Fish & chips",
  "Bara brith",
  "<b>Pie</b>",
  "豆腐",
);
const text = fc.oneof(
  word.map((en) => ({ en })),
  fc.tuple(word, word).map(([en, cy]) => ({ en, cy })),
  fc.tuple(word, word).map(([en, fr]) => ({ en, "fr-CA": fr })),
);
const optional = <T>(arb: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arb, { nil: null });
const price = fc.nat(20_000);
const sku = fc.constantFrom("A-1", "B-2", "C-3");
const kcal = fc
  .tuple(fc.nat(900), optional(fc.integer({ min: 1, max: 300 })))
  .map(([min, more]) => ({ min, max: more === null ? null : min + more }));
const channels = fc.constantFrom<TreeItem["channels"]>(
  [],
  ["delivery"],
  ["pickup"],
  ["dine_in", "kiosk"],
  ["delivery", "pickup"],
);
const day = fc.constantFrom("mon", "tue", "wed", "thu", "fri", "sat", "sun");
const time = fc
  .tuple(fc.nat(23), fc.constantFrom("00", "15", "30", "45"))
  .map(([hour, minute]) => `${String(hour).padStart(2, "0")}:${minute}`);
const image = fc.record({
  url: fc.constantFrom("https://example.com/a.jpg", "https://example.com/b.jpg"),
  alt: optional(text),
});

const menuPart = fc.record({
  title: text,
  description: optional(text),
  channels,
  currency: fc.constantFrom("GBP", "JPY", "KWD"),
  time_zone: fc.constantFrom("Europe/London", "America/New_York"),
  valid_from: optional(fc.constant("2026-06-01")),
  audience: fc.constantFrom("all" as const, "children" as const),
});

const schedulePart = fc.record({
  title: text,
  rules: fc.array(
    fc.record({ days: fc.uniqueArray(day, { minLength: 1, maxLength: 7 }), start: time, end: time }),
    { minLength: 1, maxLength: 3 },
  ),
  valid_from: fc.option(fc.constant("2026-06-01"), { nil: null, freq: 4 }),
  closed: fc.boolean(),
});

const categoryPart = fc.record({
  title: text,
  description: optional(text),
  image: optional(image),
  visible: fc.boolean(),
  channels,
});

const itemPart = fc.record({
  title: text,
  description: optional(text),
  sku: optional(sku),
  price,
  tax_inclusive: fc.boolean(),
  variations: fc
    .array(fc.record({ title: text, price, sku: optional(sku), kcal: optional(kcal) }), { maxLength: 5 })
    .map((all) => (all.length > 1 ? all : [])),
  kcal: optional(kcal),
  portion_text: optional(text),
  serves: optional(fc.integer({ min: 1, max: 9 })),
  tags: fc.uniqueArray(fc.constantFrom("spicy", "new", "house-made"), { maxLength: 2 }),
  alcohol: optional(fc.record({ abv: optional(fc.constantFrom(4.5, 12.75, 40)) })),
  age_restricted: optional(fc.constant(18)),
  prep_time_minutes: optional(fc.nat(60)),
  lead_time_minutes: optional(fc.nat(60)),
  max_per_order: optional(fc.integer({ min: 1, max: 20 })),
  channels,
  images: fc.array(image, { maxLength: 4 }),
});

const groupPart = fc.record({
  title: text,
  min: fc.nat(2),
  more: optional(fc.integer({ min: 1, max: 4 })),
  min_distinct: fc.boolean(),
  max_distinct: fc.boolean(),
  free_quantity: fc.nat(2),
  free_policy: fc.constantFrom("cheapest_first" as const, "first_selected" as const),
  defaults_charged: fc.boolean(),
  substitution: fc.boolean(),
  display_mode: fc.constantFrom("required" as const, "forced" as const, "optional" as const),
  pre_modifiers: fc.uniqueArray(
    fc.record({
      code: fc.constantFrom("extra", "light", "no"),
      title: text,
      amount: optional(fc.constantFrom(0.5, 1.5, 2)),
      fixed: optional(price),
      position: fc.constantFrom("prefix" as const, "suffix" as const),
    }),
    { maxLength: 2, selector: ({ code }) => code },
  ),
  portions: fc.uniqueArray(
    fc.record({ code: fc.constantFrom("left", "right"), title: text, scale: fc.constantFrom(0.5, 1) }),
    { maxLength: 2, selector: ({ code }) => code },
  ),
});

const modifierPart = fc.record({
  title: text,
  price,
  sku: optional(sku),
  default: fc.boolean(),
  max_quantity: fc.integer({ min: 1, max: 4 }),
  kcal: optional(kcal),
  removes: fc.uniqueArray(fc.constantFrom("milk", "egg"), { maxLength: 1 }),
});

const levelPart = fc.record({
  title: text,
  kind: fc.constantFrom("named", "timed", "menu", "channel", "percent"),
  price,
  priority: fc.nat(2),
});

type Value<A> = A extends fc.Arbitrary<infer T> ? T : never;

interface Parts {
  readonly menu: Value<typeof menuPart>;
  readonly schedules: readonly Value<typeof schedulePart>[];
  readonly categories: readonly Value<typeof categoryPart>[];
  readonly items: readonly Value<typeof itemPart>[];
  readonly groups: readonly Value<typeof groupPart>[];
  readonly modifiers: readonly Value<typeof modifierPart>[];
  readonly levels: readonly Value<typeof levelPart>[];
  readonly picks: readonly number[];
}

function assemble(parts: Parts): MenuTree {
  const picks = [...parts.picks];
  const pick = (count: number): number => (picks.shift() ?? 0) % count;
  const schedules = parts.schedules.map(({ closed, ...rest }, at) => ({
    id: idAt("shd", at),
    ...rest,
    valid_until: null,
    exceptions: closed && pick(4) === 0 ? [{ date: "2026-12-25", closed: true, ranges: [] }] : [],
  }));
  const scheduleIds = (): string[] =>
    pick(2) === 0 ? [] : schedules.filter((_, at) => at === 0 || pick(2) === 0).map(({ id }) => id);
  const modifiers = modifiersOf(parts);
  const groups = groupsOf(parts, modifiers, pick);
  const items = itemsOf(parts, groups, scheduleIds, pick);
  const categories = categoriesOf(parts, items, scheduleIds, pick);
  const menu = {
    id: idAt("mnu", 0),
    ...parts.menu,
    schedule_ids: scheduleIds(),
    category_ids: categories.filter(({ parent_id: parent }) => parent === null).map(({ id }) => id),
    price_level_id: null,
    valid_until: null,
  };
  return {
    menu,
    categories,
    items,
    modifier_groups: groups,
    modifiers: modifiers.filter(({ id }) => groups.some(({ modifier_ids: ids }) => ids.includes(id))),
    schedules,
    price_levels: levelsOf(parts, items, pick),
  };
}

const modifiersOf = ({ modifiers }: Parts): TreeModifier[] =>
  modifiers.map((part, at) => ({
    id: idAt("mod", at),
    ...part,
    item_id: null,
    product_id: null,
    nested_group_ids: [],
    removes_ingredient_ids: [],
  }));

function groupsOf(
  { groups }: Parts,
  modifiers: TreeModifier[],
  pick: (count: number) => number,
): TreeGroup[] {
  return groups.map(({ more, min_distinct: hasLeast, max_distinct: hasMost, ...part }, at) => {
    const first = pick(modifiers.length);
    const chosen = modifiers.filter((_, index) => index === first || (index + at) % groups.length === 0);
    const defaults = chosen.filter((modifier) => modifier.default).length;
    const max = more === null ? null : Math.max(part.min + more, defaults);
    const group = {
      ...part,
      id: idAt("grp", at),
      max,
      min_distinct: hasLeast ? 1 : null,
      max_distinct: hasMost ? Math.max(1, chosen.length) : null,
      modifier_ids: chosen.map(({ id }) => id),
      pre_modifiers: part.pre_modifiers.map(({ amount, fixed, ...own }) => ({
        ...own,
        factor: amount,
        fixed_price: amount === null ? fixed : null,
      })),
    };
    // A later group may open out of a modifier of an earlier one, never the other way round.
    const opener = modifiers.find(
      ({ id }) => groups.length > 1 && at > 0 && id === idAt("mod", 0) && !group.modifier_ids.includes(id),
    );
    if (opener !== undefined && pick(3) === 0) opener.nested_group_ids.push(group.id);
    return group;
  });
}

function itemsOf(
  { items }: Parts,
  groups: readonly TreeGroup[],
  scheduleIds: () => string[],
  pick: (count: number) => number,
): TreeItem[] {
  return items.map((part, at) => ({
    ...part,
    id: idAt("itm", at),
    product_id: pick(3) === 0 ? `prd_${at}` : null,
    tax_rate_id: null,
    price: part.variations.length > 0 && pick(3) > 0 ? null : part.price,
    variations: part.variations.map((variation, index) => ({
      id: idAt("var", at * 10 + index),
      ...variation,
      portion_text: null,
    })),
    modifier_groups: groups
      .filter((_, index) => at === 0 || pick(2) === 0 || index === at)
      .map(({ id, modifier_ids: ids }) => ({
        group_id: id,
        ...(pick(4) === 0 ? { min: 0 } : {}),
        ...(pick(4) === 0 ? { max: pick(2) === 0 ? null : 7 } : {}),
        hidden_modifier_ids: pick(5) === 0 ? ids.slice(0, 1 + pick(4)) : [],
      })),
    schedule_ids: scheduleIds(),
  }));
}

function categoriesOf(
  { categories }: Parts,
  items: readonly TreeItem[],
  scheduleIds: () => string[],
  pick: (count: number) => number,
): TreeCategory[] {
  return categories.map((part, at) => {
    const isNested = at > 0 && at < 3 && pick(2) === 0;
    return {
      ...part,
      id: idAt("cat", at),
      parent_id: isNested ? idAt("cat", at - 1) : null,
      menu_ids: isNested ? [] : [idAt("mnu", 0)],
      item_ids: items
        .filter((_, index) => index % categories.length === at || pick(4) === 0)
        .map(({ id }) => id),
      schedule_ids: scheduleIds(),
      sort_order: at,
    };
  });
}

function levelsOf(
  { levels }: Parts,
  items: readonly TreeItem[],
  pick: (count: number) => number,
): MenuTree["price_levels"] {
  const plain = items.filter(({ variations }) => variations.length === 0);
  const first = plain.length === 0 ? 0 : pick(plain.length);
  const targets = plain.filter((_, at) => at === first || pick(2) === 0).map(({ id }) => id);
  return levels.map(({ title, kind, price: amount, priority }, at) => ({
    id: idAt("prl", at),
    title,
    menu_id: kind === "menu" ? idAt("mnu", 0) : null,
    channel: kind === "channel" ? "delivery" : null,
    schedule_id: kind === "timed" ? idAt("shd", 0) : null,
    automatic: kind !== "named",
    priority,
    overrides: targets.map((target) =>
      kind === "percent"
        ? { target_id: target, price: null, percent: 10 }
        : { target_id: target, price: amount, percent: null },
    ),
    round_to: null,
  }));
}
