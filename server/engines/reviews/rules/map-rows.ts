import { LanguageTag } from "../../../core/schema.ts";
import { toUtcInstant } from "../../../lib/instant.ts";
import { Rating } from "../schema.ts";
import { Country, Email, INCENTIVE_TYPES, RELATIONSHIPS, TARGET_TYPES, WebUrl } from "../schema/parts.ts";
import type { ImportField, RowProblem } from "../schema/records.ts";
import { IMPORT_FIELDS } from "../schema/records.ts";

/** A parsed row of another system: column names and strings. */
export type Row = Readonly<Record<string, string>>;

/** Result of a row after mapping its columns. */
export interface MappedRow {
  readonly target: { readonly type: (typeof TARGET_TYPES)[number]; readonly id: string };
  readonly product_name: string | null;
  readonly product_url: string | null;
  readonly sku: string | null;
  readonly gtin: string | null;
  readonly mpn: string | null;
  readonly brand: string | null;
  readonly rating: number;
  readonly title: string;
  readonly body: string;
  readonly author_name: string;
  readonly author_location: string | null;
  readonly email: string | null;
  readonly locale: string;
  readonly country: string | null;
  readonly status: "pending" | "published";
  readonly incentive: (typeof INCENTIVE_TYPES)[number];
  readonly relationship: (typeof RELATIONSHIPS)[number];
  readonly recommends: boolean | null;
  readonly submitted_at: string | null;
  readonly external_id: string | null;
  readonly reply: string | null;
}

export interface Naming {
  readonly mapping: Readonly<Partial<Record<ImportField, string | undefined>>>;
  readonly defaults: Readonly<Partial<Record<ImportField, string | undefined>>>;
}

/**
 * Converts a row to a review. Every field is read from its mapped column, otherwise from the column with its name,
 * otherwise
 * from `defaults`. Errors are reported with row and field; a row with errors creates no review.
 */
export function mapRow(
  row: Row,
  { mapping, defaults }: Naming,
  number: number,
): { readonly mapped: MappedRow } | { readonly problems: readonly RowProblem[] } {
  const problems: RowProblem[] = [];
  const report = (field: ImportField, detail: string): null => {
    problems.push({ row: number, field, detail });
    return null;
  };
  const text = (field: ImportField): string => {
    const text = row[mapping[field] ?? field]?.trim() ?? "";
    return text === "" ? (defaults[field]?.trim() ?? "") : text;
  };
  const cut = (field: ImportField, max: number): string => {
    const value = text(field);
    if (value.length > max) report(field, `Must be at most ${max} characters; it has ${value.length}.`);
    return value;
  };
  const maybe = (field: ImportField, max: number): string | null => cut(field, max) || null;
  const oneOf = <T extends string>(field: ImportField, values: readonly T[], fallback: T): T => {
    const value = text(field).toLowerCase();
    if (value === "") return fallback;
    const match = values.find((name) => name === value);
    if (match === undefined) report(field, `Expected one of ${values.join(", ")}.`);
    return match ?? fallback;
  };
  const id = cut("target_id", 128);
  if (id === "") report("target_id", "Required.");
  const rating = Rating.safeParse(readRating(text("rating")));
  if (!rating.success) report("rating", "Expected a whole number from 1 to 5.");
  const email = text("email") === "" ? null : Email.safeParse(text("email"));
  if (email?.success === false) report("email", "Not a valid e-mail address.");
  const url = text("product_url") === "" ? null : WebUrl.safeParse(text("product_url"));
  if (url?.success === false) report("product_url", "Not a valid http or https URL.");
  const locale = LanguageTag.safeParse(text("locale") || "en");
  if (!locale.success) report("locale", "Not a valid language tag such as en-GB.");
  const country = text("country") === "" ? null : Country.safeParse(text("country").toUpperCase());
  if (country?.success === false) report("country", "Not a valid ISO 3166-1 code such as GB.");
  const mapped: MappedRow = {
    target: { type: oneOf("target_type", TARGET_TYPES, "product"), id },
    product_name: maybe("product_name", 300),
    product_url: url?.data ?? null,
    sku: maybe("sku", 100),
    gtin: maybe("gtin", 14),
    mpn: maybe("mpn", 70),
    brand: maybe("brand", 100),
    rating: rating.data ?? 1,
    title: cut("title", 150),
    body: cut("body", 5000),
    author_name: cut("author_name", 100),
    author_location: maybe("author_location", 100),
    email: email?.data ?? null,
    locale: locale.data ?? "en",
    country: country?.data ?? null,
    status: oneOf("status", ["pending", "published"], "pending"),
    incentive: oneOf("incentive", INCENTIVE_TYPES, "none"),
    relationship: oneOf("relationship", RELATIONSHIPS, "none"),
    recommends: readBoolean(text("recommends")),
    submitted_at: readInstant(text("submitted_at"), (detail) => report("submitted_at", detail)),
    external_id: maybe("external_id", 128),
    reply: maybe("reply", 2000),
  };
  return problems.length === 0 ? { mapped } : { problems };
}

/** "4", "4.0" and "4/5" are four. */
const readRating = (text: string): number =>
  Number(/^([1-5])(?:\.0+)?(?:\s*\/\s*5)?$/.exec(text)?.[1] ?? "0");

function readBoolean(text: string): boolean | null {
  if (/^(true|yes|1|y)$/i.test(text)) return true;
  return /^(false|no|0|n)$/i.test(text) ? false : null;
}

/** A date, or a date and a time; without a zone it is UTC. */
function readInstant(text: string, report: (detail: string) => null): string | null {
  if (text === "") return null;
  const plain =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?))?\s*(Z|UTC|[+-]\d{2}:?\d{2})?$/.exec(text);
  const [, date = "", time = "00:00", zone = "Z"] = plain ?? [];
  const seconds = time.length === "00:00".length ? ":00" : "";
  const offset = zone === "UTC" ? "Z" : zone.replace(/(?<=\d\d)(?=\d\d$)/, ":");
  return (
    toUtcInstant(`${date}T${time}${seconds}${offset}`) ??
    report("Expected a date such as 2026-05-01 or 2026-05-01T09:00:00Z.")
  );
}

/** Mapped columns that no row has. */
export const missingColumns = (
  columns: readonly string[],
  { mapping }: Pick<Naming, "mapping">,
): ImportField[] =>
  IMPORT_FIELDS.filter((field) => mapping[field] !== undefined && !columns.includes(mapping[field]));
