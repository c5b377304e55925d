import type { ModeId } from "../data/modes.ts";
import type { Product } from "../schema.ts";
import type { Settings } from "../schema/settings.ts";
import type { DietaryClaim, Metafield } from "../schema/declaration.ts";
import { findClaimConflict } from "./check-claims.ts";
import { declaredIn } from "./declare.ts";
import { statusIn } from "./freshness.ts";
import type { Freshness } from "./freshness.ts";
import { isInForce } from "./know-product.ts";

/** Keys that are worked out from the product and cannot be set. */
export const DERIVED_KEYS: ReadonlySet<string> = new Set([
  "allergens.contains",
  "allergens.may_contain",
  "allergens.mode",
  "allergens.status",
  "allergens.verified_at",
  "dietary.claims",
  "dietary.details",
  "nutrition.facts",
]);

/**
 * What a storefront needs of a product, as metafields. A product that is not verified gives out its status and nothing
 * else where the settings say so: an empty list of allergens must not look like an answer. Nor does one that was verified in a mode
 * that regulates less.
 */
export function writeMetafields(
  product: Product,
  freshness: Freshness,
  about: { readonly mode: ModeId; readonly today: string; readonly settings: Settings },
): Metafield[] {
  const { mode, settings } = about;
  const status = statusIn(freshness, product, mode);
  const state: Metafield[] = [
    text("allergens", "status", status),
    text("allergens", "mode", mode),
    ...(product.verified_at === null
      ? []
      : [field("allergens", "verified_at", "date_time", product.verified_at)]),
  ];
  if (status !== "verified" && settings.require_verified) return state;
  const declared = declaredIn(product, mode);
  const claims = claimsInForce(product, about);
  return [
    ...state,
    list("allergens", "contains", declared.allergens),
    list("allergens", "may_contain", declared.may_contain),
    list(
      "dietary",
      "claims",
      claims.map(({ claim }) => claim),
    ),
    field("dietary", "details", "json", JSON.stringify(claims)),
    ...(product.nutrition === null
      ? []
      : [field("nutrition", "facts", "json", JSON.stringify(product.nutrition))]),
  ];
}

const field = (
  namespace: Metafield["namespace"],
  key: string,
  type: Metafield["type"],
  value: string,
): Metafield => ({ namespace, key, type, value });
const text = (namespace: Metafield["namespace"], key: string, value: string): Metafield =>
  field(namespace, key, "single_line_text_field", value);
const list = (namespace: Metafield["namespace"], key: string, values: readonly string[]): Metafield =>
  field(namespace, key, "list.single_line_text_field", JSON.stringify(values));

/** Claims that hold where and when they are shown: neither withdrawn nor expired, and nothing in the product speaks against them. */
export const claimsInForce = (
  product: Product,
  { mode, today }: { readonly mode: ModeId; readonly today: string },
): DietaryClaim[] =>
  product.dietary.filter(
    (claim) => isInForce(claim, today) && findClaimConflict({ ...product, dietary: [claim] }, mode) === null,
  );

/** Why a value is none of its type; null when it is. Types and forms are those of Shopify's metafields. */
export function metafieldFault({ type, value }: Metafield): string | null {
  return IS_VALUE[type](value) ? null : `Not a value of ${type}.`;
}

const IS_VALUE: Readonly<Record<Metafield["type"], (value: string) => boolean>> = {
  single_line_text_field: (value) => !/[\r\n]/.test(value),
  multi_line_text_field: () => true,
  "list.single_line_text_field": (value) => {
    const parsed = parse(value);
    return (
      Array.isArray(parsed) && parsed.every((entry) => typeof entry === "string" && !/[\r\n]/.test(entry))
    );
  },
  boolean: (value) => value === "true" || value === "false",
  number_integer: (value) => /^-?\d{1,16}$/.test(value),
  number_decimal: (value) => /^-?\d{1,13}(?:\.\d{1,9})?$/.test(value),
  date: (value) => /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/.test(value),
  date_time: (value) =>
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})?$/.test(value),
  json: (value) => parse(value) !== undefined,
};

function parse(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
