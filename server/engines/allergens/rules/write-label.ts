import type { LabelRequest } from "./names.ts";
import { MODES } from "../data/modes.ts";
import type { Mode } from "../data/modes.ts";
import type { Product } from "../schema.ts";
import type { Settings } from "../schema/settings.ts";
import { declaredIn } from "./declare.ts";
import type { Declared } from "./declare.ts";
import type { Freshness } from "./freshness.ts";
import { lintLabel, statementGaps } from "./lint-label.ts";
import type { Finding } from "./lint-label.ts";
import { statementName, statementTitles } from "./names.ts";
import type { Wording } from "./names.ts";
import { widerOf } from "./taxonomy.ts";
import { translateProduct } from "./translate.ts";
import { writeIngredients } from "./write-ingredients.ts";
import type { Segment } from "./write-ingredients.ts";

/** A statement in its parts: its title, and what it names. */
export interface Statement {
  readonly title: string;
  readonly names: readonly string[];
}

export interface LabelParts {
  readonly name: string;
  readonly segments: readonly Segment[];
  /** Null where the mode requires none, or nothing is declared. */
  readonly contains: Statement | null;
  /** The seller's own statement, in place of `contains`; only one that includes all that has to be declared. */
  readonly own_statement: string | null;
  readonly may_contain: Statement | null;
  readonly lint: readonly Finding[];
}

/**
 * The label of a product. uk and eu: a list that emphasises, and no statement that repeats it; a statement only where
 * there is no list (loose food, or none was given). us and ca: a complete statement next to the list. au_nz: the
 * statement is required and adds gluten.
 */
export function writeLabel(
  own: Product,
  request: LabelRequest,
  state: { readonly freshness: Freshness; readonly settings: Settings },
): LabelParts {
  const mode = MODES[request.mode];
  const { product, missing } = translateProduct(own, state.settings.language ?? "en", request.locale);
  const declared = declaredIn(product, request.mode);
  const segments = hasList(product, request)
    ? writeIngredients(product.ingredients, declared.allergens, request)
    : [];
  const mayStand = segments.length === 0 || mode.contains_statement !== "forbidden";
  const { mayContain } = statementTitles(request);
  const warned = declared.may_contain.map((code) => statementName(code, request));
  return {
    name: product.title,
    segments,
    contains: mayStand ? containsStatement(declared, mode, request) : null,
    // One that leaves out what has to be declared is an error of the label, and is not printed.
    own_statement:
      mayStand &&
      statementGaps(product.contains_statement ?? "", declared.allergens, request.locale).length === 0
        ? product.contains_statement
        : null,
    may_contain: warned.length === 0 ? null : { title: mayContain, names: warned },
    lint: lintLabel(own, request, {
      ...state,
      declared,
      segments,
      // Loose food has no list: its title is all that is printed of the names.
      untranslated: segments.length > 0 ? missing : missing.filter((name) => name === own.title),
    }),
  };
}

/** Loose food has no list of ingredients; what it contains is declared in a statement or in conversation. */
const hasList = ({ ingredients }: Product, { sale_type: saleType }: LabelRequest): boolean =>
  saleType !== "loose" && ingredients.length > 0;

function containsStatement({ allergens }: Declared, mode: Mode, wording: Wording): Statement | null {
  if (allergens.length === 0) return null;
  const codes = mode.summary_names_gluten ? withGluten(allergens) : allergens;
  const names = [...new Set(codes.map((code) => statementName(code, wording)))];
  return { title: statementTitles(wording).contains, names };
}

/**
 * Food Standards Code 1.2.3, Schedule 9 (au_nz): the summary names wheat as wheat and gluten, and barley, oats and rye
 * as gluten alone.
 */
function withGluten(allergens: readonly string[]): string[] {
  const isCereal = (code: string): boolean => widerOf(code).has("gluten");
  const cereals = allergens.filter(isCereal);
  if (cereals.length === 0) return [...allergens];
  const first = allergens.findIndex(isCereal);
  const summary = cereals.some((code) => widerOf(code).has("wheat")) ? ["wheat", "gluten"] : ["gluten"];
  const others = (from: number, to?: number): string[] =>
    allergens.slice(from, to).filter((code) => !isCereal(code));
  return [...others(0, first), ...summary, ...others(first)];
}
