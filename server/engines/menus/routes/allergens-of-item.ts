import { sha256Hex } from "../../../core/ids.ts";
import type { KnownAllergens } from "../../../core/known-allergens.ts";
import type { EnginePorts } from "../../../core/ports.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { giveWay } from "../../../lib/slices.ts";
import { items, menus, modifierGroups, modifiers, readAll, readSettings } from "../repository.ts";
import { chooseModifiers } from "../rules/choose-modifiers.ts";
import { groupsOfItem } from "../rules/group-use.ts";
import type { GroupSource } from "../rules/group-use.ts";
import { anyOf, dishAllergens } from "../rules/line-allergens.ts";
import type { DishAllergens, DishChoice } from "../rules/line-allergens.ts";
import { pickText } from "../rules/pick-text.ts";
import { dishChoicesIn } from "../rules/price-order.ts";
import { MENU_LIMITS } from "../schema/limits.ts";
import type { Item } from "../schema/item.ts";
import type { Modifier, ModifierGroup } from "../schema/modifier.ts";
import type { TreeItem } from "../schema/tree.ts";
import { Selection } from "../schema/price.ts";
import { readFacts } from "./read-facts.ts";
import { readLive } from "./read-world.ts";

/** The port through which other engines query menus. */
export const menuAnswers: Pick<EnginePorts, "allergensOfItem" | "menuItemsOf" | "leadMinutesOf"> = {
  async menuItemsOf(tx, productIds) {
    const wanted = new Set(productIds);
    const { default_locale: fallback } = await readSettings(tx);
    const keep = ({ value: { id, product_id: productId, title } }: Stored<Item | Modifier>) =>
      productId !== null && wanted.has(productId)
        ? [{ productId, id, title: pickText(title, { locales: [], fallback }) }]
        : [];
    const parts = [...(await readAll(tx, items, keep)), ...(await readAll(tx, modifiers, keep))];
    const found = new Map<string, { id: string; title: string }[]>();
    for (const { productId, ...part } of parts) {
      const list = found.get(productId);
      if (list === undefined) found.set(productId, [part]);
      else list.push(part);
    }
    return found;
  },
  async leadMinutesOf(tx, itemIds) {
    const found = await Promise.all([...new Set(itemIds)].map((id) => tx.get(items, id)));
    return new Map(
      found
        .filter((item) => item !== null)
        .map(({ id, value }) => [id, value.lead_time_minutes ?? 0] as const),
    );
  },
  allergensOfItem(tx, selection, context) {
    return allergensOfItem(this, tx, selection, context);
  },
};

/**
 * Allergens of an item with its selected modifiers. The live menus contain what is
 * served, and the draft what may be served next: everything in either of them counts, so that an unpublished draft
 * makes
 * nothing safe. Null for an item that is in none, and for invalid selections.
 */
async function allergensOfItem(
  ports: EnginePorts,
  tx: Tx,
  selection: { readonly menu_item_id: string; readonly selections: readonly unknown[] },
  context: { readonly mode: string | null; readonly now: number },
): Promise<KnownAllergens | null> {
  const { menu_item_id: itemId, selections: given } = selection;
  const { dishes } = await askWithOthers(tx, context.now, { itemId, given, dishes: [] });
  const [first] = dishes;
  if (first === undefined) return null;
  const content = await afterOthers(tx, () =>
    contentOf(
      tx,
      dishes.map(({ dish }) => dish),
      (ids) => ports.allergensOf(tx, ids, context),
    ),
  );
  const { default_locale: fallback } = await readSettings(tx);
  return { title: pickText(first.title, { locales: [], fallback }), ...content };
}

/** What the latest question of a transaction waits for. */
const latest = new WeakMap<Tx, Promise<unknown>>();

/** Does one work of a transaction after another: what is known of the products of one question is in memory at a time. */
function afterOthers<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  const before = latest.get(tx) ?? Promise.resolve();
  const own = before.then(work, work);
  latest.set(tx, own);
  return own;
}

type AllergensOf = (productIds: readonly string[]) => ReturnType<EnginePorts["allergensOf"]>;

/** What dishes contain of which any may be served. */
async function contentOf(tx: Tx, dishes: readonly Dish[], allergensOf: AllergensOf): Promise<DishAllergens> {
  const distinct = [...new Set(dishes)];
  const bases = new Set(distinct.map(({ product_id: id }) => id));
  const added = distinct.flatMap(({ choices }) => choices.map(({ product_id: id }) => id));
  // Only the ingredients of a base can be removed.
  const facts = await readFacts([...bases, ...added], allergensOf, (id, origins) =>
    bases.has(id) ? origins : [],
  );
  const contents: DishAllergens[] = [];
  for (const { product_id: base, choices } of distinct) {
    await giveWay(tx.part);
    contents.push(dishAllergens(base, choices, (id) => facts.get(id)));
  }
  return anyOf(contents);
}

/** What the allergens of an ordered item depend on. */
interface Dish {
  readonly product_id: string | null;
  readonly choices: readonly DishChoice[];
}

interface Question {
  readonly itemId: string;
  /** As they were sent. */
  readonly given: readonly unknown[];
  /** Of the draft first, then of each live menu that allows the selection. */
  readonly dishes: { readonly title: TreeItem["title"]; readonly dish: Dish }[];
}

