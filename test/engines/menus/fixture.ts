import { createJudge } from "../../../server/engines/menus/rules/availability.ts";
import { indexTreeSteps } from "../../../server/engines/menus/rules/index-tree.ts";
import type { IndexedTree } from "../../../server/engines/menus/rules/index-tree.ts";
import { levelPricesSteps } from "../../../server/engines/menus/rules/price-level.ts";
import type { PriceOf } from "../../../server/engines/menus/rules/price-level.ts";
import type { PriceContext } from "../../../server/engines/menus/rules/price-order.ts";
import type { Channel } from "../../../server/engines/menus/schema/parts.ts";
import type { Settings } from "../../../server/engines/menus/schema/settings.ts";
import type { Stock } from "../../../server/engines/menus/schema/stock.ts";
import type {
  MenuTree,
  TreeCategory,
  TreeGroup,
  TreeItem,
  TreeMenu,
  TreeModifier,
  TreePriceLevel,
  TreeSchedule,
} from "../../../server/engines/menus/schema/tree.ts";
import type { OrderLine, Selection } from "../../../server/engines/menus/schema/price.ts";
import type { KnownAllergens } from "../../../server/core/known-allergens.ts";
import { runAtOnce } from "../../../server/lib/slices.ts";

/** Parts of menus for tests: what a test does not name has the plainest value. */

export const text = (words: string): Record<string, string> => ({ en: words });

export const menuOf = (rest: Partial<TreeMenu> = {}): TreeMenu => ({
  id: "mnu_1",
  title: text("Menu"),
  description: null,
  channels: [],
  currency: "GBP",
  time_zone: "Europe/London",
  schedule_ids: [],
  category_ids: ["cat_1"],
  price_level_id: null,
  valid_from: null,
  valid_until: null,
  audience: "all",
  ...rest,
});

export const categoryOf = (rest: Partial<TreeCategory> = {}): TreeCategory => ({
  id: "cat_1",
  title: text("Category"),
  description: null,
  image: null,
  parent_id: null,
  menu_ids: [],
  item_ids: [],
  schedule_ids: [],
  sort_order: 0,
  visible: true,
  channels: [],
  ...rest,
});

export const itemOf = (rest: Partial<TreeItem> = {}): TreeItem => ({
  id: "itm_1",
  title: text("Item"),
  description: null,
  sku: null,
  product_id: null,
  price: 950,
  tax_rate_id: null,
  tax_inclusive: true,
  variations: [],
  modifier_groups: [],
  kcal: null,
  portion_text: null,
  serves: null,
  tags: [],
  alcohol: null,
  age_restricted: null,
  prep_time_minutes: null,
  lead_time_minutes: null,
  max_per_order: null,
  schedule_ids: [],
  channels: [],
  images: [],
  ...rest,
});

export const groupOf = (rest: Partial<TreeGroup> = {}): TreeGroup => ({
  id: "grp_1",
  title: text("Group"),
  min: 0,
  max: null,
  min_distinct: null,
  max_distinct: null,
  free_quantity: 0,
  free_policy: "cheapest_first",
  defaults_charged: false,
  substitution: false,
  modifier_ids: [],
  display_mode: "optional",
  pre_modifiers: [],
  portions: [],
  ...rest,
});

