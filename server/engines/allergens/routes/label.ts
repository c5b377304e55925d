import { z } from "zod";

import { invalidParameter } from "../../../lib/errors.ts";
import { defineRoute, ok, raw } from "../../../core/route.ts";
import { MODES } from "../data/modes.ts";
import { loadState, products } from "../repository.ts";
import { freshnessOf } from "../rules/freshness.ts";
import { LINT_CODES } from "../rules/lint-label.ts";
import { ingredientsHtml, labelHtml, labelText, statementText } from "../rules/render-label.ts";
import { writeLabel } from "../rules/write-label.ts";
import { Locale, ModeId, SaleType, Status } from "../schema.ts";
import { exampleHtml, exampleProduct, exampleSegments } from "./examples.ts";
import { printPage } from "./print-page.ts";
import { ModeQuery, ProductParams } from "./products.ts";
import { missingProduct } from "./refuse.ts";

const Label = z.object({
  product_id: z.string(),
  name: z.string(),
  mode: ModeId,
  sale_type: SaleType,
  locale: Locale,
  status: Status,
  segments: z
    .array(z.object({ text: z.string(), emphasised: z.boolean(), code: z.string().optional() }))
    .meta({ description: "The list of ingredients in pieces; empty where none is printed" }),
  ingredients_html: z
    .string()
    .meta({ description: "The same, escaped, with <strong> where it is emphasised" }),
  contains_statement: z.string().nullable(),
  may_contain_statement: z.string().nullable(),
  lint: z.array(
    z.object({ code: z.enum(LINT_CODES), level: z.enum(["error", "warning"]), detail: z.string() }),
  ),
});

const getLabel = defineRoute({
  id: "allergens.products.label",
  method: "GET",
  path: "/products/:id/label",
  summary: "Write the label of a product",
  description:
    "Ingredients with the names of allergens as the mode wants them, its statements, and what is wrong with it. As " +
    "plain text, what is emphasised is in capitals.",
  params: ProductParams,
  query: z.object({
    ...ModeQuery.shape,
    sale_type: SaleType.optional().meta({ description: "The product's own unless given" }),
    locale: Locale.optional().meta({
      description: "Language; one that the mode has, its first unless given",
    }),
    format: z.enum(["json", "text", "html"]).default("json"),
  }),
  data: Label,
  otherTypes: ["text/plain", "text/html"],
  errors: [missingProduct],
  example: {
    params: { id: exampleProduct.id },
    query: { mode: "uk" },
    data: {
      product_id: exampleProduct.id,
      name: exampleProduct.title,
      mode: "uk",
      sale_type: "ppds",
      locale: "en",
      status: "verified",
      segments: exampleSegments,
      ingredients_html: exampleHtml,
      contains_statement: null,
      may_contain_statement: "May contain hazelnuts.",
      lint: [],
    },
  },
  async handle({ params, query }, { tx, now }) {
    // In this order: a change that is no longer pending has reached the product by the time it is read.
    const state = await loadState(tx);
    const { value } = await tx.require(products, params.id);
    const mode = MODES[query.mode ?? state.settings.default_mode];
    const locale = query.locale ?? mode.languages[0] ?? "en";
    if (!mode.languages.includes(locale))
      throw invalidParameter("locale", `Labels of ${mode.id} are written in ${mode.languages.join(" or ")}.`);
    const saleType = query.sale_type ?? value.sale_type;
    const freshness = freshnessOf(value, now, state);
    const request = { mode: mode.id, locale, sale_type: saleType };
    const label = writeLabel(value, request, { freshness, settings: state.settings });
    if (query.format === "text") return raw("text/plain; charset=utf-8", labelText(label, locale));
    if (query.format === "html")
      return printPage({ title: label.name, lang: locale, body: labelHtml(label, mode, locale) });
    const { contains, own_statement: own, may_contain: warned } = label;
    return ok({
      product_id: value.id,
      name: label.name,
      ...request,
      status: freshness.status,
      segments: label.segments.map((segment) => ({ ...segment })),
      ingredients_html: ingredientsHtml(label.segments),
      contains_statement: own ?? (contains === null ? null : statementText(contains)),
      may_contain_statement: warned === null ? null : statementText(warned),
      lint: label.lint.map((finding) => ({ ...finding })),
    });
  },
});

export const labelRoutes = [getLabel];
