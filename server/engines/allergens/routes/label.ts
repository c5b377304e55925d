import { z } from "zod";

import { conflict, conflictWhen, invalidParameter } from "../../../lib/errors.ts";
import { html } from "../../../lib/html.ts";
import { inSlices, mapInSlices } from "../../../lib/slices.ts";
import type { Ctx } from "../../../core/route.ts";
import { ok, raw } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { LANGUAGES, MODES } from "../data/modes.ts";
import type { Language, Mode } from "../data/modes.ts";
import { assertShown } from "../repository.ts";
import { freshen } from "../rules/freshen.ts";
import { freshnessOf, statusIn } from "../rules/freshness.ts";
import { LINT_CODES } from "../rules/lint-label.ts";
import type { Finding } from "../rules/lint-label.ts";
import { languageOf } from "../rules/names.ts";
import { ingredientsHtml, labelHtml, labelText, statementText } from "../rules/render-label.ts";
import type { PrintedLabel } from "../rules/render-label.ts";
import { withLibraryNames } from "../rules/translate.ts";
import { writeLabel } from "../rules/write-label.ts";
import type { LabelParts } from "../rules/write-label.ts";
import { Locale, ModeId } from "../schema/ingredient.ts";
import { SaleType, Status } from "../schema.ts";
import type { Product } from "../schema.ts";
import { PAPER, renderPage } from "../../../core/page.ts";
import { ModeQuery } from "./products.ts";
import { ListText, readChoices } from "./read-codes.ts";
import { readUsed } from "./resolve-lines.ts";
import { readProduct } from "./read-products.ts";
import type { StoreState } from "./read-products.ts";

/** What a label is asked for. */
export const labelFields = {
  ...ModeQuery.shape,
  sale_type: SaleType.optional().meta({ description: "Default: the sale type of the product" }),
  locale: ListText.meta({
    description:
      "Languages of the mode, separated by commas, as en,fr. Default: the language of the settings where the mode " +
      "has it, else the first of the mode",
  }),
};
export type LabelWish = z.output<z.ZodObject<typeof labelFields>>;

const written = {
  locale: Locale,
  name: z.string(),
  segments: z
    .array(z.object({ text: z.string(), emphasised: z.boolean(), code: z.string().optional() }))
    .meta({ description: "The list of ingredients in pieces; empty where none is printed" }),
  ingredients_html: z
    .string()
    .meta({ description: "The same, escaped, with <strong> where it is emphasised" }),
  contains_statement: z.string().nullable(),
  may_contain_statement: z.string().nullable(),
};
const Label = z.object({
  product_id: z.string(),
  mode: ModeId,
  sale_type: SaleType,
  status: Status,
  ...written,
  translations: z
    .array(z.object(written))
    .meta({ description: "The same label in the second and further languages of locale" }),
  lint: z.array(
    z.object({ code: z.enum(LINT_CODES), level: z.enum(["error", "warning"]), detail: z.string() }),
  ),
});

const getLabel = defineRoute({
  id: "allergens.products.label",
  method: "GET",
  path: "/products/:id/label",
  open: "public",
  summary: "Write the label of a product",
  description:
    "Ingredients with the names of allergens as the mode requires them, its statements, and its errors and warnings. " +
    "As plain text, what is emphasised is in capitals. A label with errors is not printed as text or html; where the " +
    "settings do not require verification, the print of a product that is not verified has a notice and a pattern.",
  query: z.object({
    ...labelFields,
    format: z.enum(["json", "text", "html"]).default("json"),
  }),
  data: Label,
  otherTypes: ["text/plain", "text/html"],
  errors: [conflictWhen("label_errors", "format is text or html, and the label has errors")],
  example: {
    params: { id: "prd_01JD8Z5T9QK3M4N5P6R7S8T9V0" },
    query: { mode: "uk" },
  },
  async handle({ params, query }, { tx, now, isPublic }) {
    const { state, stored } = await readProduct(tx, params.id);
    const { value } = stored;
    assertShown(value, isPublic);
    const { labels, lint, freshness } = await labelsOf({ tx, now }, value, { query, state });
    const mode = MODES[query.mode ?? state.settings.default_mode];
    if (query.format !== "json") {
      refuseErrors(lint);
      return query.format === "text"
        ? raw("text/plain; charset=utf-8", (await mapInSlices(labels, tx.part, labelText)).join("\n"))
        : renderPage({
            title: value.title,
            ...PAPER,
            lang: labels[0]?.locale ?? "en",
            body: html`<main>${await mapInSlices(labels, tx.part, (label) => labelHtml(label, mode))}</main>`,
          });
    }
    const [first, ...rest] = await mapInSlices(labels, tx.part, ({ label, locale }) =>
      toWritten(label, locale),
    );
    if (first === undefined) throw new Error("A label has at least one language.");
    return ok({
      product_id: value.id,
      mode: mode.id,
      sale_type: query.sale_type ?? value.sale_type,
      status: statusIn(freshness, value, mode.id),
      ...first,
      translations: rest,
      // Findings are for the shop, not for its guests.
      lint: isPublic ? [] : lint.map((finding) => ({ ...finding })),
    });
  },
});

