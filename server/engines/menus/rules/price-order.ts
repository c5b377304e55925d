import { sum, times } from "../../../lib/money.ts";
import { mapSteps } from "../../../lib/slices.ts";
import type { Variation } from "../schema/item.ts";
import type { Channel } from "../schema/parts.ts";
import type { Settings } from "../schema/settings.ts";
import type { Stock } from "../schema/stock.ts";
import type { TreeItem, TreeModifier } from "../schema/tree.ts";
import type { LineError, OrderLine, PricedLine, PricedModifier } from "../schema/price.ts";
import type { Availability, Judge } from "./availability.ts";
import { chooseModifiers } from "./choose-modifiers.ts";
import type { GroupChoice } from "./choose-modifiers.ts";
import { groupsOfItem } from "./group-use.ts";
import type { IndexedTree } from "./index-tree.ts";
import { energyOfPart, kcalText, sumKcal } from "./kcal.ts";
import type { KcalPart } from "./kcal.ts";
import { isComplete } from "../../../core/known-allergens.ts";
import { dishAllergens } from "./line-allergens.ts";
import type { DeclaredOf, DishChoice } from "./line-allergens.ts";
import { pickText } from "./pick-text.ts";
import type { Reader } from "./pick-text.ts";
import type { PriceOf } from "./price-level.ts";
import { chargeGroups, totalOf } from "./price-modifiers.ts";
import type { ChargedChoice } from "./price-modifiers.ts";
import { leftOf } from "./stock.ts";

/** The input of pricing an order. */
export interface PriceContext {
  readonly tree: IndexedTree;
  readonly judge: Judge;
  readonly priceOf: PriceOf;
  readonly stockOf: (targetId: string) => Stock | undefined;
  readonly declaredOf: DeclaredOf;
  readonly reader: Reader;
  readonly labelling: Settings["kcal_labelling"];
  readonly channel: Channel | null;
  readonly nowMs: number;
}

/** Lines of an order, each as `priceLine` returns it, with the limits that they share (`max_per_order`, stock): their order has no effect. */
export function priceOrder(
  world: Pick<PriceContext, "stockOf" | "channel" | "nowMs">,
  priced: readonly PricedByItself[],
): PricedLine[] {
  const ordered = new Map<string, number>();
  const needed = new Map<string, number>();
  for (const { line, choices } of priced) {
    ordered.set(line.item_id, (ordered.get(line.item_id) ?? 0) + line.quantity);
    for (const [id, quantity] of targetsOf(line, choices)) needed.set(id, (needed.get(id) ?? 0) + quantity);
  }
  for (const { line, choices, item, errors } of priced) {
    if (item === null) continue;
    const most = item.max_per_order;
    if (most !== null && (ordered.get(item.id) ?? 0) > most) {
      errors.push({ code: "max_per_order", id: item.id, detail: `At most ${most} can be ordered at once.` });
    }
    for (const id of targetsOf(line, choices).keys()) {
      const left = leftOf(world.stockOf(id), world.channel, world.nowMs);
      // An item that is out of stock already has its own error.
      if (left > 0 && (needed.get(id) ?? 0) > left) {
        errors.push({
          code: "insufficient_stock",
          id,
          detail: `${left} left, ${needed.get(id) ?? 0} requested.`,
        });
      }
    }
  }
  return priced.map(({ answer, errors }) => ({ ...answer, errors }));
}

/** Stock that an order needs: items and modifiers, and the items that modifiers refer to, with their units. */
export function targetsOf(line: OrderLine, groups: readonly GroupChoice[]): Map<string, number> {
  const targets = new Map([[line.item_id, line.quantity]]);
  const walk = (inner: readonly GroupChoice[], count: number): void => {
    for (const { modifier, quantity, nested } of inner.flatMap(({ choices }) => choices)) {
      const units = quantity * count;
      for (const id of [modifier.id, modifier.item_id]) {
        if (id !== null) targets.set(id, (targets.get(id) ?? 0) + units);
      }
      walk(nested, units);
    }
  };
  walk(groups, line.quantity);
  return targets;
}

/** A line priced by itself. */
export interface PricedByItself {
  readonly line: OrderLine;
  readonly item: TreeItem | null;
  readonly choices: readonly GroupChoice[];
  readonly errors: LineError[];
  readonly answer: Omit<PricedLine, "errors">;
}

/** Judges the items of an order, each once for all its lines, in steps of one position: one can take milliseconds. */
export function* judgeItemsSteps(
  { tree, judge }: Pick<PriceContext, "tree" | "judge">,
  items: readonly TreeItem[],
): Generator<undefined, ReadonlyMap<string, Availability>> {
  const judged = new Map<string, Availability>();
  for (const item of items) {
    const places = yield* mapSteps(tree.placesOf(item.id), (path) => judge.item(item, path));
    judged.set(item.id, bestOf(places));
  }
  return judged;
}

