import { codeOf } from "../data/codes.ts";
import type { Language, ModeId } from "../data/modes.ts";
import type { Product } from "../schema.ts";
import { recordedIn } from "./declare.ts";
import type { Freshness } from "./freshness.ts";
import { labelName } from "./names.ts";
import { isFullyRegulated, narrowerOf } from "./taxonomy.ts";

/** A column of the sheet for guests: what a law names as one allergen, with the kinds that belong to it. */
export interface SheetColumn {
  readonly title: string;
  readonly codes: ReadonlySet<string>;
}

/** A cell: what the food contains and may contain of a column; unknown where its absence is not verified. */
export interface SheetCell {
  readonly contains: readonly string[];
  readonly may_contain: readonly string[];
  readonly isKnown: boolean;
}

const GROUPS = [
  "gluten",
  "crustacean",
  "egg",
  "fish",
  "peanut",
  "soy",
  "milk",
  "nuts",
  "celery",
  "mustard",
  "sesame",
  "sulphites",
  "lupin",
  "mollusc",
];

/**
 * The columns of a mode: the fourteen of Annex II, the nine of 21 U.S.C. 321(qq), and so on. A group that the mode does
 * not regulate as a whole has a column for each kind that it does: wheat in the United States, where rye may be in food
 * without a word, so that no column may promise food without gluten.
 */
export const sheetColumns = (mode: ModeId, locale: Language): SheetColumn[] =>
  GROUPS.flatMap((group) => {
    const members = narrowerOf(group);
    const declared = [...members].flatMap((code) =>
      codeOf(code).kind === "specific" ? (codeOf(code).declared_as[mode] ?? []) : [],
    );
    if (declared.length === 0) return [];
    const heads = isFullyRegulated(group, mode) ? [group] : [...new Set(declared)];
    return heads.map((head) => ({
      title: labelName(head, { mode, locale }),
      codes: new Set([...narrowerOf(head), ...(head === group ? declared : [])]),
    }));
  });

/** The cells of a product. What is not verified in the mode is unknown wherever nothing is recorded. */
export function fillSheetRow(
  product: Product,
  { status }: Freshness,
  {
    mode,
    locale,
    columns,
  }: { readonly mode: ModeId; readonly locale: Language; readonly columns: readonly SheetColumn[] },
): SheetCell[] {
  const recorded = recordedIn(product, mode);
  const isAbsenceKnown = status === "verified" && product.verified_mode === mode;
  return columns.map(({ codes }) => {
    const namesOf = (found: readonly string[]): string[] =>
      found.filter((code) => codes.has(code)).map((code) => labelName(code, { mode, locale }));
    return {
      contains: namesOf(recorded.allergens),
      may_contain: namesOf(recorded.may_contain),
      isKnown: isAbsenceKnown,
    };
  });
}
