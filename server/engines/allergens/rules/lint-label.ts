import { CODES } from "../data/codes.ts";
import { labelWords } from "../data/label-words.ts";
import { MODES } from "../data/modes.ts";
import type { Language } from "../data/modes.ts";
import type { Declaration } from "../schema/declaration.ts";
import type { Product } from "../schema.ts";
import type { Settings } from "../schema/settings.ts";
import type { Declared } from "./declare.ts";
import type { Freshness } from "./freshness.ts";
import { findNames } from "./names.ts";
import { containedPart, namesIt } from "./read-names.ts";
import { rollUp } from "./roll-up.ts";
import type { LabelRequest } from "./names.ts";
import { candidatesFor, coversMode, isUnspecific, warningGroup } from "./taxonomy.ts";
import { describeName, describeUnread, unreadNames, unresolvedNames } from "./unresolved-names.ts";
import type { Segment } from "./write-ingredients.ts";

/** Something about a label that the law or good practice forbids (`error`) or advises against (`warning`). */
export interface Finding {
  readonly code: LintCode;
  readonly level: "error" | "warning";
  readonly detail: string;
}

export const LINT_CODES = [
  "not_verified",
  "stale",
  "no_ingredients",
  "allergen_not_specific",
  "declaration_missing",
  "declared_not_in_list",
  "contains_statement_forbidden",
  "contains_statement_incomplete",
  "contains_statement_unregulated",
  "sulphites_not_measured",
  "allergen_word_undeclared",
  "name_not_read",
  "no_gluten_wording",
  "ingredient_order",
  "percent_over_100",
  "name_not_translated",
  "second_language_missing",
  "words_not_reviewed",
] as const;
export type LintCode = (typeof LINT_CODES)[number];

interface State {
  readonly freshness: Freshness;
  readonly settings: Settings;
  readonly declared: Declared;
  /** The list as it is printed; empty where none is. */
  readonly segments: readonly Segment[];
  /** Names that the label has in another language than its own. */
  readonly untranslated?: readonly string[];
}

/** Everything that is wrong with the label of a product in a mode, the errors first. */
export function lintLabel(product: Product, request: LabelRequest, state: State): Finding[] {
  const found = [
    ...lintStatus(product, request, state),
    ...lintContent(product, request, state),
    ...lintNames(product),
    ...lintList(product, request, state),
    ...lintStatement(product, request, state),
    ...lintWording(product, state),
    ...lintLanguage(request, state),
  ];
  const errors = found.filter(({ level }) => level === "error");
  return [...errors, ...found.filter(({ level }) => level === "warning")];
}

/** Errors that bar a verification: not those that it resolves, nor those of one language of the label. */
export const blocksVerification = ({ level, code }: Finding): boolean =>
  level === "error" && code !== "not_verified" && code !== "stale" && code !== "name_not_translated";

const error = (code: LintCode, detail: string): Finding => ({ code, level: "error", detail });
const warning = (code: LintCode, detail: string): Finding => ({ code, level: "warning", detail });

function lintStatus(
  { verified_mode: verified }: Product,
  { mode }: LabelRequest,
  { freshness, settings }: State,
): Finding[] {
  const level = settings.require_verified ? "error" : "warning";
  if (freshness.status === "verified" && !coversMode(verified, mode))
    return [
      warning(
        "not_verified",
        `It was verified in ${verified ?? "no mode"}, which regulates less than ${mode}. Verify it in ${mode}.`,
      ),
    ];
  if (freshness.status === "unverified")
    return [{ code: "not_verified", level, detail: "This product is not verified." }];
  return freshness.stale_reasons.map(({ detail }) => ({ code: "stale", level, detail }));
}

/** Regulation (EU) No 1169/2011 Art. 15(1), B.01.012 (ca): the whole label in a language of the place of sale. */
const lintLanguage = ({ locale }: LabelRequest, { untranslated = [] }: State): Finding[] => [
  ...untranslated.map((name) =>
    error(
      "name_not_translated",
      `"${name}" has no name in ${locale}. Add it to names (an ingredient) or titles.`,
    ),
  ),
  ...(labelWords(locale).source === "unreviewed"
    ? [
        warning(
          "words_not_reviewed",
          `The names of allergens in ${locale} were not compared with Annex II in that language. Have them checked before you print.`,
        ),
      ]
    : []),
];

function lintContent(product: Product, { mode }: LabelRequest, { declared }: State): Finding[] {
  const unspecific = product.declarations
    .filter((each) => each.presence !== "free_from" && isUnspecific(each.code, mode))
    .filter((each) => warningGroup(each, mode)?.advised !== true)
    .map((each) => {
      const wanted = `Specify one of ${candidatesFor(each.code, mode).join(", ")}.`;
      return warningGroup(each, mode) === undefined
        ? error("allergen_not_specific", `${each.code} is not the name of an allergen in ${mode}. ${wanted}`)
        : warning("allergen_not_specific", `Guidance advises against "may contain ${each.code}". ${wanted}`);
    });
  const undeclared = rollUp(product.ingredients)
    .filter(({ presence }) => presence === "contains")
    .filter((derived) => isMissing(derived, product.declarations))
    .map(({ code, derived_from: from }) =>
      error(
        "declaration_missing",
        `${from[0]?.name ?? "An ingredient"} contains ${code}, which is not declared. Derive the declarations.`,
      ),
    );
  const sulphites = product.declarations.find(
    ({ code, presence }) => code === "sulphites" && presence === "contains",
  );
  const isGuess = sulphites?.concentration_mg_per_kg === null && declared.allergens.includes("sulphites");
  return [
    ...unspecific,
    ...undeclared,
    ...(isGuess
      ? [warning("sulphites_not_measured", "Sulphites are declared because their amount was not measured.")]
      : []),
  ];
}

