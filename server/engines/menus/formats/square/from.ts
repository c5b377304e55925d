import type {
  Draft,
  DraftFood,
  DraftGroup,
  DraftItem,
  DraftModifier,
  DraftOptions,
  DraftUse,
  DraftVariation,
} from "../draft.ts";
import { codeOfWord, SQUARE_TAGS } from "../food-tags.ts";
import { invalid, readEntries } from "../invalid.ts";
import { createLosses } from "../losses.ts";
import type { Loss, Losses, Path } from "../losses.ts";
import { noteUnknownMembers } from "../unknown-members.ts";
import { toCategories } from "./categories.ts";
import type { FoundItem } from "./categories.ts";
import { isPresent, noteRegardless } from "./places.ts";
import { imagesOf, readCatalog, refOfId, textOf } from "./read-catalog.ts";
import type { Catalog, CatalogEntry } from "./read-catalog.ts";
import { SquareCatalog } from "./shape.ts";
import type { SquareObject } from "./shape.ts";
import { overrideOf, soldOutOf, soldVariations, stockOf, taxIncludedOf } from "./taxes-and-places.ts";

/**
 * Converts a Square catalogue to a draft. A top-level MENU_CATEGORY is a menu and its children are the menu's
 * categories, three
 * levels of them; without one, all categories form one menu. Items list their categories, so an import
 * adds items to a category and never removes any.
 * -1 as a limit means not set, 0 as a maximum no limit. Variations become the item's variations; a single one is the
 * item's own price.
 */
export function fromSquare(body: SquareCatalog, options: DraftOptions): { draft: Draft; losses: Loss[] } {
  const losses = createLosses();
  noteUnknownMembers(SquareCatalog, body, losses);
  const catalog = readCatalog(body, options, losses);
  const items = readEntries(catalog.of("ITEM"), (object) => toItem(object, catalog) ?? []).flat();
  const lists = readEntries(catalog.of("MODIFIER_LIST"), (object) => toGroup(object, catalog) ?? []).flat();
  const { menus, categories, additions } = toCategories(catalog, items);
  const draft: Draft = {
    menus,
    categories,
    items: items.map(({ item }) => item),
    groups: lists.map(({ group }) => group),
    modifiers: lists.flatMap(({ modifiers }) => modifiers),
    levels: [],
    additions,
  };
  return { draft, losses: losses.list() };
}

function toItem({ object, path }: CatalogEntry, catalog: Catalog): FoundItem | null {
  const { losses } = catalog;
  const data = object.item_data;
  if (data == null) throw invalid([...path, "item_data"], "Required for an object of type ITEM.");
  const at = [...path, "item_data"];
  const type = data.product_type ?? "REGULAR";
  if (!["REGULAR", "FOOD_AND_BEV"].includes(type)) {
    losses.add([...at, "product_type"], `Items of type ${type} are not supported.`);
    return null;
  }
  if (data.is_archived === true) {
    losses.add([...at, "is_archived"], "Archived in Square; not imported.");
    return null;
  }
  const priced = toVariations(data, at, catalog);
  if (priced.length === 0) {
    losses.add(at, "No fixed price; not imported.", "money");
    return null;
  }
  const [first] = priced;
  const only = priced.length === 1 && first !== undefined ? first : null;
  const food = data.food_and_beverage_details;
  const ref = refOfId(object.id);
  const description = descriptionOf(data, catalog, at);
  const item: DraftItem = {
    ref,
    path,
    title: textOf(catalog, data.name),
    description: description === "" ? null : textOf(catalog, description),
    sku: only?.sku ?? null,
    price: only?.price ?? null,
    variations: only === null ? priced : [],
    ...(only === null ? {} : { onlyVariation: only.ref }),
    ...taxIncludedOf(data, at, catalog),
    ...soldOutOf(data, at, catalog),
    groups: toUses(data.modifier_list_info ?? [], at, catalog),
    kcal: food?.calorie_count == null ? null : { min: food.calorie_count },
    alcohol: data.is_alcoholic === true,
    images: imagesOf(data.image_ids ?? [], [...at, "image_ids"], catalog),
    ...(food == null ? {} : { food: toFood(food, [...at, "food_and_beverage_details"], losses) }),
  };
  const named =
    data.categories ?? (data.category_id == null ? [] : [{ id: data.category_id, ordinal: null }]);
  const categories = named.map(({ id, ordinal }, index) => ({
    id: refOfId(id),
    ordinal: ordinal ?? 0,
    path: [...at, ...(data.categories == null ? ["category_id"] : ["categories", index, "id"])],
  }));
  return { item, categories };
}

type ItemData = NonNullable<SquareObject["item_data"]>;

function descriptionOf(data: ItemData, { losses }: Catalog, at: Path): string {
  const plain = data.description_plaintext ?? data.description;
  const text = plain ?? (data.description_html ?? "").replaceAll(/<[^<>]*>/g, " ").replaceAll(/\s+/g, " ");
  if (plain == null && data.description_html != null && /<[^p/]/i.test(data.description_html)) {
    losses.add([...at, "description_html"], "Only its text is imported.");
  }
  return text.trim();
}

