import { z } from "zod";

import { invalidField, unprocessableWhen } from "../../../lib/errors.ts";
import { ok } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import type { Tx } from "../../../core/tx.ts";
import { metafieldDocs, products } from "../repository.ts";
import { freshen } from "../rules/freshen.ts";
import { freshnessOf } from "../rules/freshness.ts";
import { DERIVED_KEYS, metafieldFault, writeMetafields } from "../rules/write-metafields.ts";
import { ALLERGEN_LIMITS } from "../schema/limits.ts";
import type { Product } from "../schema.ts";
import { Metafield } from "../schema/declaration.ts";
import { ModeQuery } from "./products.ts";
import { readProduct, stateOf } from "./read-products.ts";
import type { StoreState } from "./read-products.ts";
import { shopDateAt } from "./shop-date.ts";

const MetafieldView = Metafield.extend({
  derived: z.boolean().meta({ description: "Derived from the product; the others were set" }),
});
const Answer = z.object({ product_id: z.string(), metafields: z.array(MetafieldView) });

const getMetafields = defineRoute({
  id: "allergens.metafields.get",
  method: "GET",
  path: "/products/:id/metafields",
  summary: "Return a product as metafields for a storefront",
  description:
    "Namespaces allergens, dietary and nutrition. While require_verified holds, a product that is not verified gives " +
    "its status and no allergens: an empty list must not look like an answer.",
  query: ModeQuery,
  data: Answer,
  example: { params: { id: "prd_01JD8Z5T9QK3M4N5P6R7S8T9V0" } },
  async handle({ params, query }, { tx, now }) {
    const [{ state, stored }, today] = await Promise.all([readProduct(tx, params.id), shopDateAt(tx, now)]);
    const { value } = stored;
    const mode = query.mode ?? state.settings.default_mode;
    return ok(await readAll(tx, value, { state, now, mode, today }));
  },
});

const putMetafields = defineRoute({
  id: "allergens.metafields.set",
  method: "PUT",
  path: "/products/:id/metafields",
  summary: "Replace the metafields that a product has in addition to the derived ones",
  body: z.strictObject({ metafields: z.array(Metafield).max(ALLERGEN_LIMITS.metafields) }),
  data: Answer,
  errors: [
    unprocessableWhen("key_derived", "The key is worked out from the product"),
    unprocessableWhen("value_invalid", "A value is none of its type"),
  ],
  example: {
    params: { id: "prd_01JD8Z5T9QK3M4N5P6R7S8T9V0" },
    body: {
      metafields: [
        {
          namespace: "dietary",
          key: "kitchen_note",
          type: "single_line_text_field",
          value: "Baked next to nuts",
        },
      ],
    },
  },
  async handle({ params, body }, ctx) {
    const { tx, now, nowAt } = ctx;
    const { value } = await ctx.current(products, params.id);
    const [state, today] = await Promise.all([stateOf(tx, value), shopDateAt(tx, now)]);
    refuseFaulty(body.metafields);
    const before = await tx.get(metafieldDocs, params.id);
    const next = { id: params.id, metafields: body.metafields, updated_at: nowAt };
    tx.save(metafieldDocs, before, next);
    const about = { state, now, mode: state.settings.default_mode, today };
    return ok(await readAll(tx, value, about));
  },
});

async function readAll(
  tx: Tx,
  product: Product,
  about: { state: StoreState; now: number; mode: StoreState["settings"]["default_mode"]; today: string },
): Promise<z.input<typeof Answer>> {
  const freshness = freshnessOf(product, about.now, about.state);
  const { settings, pending } = about.state;
  const current = freshen(product, pending, settings.default_mode);
  const derived = writeMetafields(current, freshness, { ...about, settings });
  const own = (await tx.get(metafieldDocs, product.id))?.value.metafields ?? [];
  const metafields = [
    ...derived.map((metafield) => ({ ...metafield, derived: true })),
    ...own.map((metafield) => ({ ...metafield, derived: false })),
  ];
  return { product_id: product.id, metafields };
}

function refuseFaulty(metafields: readonly Metafield[]): void {
  const seen = new Set<string>();
  for (const [index, metafield] of metafields.entries()) {
    const path = ["metafields", index] as const;
    const name = `${metafield.namespace}.${metafield.key}`;
    if (DERIVED_KEYS.has(name)) {
      throw invalidField(
        [...path, "key"],
        `${name} is derived from the product and cannot be set.`,
        "key_derived",
      );
    }
    if (seen.has(name)) throw invalidField([...path, "key"], `${name} is set twice.`, "value_invalid");
    seen.add(name);
    const fault = metafieldFault(metafield);
    if (fault !== null) throw invalidField([...path, "value"], fault, "value_invalid");
  }
}

export const metafieldRoutes = [getMetafields, putMetafields];