const isMissing = ({ code }: Declaration, declarations: readonly Declaration[]): boolean =>
  !declarations.some((declared) => declared.code === code && declared.presence === "contains");

function lintList(product: Product, request: LabelRequest, { declared, segments }: State): Finding[] {
  const { mode, sale_type: saleType } = request;
  if (saleType === "loose") return [];
  if (segments.length === 0)
    return [error("no_ingredients", "Food in a pack needs its list of ingredients.")];
  const inList = new Set(segments.map(({ code }) => code));
  const absent = declared.allergens
    .filter((code) => !inList.has(code))
    .map((code) => {
      const detail = `${code} is declared, but no ingredient in the list brings it.`;
      // Where a statement is next to the list, it is reported there all the same.
      return MODES[mode].contains_statement === "forbidden"
        ? error("declared_not_in_list", detail)
        : warning("declared_not_in_list", detail);
    });
  return [...absent, ...lintAmounts(product)];
}

/** A product can have thousands of them: the labels in all languages share them. */
const nameFindings = new WeakMap<Product, readonly Finding[]>();

/**
 * What a name says and the codes deny; only a warning where the product declares it for another reason. Names that were not read bar
 * a product that declares nothing from being verified: it would be free from everything because of them.
 */
function lintNames(product: Product): readonly Finding[] {
  const known = nameFindings.get(product);
  if (known !== undefined) return known;
  const findings = unresolvedNames(product).map((found) =>
    found.declared
      ? warning(
          "allergen_word_undeclared",
          `"${found.name}" says ${found.code}, but the ingredient has no such code.`,
        )
      : error(
          "allergen_word_undeclared",
          `${describeName(found)} Add the code, or acknowledge the name with a reason.`,
        ),
  );
  const unread = unreadNames(product);
  if (unread.length > 0) {
    const isOpen = product.declarations.length === 0 && product.status !== "verified";
    findings.push((isOpen ? error : warning)("name_not_read", describeUnread(unread)));
  }
  nameFindings.set(product, findings);
  return findings;
}

/** Regulation (EU) 1169/2011 Art. 18(1): in descending order of weight. */
function lintAmounts({ ingredients }: Product): Finding[] {
  const percents = ingredients.map(({ percent }) => percent).filter((percent) => percent !== null);
  const grams = ingredients
    .map(({ quantity_g: quantity }) => quantity)
    .filter((quantity) => quantity !== null);
  const isFalling = (amounts: readonly number[]): boolean =>
    amounts.every((amount, index) => index === 0 || amount <= (amounts[index - 1] ?? 0));
  const total = percents.reduce((sum, percent) => sum + percent, 0);
  return [
    ...(isFalling(percents) && isFalling(grams)
      ? []
      : [warning("ingredient_order", "Ingredients must be in descending order of weight.")]),
    // A sum of decimals may miss 100 by a rounding error of the machine.
    ...(total > 100.001
      ? [warning("percent_over_100", `The percentages add up to ${total.toFixed(1)}.`)]
      : []),
  ];
}

function lintStatement(
  { contains_statement: statement }: Product,
  { mode, locale }: LabelRequest,
  { declared, segments, settings }: State,
): Finding[] {
  // A statement in another language is not printed.
  if (statement === null || locale !== (settings.language ?? "en")) return [];
  const rule = MODES[mode].contains_statement;
  if (rule === "forbidden" && segments.length > 0) {
    return [
      error(
        "contains_statement_forbidden",
        "A label with a list of ingredients names allergens in the list only. Remove contains_statement.",
      ),
    ];
  }
  const missing = statementGaps(statement, declared.allergens, locale);
  const stray = mode === "us" ? findNames(statement, UNREGULATED).map(({ code }) => code) : [];
  return [
    ...(missing.length === 0
      ? []
      : [error("contains_statement_incomplete", `The statement does not name ${missing.join(", ")}.`)]),
    ...(stray.length === 0
      ? []
      : [
          error(
            "contains_statement_unregulated",
            `The statement names ${stray.join(", ")}, no major allergen.`,
          ),
        ]),
  ];
}

/** Codes that a statement does not name as contained: "free from milk and egg" and "may contain milk" name neither. */
export function statementGaps(statement: string, codes: readonly string[], locale: Language): string[] {
  const contained = containedPart(statement);
  return codes.filter(
    (code) => !findNames(contained, [code], locale).some((place) => namesIt(contained, place)),
  );
}

/** Called nuts and regulated nowhere: FDA's Q&A, Edition 5, keeps them out of the statement. */
const UNREGULATED = CODES.filter(({ declared_as: as }) =>
  Object.values(as).every((name) => name === null),
).map(({ code }) => code);

function lintWording({ title, contains_statement: statement }: Product, { segments }: State): Finding[] {
  const texts = [title, statement ?? "", ...segments.map(({ text }) => text)];
  if (!texts.some((text) => NO_GLUTEN.test(text))) return [];
  return [
    warning(
      "no_gluten_wording",
      'The FSA advises against "no gluten-containing ingredients": claim gluten_free, or nothing.',
    ),
  ];
}

const NO_GLUTEN = /\b(?:no|non)[ -]gluten[ -](?:containing[ -])?ingredients?\b|\bNGCI\b/iu;