/** Prices one line of an order, whose items are `judged`; `priceOrder` checks what it shares with others. */
export function priceLine(
  world: PriceContext,
  line: OrderLine,
  judged: ReadonlyMap<string, Availability>,
): PricedByItself {
  const errors: LineError[] = [];
  const addError = (code: LineError["code"], id: string, detail: string): void => {
    errors.push({ code, id, detail });
  };
  const item = world.tree.itemById.get(line.item_id);
  if (item === undefined || world.tree.placesOf(item.id).length === 0) {
    addError("item_not_found", line.item_id, "The live menu does not offer this item.");
    return { line, item: null, choices: [], errors, answer: emptyAnswer(line) };
  }
  const variation = findVariation(item, line.variation_id, addError);
  const before = errors.length;
  const choices = chooseModifiers(
    world.tree,
    groupsOfItem(world.tree, item.modifier_groups),
    line.selections,
    addError,
  );
  const isDish = errors.length === before;
  const availability = judged.get(item.id) ?? bestOf([]);
  if (!availability.available) {
    addError("item_unavailable", item.id, `Not available: ${availability.reason ?? "unknown"}.`);
  }
  for (const modifier of modifiersIn(choices)) {
    const block = world.judge.modifier(modifier);
    if (block !== null) addError("modifier_unavailable", modifier.id, `Not available: ${block.reason}.`);
  }
  const isWhole = !errors.some(({ code }) => code === "too_many_choices");
  const base = basePrice(world.priceOf, item, variation);
  if (base.price === null && variation !== "missing") addError("price_missing", item.id, "It has no price.");
  const answer = {
    item_id: line.item_id,
    variation_id: line.variation_id,
    title: titleOf(item, variation, world.reader),
    quantity: line.quantity,
    base_price: base.price,
    price_level_id: base.levelId,
    ...(isWhole
      ? moneyOf(world, choices, base.price, line.quantity)
      : { modifiers: [], unit_price: null, total: null }),
    tax_inclusive: item.tax_inclusive,
    tax_rate_id: item.tax_rate_id,
    ...(isWhole ? energyOf(world, item, variation, choices) : { kcal: null, kcal_text: null }),
    ...allergensOf(world.declaredOf, item, { choices, isWhole: isDish }),
    available: availability.available,
  };
  return { line, item, choices, errors, answer };
}

/** Price of a line, and of each of its modifiers. Throws 422 `amount_out_of_range` beyond exact numbers. */
function moneyOf(
  { priceOf, reader }: PriceContext,
  choices: readonly GroupChoice[],
  base: number | null,
  quantity: number,
): Pick<PricedLine, "modifiers" | "unit_price" | "total"> {
  const charged = chargeGroups(choices, priceOf);
  const unitPrice = base === null ? null : sum([base, totalOf(charged)]);
  return {
    modifiers: flatten(charged, reader, { depth: 1, count: 1 }),
    unit_price: unitPrice,
    total: unitPrice === null ? null : times(unitPrice, quantity),
  };
}

/** The selected variation; null: the item has none; "missing": it has some, and none was specified. */
function findVariation(
  item: TreeItem,
  id: string | null,
  addError: (code: LineError["code"], id: string, detail: string) => void,
): Variation | "missing" | null {
  if (id === null) {
    if (item.variations.length === 0 || item.price !== null) return null;
    addError("variation_required", item.id, "Specify one of the item's variations.");
    return "missing";
  }
  const match = item.variations.find((variation) => variation.id === id);
  if (match !== undefined) return match;
  addError("variation_not_found", id, "The item has no variation with this id.");
  return "missing";
}

function basePrice(
  priceOf: PriceOf,
  item: TreeItem,
  variation: Variation | "missing" | null,
): { readonly price: number | null; readonly levelId: string | null } {
  if (variation === "missing") return { price: null, levelId: null };
  if (variation !== null) {
    return priceOf({ kind: "variation", id: variation.id, itemId: item.id }, variation.price);
  }
  return item.price === null
    ? { price: null, levelId: null }
    : priceOf({ kind: "item", id: item.id }, item.price);
}

const titleOf = (item: TreeItem, variation: Variation | "missing" | null, reader: Reader): string =>
  variation === null || variation === "missing"
    ? pickText(item.title, reader)
    : `${pickText(item.title, reader)}, ${pickText(variation.title, reader)}`;

