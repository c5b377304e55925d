import { toMinor } from "../decimal.ts";
import type { DraftFood, DraftOptions, DraftStock } from "../draft.ts";
import { OTTER_TAGS, allergenOf, dietOf } from "../food-tags.ts";
import { invalid } from "../invalid.ts";
import type { Found, Losses, Path } from "../losses.ts";
import type { LevelReader } from "../price-lists.ts";
import type { OtterItem } from "./shape.ts";

export interface Reader {
  readonly options: DraftOptions;
  readonly losses: Losses;
  readonly items: ReadonlyMap<string, Found<OtterItem>>;
  readonly levels: LevelReader;
  readonly inGroups: ReadonlySet<string>;
  readonly inCategories: ReadonlySet<string>;
}

export function unique(refs: readonly string[], path: Path): string[] {
  const seen = new Set<string>();
  for (const [at, ref] of refs.entries()) {
    if (seen.has(ref)) throw invalid([...path, at], "Listed twice.");
    seen.add(ref);
  }
  return [...refs];
}

export const described = (text: string | null | undefined, { locale }: DraftOptions) =>
  text == null || text.trim() === "" ? null : { [locale]: text.trim() };

export function minor(amount: number, currency: string, path: Path, losses: Losses): number {
  const { minor: units, exact } = toMinor(amount, currency);
  if (!exact) losses.add(path, `Rounded, because it has more decimals than ${currency}.`);
  return units;
}

/** Whether the price includes tax. Rates are not imported. */
export function taxOf({ tax }: OtterItem, path: Path, losses: Losses): { taxIncluded?: boolean } {
  if (tax?.isValueAddedTax == null) return {};
  losses.add([...path, "tax"], "Rates of tax are not imported, only whether prices include tax.");
  return { taxIncluded: tax.isValueAddedTax };
}

type Details = OtterItem["skuDetails"];

export function kcalOf(details: Details, at: Path, losses: Losses) {
  const { low, high } = details?.nutritionalInfo?.energyKcal ?? {};
  const min = low ?? high;
  if (min == null) return {};
  if (!Number.isInteger(min) || (high != null && !Number.isInteger(high))) {
    losses.add([...at, "nutritionalInfo", "energyKcal"], "Energy is rounded to whole kcal.");
  }
  const most = high == null || Math.round(high) === Math.round(min) ? {} : { max: Math.round(high) };
  return { kcal: { min: Math.round(min), ...most } };
}

export function stockOf({ status }: OtterItem): { stock?: DraftStock } {
  if (status == null) return {};
  if (status.saleStatus === "FOR_SALE") return { stock: { available: true } };
  const until = status.saleStatus === "TEMPORARILY_NOT_FOR_SALE" ? status.suspendedUntil : null;
  return { stock: { available: false, until: until ?? null } };
}

export function foodOf(details: Details, at: Path, losses: Losses): { food?: DraftFood } {
  if (details?.allergenClassifications == null && details?.dietaryClassifications == null) return {};
  const contains: string[] = [];
  const freeFrom: string[] = [];
  for (const [index, { tag, containsAllergen }] of (details.allergenClassifications ?? []).entries()) {
    const code = allergenOf(OTTER_TAGS, tag);
    if (code === null)
      losses.add([...at, "allergenClassifications", index], `${tag} is not a supported allergen.`);
    else (containsAllergen ? contains : freeFrom).push(code);
  }
  const diets = (details.dietaryClassifications ?? []).flatMap(({ tag }, index) => {
    const claim = dietOf(OTTER_TAGS, tag);
    if (claim === null)
      losses.add([...at, "dietaryClassifications", index], `${tag} is not a supported claim.`);
    return claim ?? [];
  });
  return { food: { contains, freeFrom, diets } };
}

export function readOverrides(
  { value: item, path }: Found<OtterItem>,
  kind: "item" | "modifier",
  currency: string,
  { levels, losses }: Reader,
): void {
  for (const [at, override] of (item.priceOverrides ?? []).entries()) {
    const here = [...path, "priceOverrides", at];
    if (override.amount == null) continue;
    if (override.currencyCode != null && override.currencyCode !== currency) {
      throw invalid([...here, "currencyCode"], `A menu has one currency, which is ${currency} here.`);
    }
    const price = minor(override.amount, currency, [...here, "amount"], losses);
    for (const [index, { externalServiceSlug: slug }] of override.rules.entries()) {
      if (slug == null) losses.add([...here, "rules", index], "Only rules by service are supported.");
      else levels.add({ ref: slug, title: slug, path: here }, { kind, ref: item.id, price });
    }
  }
}
