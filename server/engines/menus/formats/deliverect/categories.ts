import { addTo } from "../add-to.ts";
import type { Draft, DraftCategory, DraftChannel, DraftHours, DraftMenu } from "../draft.ts";
import { invalid } from "../invalid.ts";
import type { Losses, Path } from "../losses.ts";
import { createLevelReader } from "../price-lists.ts";
import { readSpans } from "../read-hours.ts";
import { DAYS } from "../week.ts";
import type { PushedMenu } from "./menu-push.ts";
import { describe, imagesOf, texts } from "./reader.ts";
import type { ListedProduct, Reader } from "./reader.ts";
import { MODIFIER, PRODUCT } from "./shape.ts";
import type { Availabilities, DeliverectProducts } from "./shape.ts";

/** Ref of the menu of a product sync, which has no menus of its own. */
const SYNC_MENU = "products";

/** Channels by menuType; 0 is delivery and pickup. */
const CHANNELS: readonly (readonly DraftChannel[])[] = [
  ["delivery", "pickup"],
  ["delivery"],
  ["pickup"],
  ["dine_in"],
  ["pickup"],
];

/** The menu of a push with its name, times and channels; null: a product sync, all of whose categories form one menu. */
export function toMenu(menu: PushedMenu | null, categories: readonly string[], reader: Reader): DraftMenu {
  const { options, losses } = reader;
  const title = menu?.menu?.trim() ?? "";
  const path = menu === null ? ["categories"] : ["menus", 0];
  const here = [...path, "descriptionTranslations"];
  const description = menu?.description?.trim() ?? "";
  return {
    ref: menu?.menuId == null || menu.menuId === "" ? SYNC_MENU : menu.menuId,
    path,
    title:
      title === ""
        ? { [options.locale]: "Deliverect products" }
        : texts(title, menu?.menuTranslations, [...path, "menuTranslations"], reader),
    ...(menu === null
      ? {}
      : {
          description:
            description === "" ? null : texts(description, menu.descriptionTranslations, here, reader),
        }),
    ...(menu?.menuType == null ? {} : { channels: CHANNELS[menu.menuType] ?? [] }),
    ...(menu === null ? {} : hoursOf(menu.availabilities, [...path, "availabilities"], losses)),
    currency: options.currency,
    categories,
    addsCategories: true,
  };
}

/** No times: always. */
function hoursOf(times: Availabilities, path: Path, losses: Losses): { hours: DraftHours | null } {
  if (times == null || times.length === 0) return { hours: null };
  const spans = times.map(({ dayOfWeek, startTime: start, endTime: end }, at) => ({
    path: [...path, at],
    day: DAYS[dayOfWeek - 1] ?? "mon",
    start,
    end,
  }));
  return { hours: { rules: readSpans(spans, losses) } };
}

export function toCategories(
  body: DeliverectProducts,
  items: readonly ListedProduct[],
  reader: Reader,
): DraftCategory[] {
  const members = new Map<string, string[]>();
  const categoryIds = new Set((body.categories ?? []).map(({ posCategoryId: id }) => id));
  for (const { product, path } of items) {
    const ids =
      typeof product.posCategoryIds === "string" ? [product.posCategoryIds] : (product.posCategoryIds ?? []);
    for (const id of ids.filter((each) => each !== "")) {
      if (categoryIds.has(id)) addTo(members, id, product.plu);
      else {
        const reason = "No category with this id in the document.";
        reader.losses.add([...path, "posCategoryIds"], reason, "availability");
      }
    }
  }
  const seen = new Set<string>();
  return (body.categories ?? []).map((category, at) => {
    const path = ["categories", at];
    if (seen.has(category.posCategoryId)) {
      throw invalid([...path, "posCategoryId"], "Duplicate id: another category has it.");
    }
    seen.add(category.posCategoryId);
    return {
      ref: category.posCategoryId,
      path,
      ...describe(category, path, reader),
      items: members.get(category.posCategoryId) ?? [],
      addsItems: true,
      ...(category.availabilities == null
        ? {}
        : hoursOf(category.availabilities, [...path, "availabilities"], reader.losses)),
      ...(category.imageUrl == null ? {} : { image: imagesOf(category.imageUrl)[0] ?? null }),
    };
  });
}

export function readLevels(
  body: DeliverectProducts,
  all: readonly ListedProduct[],
  groups: readonly ListedProduct[],
  losses: Losses,
): Draft["levels"] {
  const reader = createLevelReader();
  const titles = new Map((body.priceLevels ?? []).map(({ posId, name }) => [posId, name]));
  const inGroups = new Set(groups.flatMap(({ product }) => product.subProducts ?? []));
  for (const { product, path } of all) {
    for (const [ref, price] of Object.entries(product.priceLevels ?? {})) {
      const list = { ref, title: titles.get(ref) ?? ref, path: [...path, "priceLevels", ref] };
      if (product.productType === PRODUCT) reader.add(list, { kind: "item", ref: product.plu, price });
      if (inGroups.has(product.plu)) reader.add(list, { kind: "modifier", ref: product.plu, price });
      if (product.productType > MODIFIER)
        losses.add(list.path, "Only products and modifiers can have prices.");
    }
  }
  return reader.levels();
}