export const modifierOf = (rest: Partial<TreeModifier> = {}): TreeModifier => ({
  id: "mod_1",
  title: text("Modifier"),
  price: 120,
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

export const scheduleOf = (rest: Partial<TreeSchedule> = {}): TreeSchedule => ({
  id: "shd_1",
  title: text("Schedule"),
  rules: [],
  valid_from: null,
  valid_until: null,
  exceptions: [],
  ...rest,
});

export const levelOf = (rest: Partial<TreePriceLevel> = {}): TreePriceLevel => ({
  id: "prl_1",
  title: text("Level"),
  menu_id: null,
  channel: null,
  schedule_id: null,
  automatic: true,
  priority: 0,
  overrides: [],
  round_to: null,
  ...rest,
});

export const stockOf = (rest: Partial<Stock> = {}): Stock => ({
  id: "itm_1",
  created_at: "2026-06-01T09:00:00.000Z",
  updated_at: "2026-06-01T09:00:00.000Z",
  target: "item",
  status: "in_stock",
  quantity: null,
  low_threshold: null,
  suspensions: [],
  ...rest,
});

/** A menu of one category with the items given; groups of an item are those that it names. */
export const treeOf = (rest: Partial<MenuTree> = {}): MenuTree => ({
  menu: menuOf(),
  categories: [categoryOf({ item_ids: (rest.items ?? []).map(({ id }) => id) })],
  items: [],
  modifier_groups: [],
  modifiers: [],
  schedules: [],
  price_levels: [],
  ...rest,
});

export const useOf = (groupId: string, rest: object = {}): TreeItem["modifier_groups"][number] => ({
  group_id: groupId,
  hidden_modifier_ids: [],
  ...rest,
});

/** A tree, indexed. */
export const indexTree = (tree: MenuTree): IndexedTree => runAtOnce(indexTreeSteps(tree));

/** Prices under levels. */
export const levelPrices = (...given: Parameters<typeof levelPricesSteps>): PriceOf =>
  runAtOnce(levelPricesSteps(...given));

interface WorldOptions {
  readonly at?: string;
  readonly channel?: Channel | null;
  readonly stock?: readonly Stock[];
  readonly known?: Readonly<Record<string, KnownAllergens>>;
  readonly labelling?: Settings["kcal_labelling"];
  readonly named?: string | null;
}

/** Everything that a price rests on, for a tree. */
export function worldOf(tree: MenuTree, options: WorldOptions = {}): PriceContext {
  const indexed: IndexedTree = indexTree(tree);
  const nowMs = Date.parse(options.at ?? "2026-06-01T09:00:00.000Z");
  const channel = options.channel ?? null;
  const stock = new Map((options.stock ?? []).map((each) => [each.id, each]));
  const judge = createJudge(indexed, { nowMs, channel, stockOf: (id) => stock.get(id) });
  return {
    tree: indexed,
    judge,
    priceOf: levelPrices(tree.price_levels, {
      menuId: tree.menu.id,
      channel,
      named: options.named ?? null,
      ofMenu: tree.menu.price_level_id,
      isOpen: (id) => judge.isOpen(id),
    }),
    stockOf: (id) => stock.get(id),
    declaredOf: (id) => options.known?.[id],
    reader: { locales: [], fallback: "en" },
    labelling: options.labelling ?? "none",
    channel,
    nowMs,
  };
}

export const selectionOf = (
  modifierId: string,
  rest: Partial<Omit<Selection, "modifier_id">> = {},
): Selection => ({
  group_id: "grp_1",
  modifier_id: modifierId,
  quantity: 1,
  pre_modifier: null,
  portion: null,
  ...rest,
});

export const lineOf = (selections: readonly Selection[] = [], rest: Partial<OrderLine> = {}): OrderLine => ({
  item_id: "itm_1",
  variation_id: null,
  quantity: 1,
  selections: selections.map(({ selections: inner = [], ...own }) => ({
    ...own,
    selections: inner.map(({ selections: deeper = [], ...second }) => ({
      ...second,
      selections: [...deeper],
    })),
  })),
  ...rest,
});

export const knownOf = (rest: Partial<KnownAllergens> = {}): KnownAllergens => ({
  title: "Product",
  verified: true,
  complete_in: ["uk"],
  mode: "uk",
  allergens: [],
  may_contain: [],
  facts: [],
  diets: [],
  unfit_for: [],
  ...rest,
});
/** A product that contains some codes, each brought by the ingredients named. */
export const containing = (
  codes: Readonly<Record<string, readonly string[]>>,
  rest: Partial<KnownAllergens> = {},
): KnownAllergens =>
  knownOf({
    allergens: Object.keys(codes),
    facts: Object.entries(codes).map(([code, ingredients]) => ({
      code,
      presence: "contains" as const,
      declared_as: code,
      exempt: false,
      origins: ingredients.map((id) => ({ id, ingredient_id: null, name: id })),
    })),
    ...rest,
  });