interface Read extends Question {
  readonly selections: readonly Selection[];
}

/** Checks selections one by one, with pauses, up to the first invalid one; null where there is one. */
async function readSelections(tx: Tx, given: readonly unknown[]): Promise<Selection[] | null> {
  if (given.length > MENU_LIMITS.selectionsPerLine) return null;
  const selections: Selection[] = [];
  for (const one of given) {
    await giveWay(tx.part);
    const read = Selection.safeParse(one);
    if (!read.success) return null;
    selections.push(read.data);
  }
  return selections;
}

/** Questions of transactions that were asked in this turn. */
const asked = new WeakMap<Tx, { readonly questions: Question[]; readonly answered: Promise<void> }>();

/** Finds the dishes of a question together with those of others that are asked in the same turn: each menu is read once for all of them. */
async function askWithOthers(tx: Tx, now: number, question: Question): Promise<Question> {
  const before = asked.get(tx);
  if (before !== undefined) {
    before.questions.push(question);
    await before.answered;
    return question;
  }
  const questions = [question];
  const answered = Promise.resolve().then(() => {
    asked.delete(tx);
    return findDishes(tx, now, questions);
  });
  asked.set(tx, { questions, answered });
  await answered;
  return question;
}

/** Adds the dishes to questions. One menu is in memory at a time, and of its dishes what their allergens depend on. */
async function findDishes(tx: Tx, now: number, questions: readonly Question[]): Promise<void> {
  const byItem = new Map<string, Read[]>();
  for (const question of questions) {
    const selections = await readSelections(tx, question.given);
    if (selections === null) continue;
    const read = { ...question, selections };
    const among = byItem.get(question.itemId);
    if (among === undefined) byItem.set(question.itemId, [read]);
    else among.push(read);
  }
  if (byItem.size === 0) return;
  const toDish = createDishes();
  const add = async (offer: Offer, among: readonly Read[]): Promise<void> => {
    for (const { selections, dishes } of among) {
      await giveWay(tx.part);
      const chosen = chosenOf(offer, selections);
      if (chosen !== null) dishes.push({ title: offer.item.title, dish: toDish(offer.item, chosen) });
    }
  };
  for (const [id, among] of byItem) {
    const item = (await tx.get(items, id))?.value;
    if (item !== undefined) await add({ item, source: await readGroups(tx, item) }, among);
  }
  const published = await readAll(
    tx,
    menus,
    ({ value: { id, status, published_version, published_at, scheduled } }) => [
      { id, status, published_version, published_at, scheduled },
    ],
  );
  for (const menu of published) {
    const tree = (await readLive(tx, menu, now))?.tree;
    if (tree === undefined) continue;
    for (const [id, among] of byItem) {
      const item = tree.itemById.get(id);
      if (item !== undefined) await add({ item, source: tree }, among);
    }
  }
}

/** Makes dishes of items; equal ones are one object: most menus offer the same dish. */
function createDishes(): (item: TreeItem, chosen: readonly DishChoice[]) => Dish {
  const choices = new Map<string, DishChoice>();
  const dishes = new Map<string, Dish>();
  const toChoice = (text: string, choice: DishChoice): DishChoice => {
    const before = choices.get(text);
    if (before === undefined) choices.set(text, choice);
    return before ?? choice;
  };
  return ({ product_id }, chosen) => {
    const parts = chosen.map(({ product_id: product, item_id, removes, removes_ingredient_ids }) => {
      const choice = { product_id: product, item_id, removes, removes_ingredient_ids };
      return { choice, text: JSON.stringify(choice) };
    });
    const hash = sha256Hex(JSON.stringify([product_id, ...parts.map(({ text }) => text)]));
    const before = dishes.get(hash);
    if (before !== undefined) return before;
    const dish = { product_id, choices: parts.map(({ text, choice }) => toChoice(text, choice)) };
    dishes.set(hash, dish);
    return dish;
  };
}

/** An item as offered by one menu, or by the draft. */
interface Offer {
  readonly item: TreeItem;
  readonly source: GroupSource;
}

/** What is selected; null if the offer does not allow the selection. */
function chosenOf({ item, source }: Offer, selections: readonly Selection[]): DishChoice[] | null {
  let isPossible = true;
  const choices = chooseModifiers(source, groupsOfItem(source, item.modifier_groups), selections, () => {
    isPossible = false;
  });
  return isPossible ? dishChoicesIn(choices) : null;
}

/** The groups of an item including nested ones. */
async function readGroups(tx: Tx, item: Item): Promise<GroupSource> {
  const groupById = new Map<string, ModifierGroup>();
  const modifierById = new Map<string, Modifier>();
  // Iterating a Set visits entries added during the iteration.
  const groupIds = new Set(item.modifier_groups.map((use) => use.group_id));
  for (const groupId of groupIds) {
    await giveWay(tx.part);
    const group = (await tx.get(modifierGroups, groupId))?.value;
    if (group === undefined) continue;
    groupById.set(groupId, group);
    for (const id of group.modifier_ids) {
      if (modifierById.has(id)) continue;
      await giveWay(tx.part);
      const modifier = (await tx.get(modifiers, id))?.value;
      if (modifier === undefined) continue;
      modifierById.set(id, modifier);
      for (const nested of modifier.nested_group_ids) groupIds.add(nested);
    }
  }
  return { groupById, modifierById };
}