function toVariations(item: ItemData, at: Path, catalog: Catalog): DraftVariation[] {
  return soldVariations(item, catalog).flatMap(({ variation, index }) => {
    const { id, item_variation_data: data } = variation;
    const path = [...at, "variations", index];
    noteRegardless(variation, path, catalog.location, catalog.losses);
    const own = overrideOf(data.location_overrides, [...path, "item_variation_data"], catalog);
    const money = own?.price_money ?? data.price_money;
    if ((own?.pricing_type ?? data.pricing_type) === "VARIABLE_PRICING" || money == null) {
      catalog.losses.add(path, "Prices entered at the till are not supported.", "money");
      return [];
    }
    const title = (data.name ?? "").trim().slice(0, 150);
    return [
      {
        ref: refOfId(id),
        path,
        title: textOf(catalog, title === "" ? "Regular" : title),
        price: money.amount,
        sku: data.sku == null || data.sku.trim() === "" ? null : data.sku.trim(),
      },
    ];
  });
}

/** -1 or missing: inherited; 0 as a maximum removes the limit. */
function toUses(infos: NonNullable<ItemData["modifier_list_info"]>, at: Path, catalog: Catalog): DraftUse[] {
  const { losses } = catalog;
  const ordered = infos
    .map((info, index) => ({ info, path: [...at, "modifier_list_info", index] }))
    .sort((a, b) => (a.info.ordinal ?? 0) - (b.info.ordinal ?? 0));
  return ordered.flatMap(({ info, path }) => {
    const list = catalog.find("MODIFIER_LIST", info.modifier_list_id);
    if (info.enabled === false) {
      losses.add([...path, "enabled"], "A list that is disabled for an item is not imported.");
      return [];
    }
    // Reported at the list itself.
    if (list?.object.modifier_list_data?.modifier_type === "TEXT") return [];
    const min = info.min_selected_modifiers ?? -1;
    const max = info.max_selected_modifiers ?? -1;
    const overrides = info.modifier_overrides ?? [];
    for (const [index, { on_by_default_override: toggle }] of overrides.entries()) {
      if (toggle === "YES" || toggle === "NO") {
        losses.add(
          [...path, "modifier_overrides", index, "on_by_default_override"],
          "A modifier is a default either in all items or in none.",
        );
      }
    }
    const hidden = overrides
      .filter(({ hidden_online_override: toggle }) => toggle === "YES")
      .map(({ modifier_id: id }) => refOfId(id));
    return [
      {
        group: refOfId(info.modifier_list_id),
        path: [...path, "modifier_list_id"],
        ...(min === -1 ? {} : { min }),
        ...(max === -1 ? {} : { max: max === 0 ? null : max }),
        hidden,
      },
    ];
  });
}

function toFood(
  food: NonNullable<ItemData["food_and_beverage_details"]>,
  at: Path,
  losses: Losses,
): DraftFood {
  const contains = (food.ingredients ?? []).flatMap(({ standard_name: name }, index) => {
    const code = name == null ? null : codeOfWord(SQUARE_TAGS.allergens, name);
    if (code === null) losses.add([...at, "ingredients", index], "Not a supported allergen.");
    return code ?? [];
  });
  const diets = (food.dietary_preferences ?? []).flatMap(({ standard_name: name }, index) => {
    const code = name == null ? null : codeOfWord(SQUARE_TAGS.diets, name);
    if (code === null) losses.add([...at, "dietary_preferences", index], "Not a supported diet.");
    return code ?? [];
  });
  return { contains, freeFrom: [], diets };
}

function toGroup(
  { object, path }: CatalogEntry,
  catalog: Catalog,
): { group: DraftGroup; modifiers: DraftModifier[] } | null {
  const data = object.modifier_list_data;
  if (data == null)
    throw invalid([...path, "modifier_list_data"], "Required for an object of type MODIFIER_LIST.");
  if (data.modifier_type === "TEXT") {
    catalog.losses.add([...path, "modifier_list_data", "modifier_type"], "Text modifiers are not supported.");
    return null;
  }
  const min = Math.max(0, data.min_selected_modifiers ?? 0);
  const stated = data.max_selected_modifiers ?? -1;
  const max = stated > 0 ? stated : stated === -1 && data.selection_type === "SINGLE" ? 1 : null;
  const maxQuantity = data.allow_quantities === true ? (max ?? 1_000) : 1;
  const modifiers = [...(data.modifiers ?? [])]
    .map((modifier, index) => ({ modifier, at: [...path, "modifier_list_data", "modifiers", index] }))
    .filter(({ modifier }) => modifier.is_deleted !== true && isPresent(modifier, catalog.location))
    .sort((a, b) => (a.modifier.modifier_data.ordinal ?? 0) - (b.modifier.modifier_data.ordinal ?? 0))
    .map(({ modifier, at }): DraftModifier => {
      const { id, modifier_data: own } = modifier;
      noteRegardless(modifier, at, catalog.location, catalog.losses);
      const here = overrideOf(own.location_overrides, [...at, "modifier_data"], catalog);
      return {
        ref: refOfId(id),
        path: at,
        title: textOf(catalog, own.name),
        price: (here?.price_money ?? own.price_money)?.amount ?? 0,
        default: own.on_by_default === true,
        maxQuantity,
        groups: [],
        ...(here?.sold_out === true ? { stock: stockOf([here]) } : {}),
      };
    });
  const group: DraftGroup = {
    ref: refOfId(object.id),
    path,
    title: textOf(catalog, data.name),
    min,
    max,
    modifiers: modifiers.map(({ ref }) => ref),
  };
  return { group, modifiers };
}