/** The label of a product in each language that is asked for, with its errors and warnings. */
export async function labelsOf(
  { tx, now }: Pick<Ctx, "tx" | "now">,
  stored: Product,
  { query, state }: { readonly query: LabelWish; readonly state: StoreState },
) {
  const current = freshen(stored, state.pending, state.settings.default_mode);
  const product = withLibraryNames(current, await readUsed(tx, current.ingredients));
  const mode = MODES[query.mode ?? state.settings.default_mode];
  const locales = readLocales(query.locale, mode, state);
  const freshness = freshnessOf(stored, now, state);
  const request = { mode: mode.id, sale_type: query.sale_type ?? product.sale_type };
  // A large product in all 24 languages takes seconds.
  const labels = await mapInSlices(locales, tx.part, (locale): PrintedLabel => ({
    label: writeLabel(product, { ...request, locale }, { freshness, settings: state.settings }),
    locale,
    unverified: freshness.status !== "verified",
    own: state.settings.language ?? "en",
  }));
  const lint = [...(await distinct(labels, tx.part)), ...lintLanguages(mode, locales)];
  return { product, labels, lint, freshness };
}

function readLocales(text: string | undefined, mode: Mode, { settings }: StoreState): Language[] {
  const wanted = readChoices("locale", text, LANGUAGES);
  const locales = wanted.length === 0 ? [languageOf(mode, settings)] : wanted;
  if (locales.every((locale) => mode.languages.includes(locale))) return locales;
  throw invalidParameter("locale", `Labels of ${mode.id} are written in ${mode.languages.join(" or ")}.`);
}

/** B.01.012 (ca): a label has both languages; exceptions are for the shop to know. */
const lintLanguages = ({ id, required_languages: required }: Mode, locales: readonly Language[]): Finding[] =>
  required.every((each) => locales.includes(each))
    ? []
    : [
        {
          code: "second_language_missing",
          level: "warning",
          detail: `Labels of ${id} need ${required.join(" and ")}. Set locale to ${required.join(",")}.`,
        },
      ];

/** Findings of several languages, each once; the errors first. Most are the same objects in all languages, and need no look at their text. */
async function distinct(labels: readonly PrintedLabel[], key: string): Promise<Finding[]> {
  const seen = new Set<Finding>();
  const byText = new Map<string, Finding>();
  for await (const { label } of inSlices(labels, key)) {
    for (const each of label.lint) {
      if (seen.has(each)) continue;
      seen.add(each);
      byText.set(`${each.code}\0${each.detail}`, each);
    }
  }
  const once = [...byText.values()];
  return [...once.filter(({ level }) => level === "error"), ...once.filter(({ level }) => level !== "error")];
}

/** Throws 409 for a label that must not be printed. */
export function refuseErrors(lint: readonly Finding[]): void {
  const errors = lint.filter(({ level }) => level === "error");
  if (errors.length === 0) return;
  const shown = errors.map(({ detail }) => detail).join(" ");
  throw conflict("label_errors", `The label has errors and is not printed: ${shown}`);
}

function toWritten(label: LabelParts, locale: Language) {
  const { contains, own_statement: own, may_contain: warned } = label;
  return {
    locale,
    name: label.name,
    segments: label.segments.map((segment) => ({ ...segment })),
    ingredients_html: ingredientsHtml(label.segments),
    contains_statement: own ?? (contains === null ? null : statementText(contains)),
    may_contain_statement: warned === null ? null : statementText(warned),
  };
}

export const labelRoutes = [getLabel];