function energyOf(
  { labelling, declaredOf }: PriceContext,
  item: TreeItem,
  variation: Variation | "missing" | null,
  choices: readonly GroupChoice[],
): Pick<PricedLine, "kcal" | "kcal_text"> {
  const own =
    variation === null || variation === "missing"
      ? energyOfPart(item, declaredOf)
      : (variation.kcal ?? item.kcal);
  const kcal = sumKcal([{ kcal: own, quantity: 1, scale: 1 }, ...kcalParts(choices, 1, declaredOf)]);
  return { kcal, kcal_text: kcalText(kcal, labelling) };
}

/** Allergens as shown with a price; unknown if the choices are incomplete. */
export function allergensOf(
  declaredOf: DeclaredOf,
  item: TreeItem,
  { choices, isWhole }: { readonly choices: readonly GroupChoice[]; readonly isWhole: boolean },
): Pick<PricedLine, "allergens" | "may_contain" | "allergen_status"> {
  const dish = dishAllergens(item.product_id, dishChoicesIn(choices), declaredOf);
  return {
    allergens: [...dish.allergens],
    may_contain: [...dish.may_contain],
    allergen_status: isWhole && isComplete(dish) ? "complete" : "unknown",
  };
}

/** Energy of the choices; one that only removes something adds none. */
export function kcalParts(groups: readonly GroupChoice[], count: number, declaredOf: DeclaredOf): KcalPart[] {
  return groups
    .flatMap(({ choices }) => choices)
    .flatMap(({ modifier, quantity, portion, nested }) => [
      {
        kcal: energyOfPart(modifier, declaredOf) ?? (addsNothing(modifier) ? { min: 0, max: null } : null),
        quantity: quantity * count,
        scale: portion?.scale ?? 1,
      },
      ...kcalParts(nested, quantity * count, declaredOf),
    ]);
}

const addsNothing = (modifier: TreeModifier): boolean =>
  modifier.product_id === null && modifier.item_id === null && modifier.removes.length > 0;

/** All selected modifiers, including nested ones. */
const modifiersIn = (groups: readonly GroupChoice[]): TreeModifier[] =>
  groups.flatMap(({ choices }) =>
    choices.flatMap(({ modifier, nested }) => [modifier, ...modifiersIn(nested)]),
  );

/**
 * What the allergens of a dish depend on of all selected modifiers: "no cheese" on one half leaves the cheese on the other, and one with
 * "light" may leave some. In an added side it leaves that of the dish.
 */
export const dishChoicesIn = (groups: readonly GroupChoice[], isPart = false): DishChoice[] =>
  groups.flatMap(({ choices }) =>
    choices.flatMap(({ modifier, preModifier, portion, nested }) => {
      const isHere = isPart || preModifier !== null || (portion?.scale ?? 1) < 1;
      const own = isHere
        ? addsNothing(modifier)
          ? []
          : [{ ...modifier, removes: [], removes_ingredient_ids: [] }]
        : [modifier];
      return [...own, ...dishChoicesIn(nested, isHere || !addsNothing(modifier))];
    }),
  );

/** The position where it is available, otherwise the one that is available first. */
export function bestOf(list: readonly Availability[]): Availability {
  const order = ({ available, nextChangeMs }: Availability): number =>
    available ? -1 : (nextChangeMs ?? Infinity);
  const [best] = [...list].sort((a, b) => compare(order(a), order(b)));
  return best ?? { available: false, reason: null, nextChangeMs: null };
}

const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);

function flatten(
  charged: readonly ChargedChoice[],
  reader: Reader,
  { depth, count }: { readonly depth: number; readonly count: number },
): PricedModifier[] {
  return charged.flatMap(({ groupId, choice, unitPrice, charged: amount, nested }) => [
    {
      group_id: groupId,
      modifier_id: choice.modifier.id,
      title: pickText(choice.modifier.title, reader),
      quantity: choice.quantity * count,
      pre_modifier: choice.preModifier?.code ?? null,
      portion: choice.portion?.code ?? null,
      unit_price: unitPrice,
      charged: times(amount, count),
      depth,
      default: choice.modifier.default,
    },
    ...flatten(nested, reader, { depth: depth + 1, count: count * choice.quantity }),
  ]);
}

const emptyAnswer = (line: OrderLine): Omit<PricedLine, "errors"> => ({
  item_id: line.item_id,
  variation_id: line.variation_id,
  title: null,
  quantity: line.quantity,
  base_price: null,
  price_level_id: null,
  modifiers: [],
  unit_price: null,
  total: null,
  tax_inclusive: null,
  tax_rate_id: null,
  kcal: null,
  kcal_text: null,
  allergens: [],
  may_contain: [],
  allergen_status: "unknown",
  available: false,
});
