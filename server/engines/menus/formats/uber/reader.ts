import { scaleDown } from "../decimal.ts";
import type { DraftFood, DraftOptions, DraftStock, DraftText } from "../draft.ts";
import { UBER_TAGS, allergenOf, dietOf } from "../food-tags.ts";
import { invalid } from "../invalid.ts";
import { toLocale } from "../locale.ts";
import type { Found, Losses, Path } from "../losses.ts";
import type { UberDescription, UberGroup, UberItem } from "./shape.ts";

export interface Reader {
  readonly options: DraftOptions;
  readonly losses: Losses;
  readonly items: ReadonlyMap<string, Found<UberItem>>;
  readonly groups: ReadonlyMap<string, Found<UberGroup>>;
  readonly inGroups: ReadonlySet<string>;
  readonly inCategories: ReadonlySet<string>;
}

type UberText = UberItem["title"];

export function textOf(text: UberText, path: Path, reader: Reader): DraftText {
  const texts = textsOf(text.translations, path, reader);
  if (Object.keys(texts).length === 0)
    throw invalid([...path, "translations"], "Text in at least one language is required.");
  return texts;
}

function textsOf(
  translations: UberText["translations"],
  path: Path,
  { options, losses }: Reader,
): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(translations)) {
    // The examples also use "default", the store's own language.
    const locale = name === "default" ? options.locale : toLocale(name);
    if (locale === null) losses.add([...path, "translations", name], "Not a valid language tag.");
    else if (value.trim() !== "") texts[locale] ??= value.trim();
  }
  return texts;
}

export function optionalText(text: UberDescription, path: Path, reader: Reader): DraftText | null {
  const texts = textsOf(text?.translations ?? {}, path, reader);
  return Object.keys(texts).length === 0 ? null : texts;
}

/** Whether the price includes tax. Rates are not imported. */
export function taxOf({ tax_info: tax }: UberItem, path: Path, losses: Losses): { taxIncluded?: boolean } {
  const { tax_rate: added, vat_rate_percentage: included } = tax ?? {};
  if (added == null && included == null) return {};
  losses.add([...path, "tax_info"], "Rates of tax are not imported, only whether prices include tax.");
  return { taxIncluded: added == null || added === 0 };
}

export function kcalOf(item: UberItem, path: Path, losses: Losses) {
  const calories = item.nutritional_info?.calories;
  const interval = calories?.energy_interval;
  const lower = interval?.lower == null ? calories?.lower_range : Math.round(scaleDown(interval.lower, 5));
  const upper = interval?.upper == null ? calories?.upper_range : Math.round(scaleDown(interval.upper, 5));
  const min = lower ?? upper;
  if (min == null) return {};
  if (calories?.display_type === "double_items") {
    losses.add(
      [...path, "nutritional_info", "calories", "display_type"],
      "Two values are imported as a range.",
    );
  }
  return { kcal: upper == null || upper <= min ? { min } : { min, max: upper } };
}

export function stockOf(item: UberItem): { stock?: DraftStock } {
  const suspension = item.suspension_info?.suspension;
  if (suspension?.suspend_until == null) return {};
  const { suspend_until: seconds, reason } = suspension;
  // Uber marks a permanent suspension with a time far in the future.
  const until = seconds > 253_402_300_799 ? null : new Date(seconds * 1_000).toISOString();
  return { stock: { available: false, until, ...(reason == null || reason === "" ? {} : { reason }) } };
}

export function foodOf(item: UberItem, path: Path, losses: Losses): { food?: DraftFood } {
  const words = item.nutritional_info?.allergens;
  const labels = item.dish_info?.classifications?.dietary_label_info?.labels;
  if (words == null && labels == null) return {};
  const contains = (words ?? []).flatMap((word, at) => {
    const code = allergenOf(UBER_TAGS, word);
    if (code === null)
      losses.add([...path, "nutritional_info", "allergens", at], "Not a supported allergen.");
    return code ?? [];
  });
  const here = [...path, "dish_info", "classifications", "dietary_label_info", "labels"];
  const diets = (labels ?? []).flatMap((label, at) => {
    const claim = dietOf(UBER_TAGS, label);
    if (claim === null) losses.add([...here, at], "Not a supported claim.");
    return claim ?? [];
  });
  return contains.length + diets.length === 0 ? {} : { food: { contains, freeFrom: [], diets } };
}
