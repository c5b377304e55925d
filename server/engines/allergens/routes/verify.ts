import { z } from "zod";

import { conflict, conflictWhen } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";
import { item, ok } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { Id } from "../../../core/schema.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { MODES } from "../data/modes.ts";
import type { ModeId as Mode } from "../data/modes.ts";
import { products } from "../repository.ts";
import { findChangedIngredient } from "../rules/freshness.ts";
import { blocksVerification } from "../rules/lint-label.ts";
import { findUnspecific } from "../rules/merge-declarations.ts";
import { languageOf } from "../rules/names.ts";
import { writeLabel } from "../rules/write-label.ts";
import { ALLERGEN_LIMITS } from "../schema/limits.ts";
import { ModeId } from "../schema/ingredient.ts";
import { ProductView } from "../schema.ts";
import type { Product } from "../schema.ts";
import { productErrors, refuse } from "./refuse.ts";
import { readUsed } from "./resolve-lines.ts";
import { saveProduct } from "./save-product.ts";
import { settleRows } from "./settle-rows.ts";
import { viewProduct } from "./view-product.ts";
import { stateOf } from "./read-products.ts";
import type { StoreState } from "./read-products.ts";

const fields = {
  by: z.string().trim().min(1).max(120).meta({ description: "Person who answers for the declarations" }),
  note: z.string().trim().min(1).max(500).nullable().default(null),
  mode: ModeId.optional().meta({
    description: "The mode whose codes were checked. Default: the default mode of the settings",
  }),
};
const Revision = z.int().positive();
interface Verification {
  readonly by: string;
  readonly note: string | null;
  readonly mode?: Mode | undefined;
  readonly revision?: number | undefined;
}

const errors = [
  conflictWhen("lint_errors", "The label in the mode has errors"),
  conflictWhen(
    "ingredients_outdated",
    "An ingredient changed in the library, and the product has not followed yet: derive first",
  ),
  conflictWhen("revision_changed", "The product has another revision than the one that was reviewed"),
] as const;

const verify = defineRoute({
  id: "allergens.products.verify",
  method: "POST",
  path: "/products/:id/verify",
  summary: "Verify the declarations of a product",
  description:
    "From now on the absence of a code that the mode regulates means that it is not in the product. Refused while its " +
    "label has errors. A change of ingredients, supplier or declarations ends it, and so does stale_after_days.",
  body: z.strictObject({
    ...fields,
    revision: Revision.optional().meta({ description: "The revision that was reviewed" }),
  }),
  data: ProductView,
  errors: [...errors, ...productErrors],
  example: {
    params: { id: "prd_01JD8Z5T9QK3M4N5P6R7S8T9V0" },
    body: { by: "Priya, kitchen manager", note: "Checked against the spec sheets of May" },
  },
  async handle({ params, body }, ctx) {
    const { stored, state } = await verifyProduct(ctx, params.id, body);
    return item(viewProduct(stored, ctx.now, { state, mode: undefined }));
  },
});

const Outcome = z.enum(["verified", "refused"]);
const Answer = z.object({
  counts: z.object({ verified: z.int(), refused: z.int() }),
  rows: z.array(
    z.object({
      product_id: Id,
      outcome: Outcome,
      revision: z.int().nullable().meta({ description: "Revision after the verification" }),
      error: z.object({ code: z.string().nullable(), detail: z.string() }).nullable(),
    }),
  ),
});

const verifyMany = defineRoute({
  id: "allergens.products.verify-many",
  cost: 10,
  method: "POST",
  path: "/products/verify",
  summary: "Verify many products",
  description:
    "Each with the revision that was reviewed, as listed by GET /ingredients/{id}/impact or by GET " +
    "/products?status=stale&include=revision,changed_allergens. Every product is verified or refused by itself.",
  body: z.strictObject({
    ...fields,
    products: z
      .array(z.strictObject({ id: Id, revision: Revision }))
      .min(1)
      .max(ALLERGEN_LIMITS.importRows),
  }),
  data: Answer,
  errors: [],
  example: {
    body: { by: "Priya, kitchen manager", products: [{ id: "prd_01JD8Z5T9QK3M4N5P6R7S8T9V0", revision: 1 }] },
  },
  async handle({ body: { products: rows, ...body } }, ctx) {
    const settled = await settleRows(ctx, rows, async (row, work) => {
      const { stored } = await verifyProduct(work, row.id, { ...body, revision: row.revision });
      return stored.value.revision;
    });
    const results = settled.map(({ row, value, error }) => ({
      product_id: row.id,
      outcome: error === null ? ("verified" as const) : ("refused" as const),
      revision: value,
      error,
    }));
    const verified = results.filter(({ outcome }) => outcome === "verified").length;
    return ok({ counts: { verified, refused: results.length - verified }, rows: results });
  },
});

async function verifyProduct(
  ctx: Pick<Ctx, "tx" | "now" | "nowAt" | "newId">,
  id: string,
  { by, note, revision, mode: wanted }: Verification,
): Promise<{ stored: Stored<Product>; state: StoreState }> {
  const before = await ctx.tx.require(products, id);
  const state = await stateOf(ctx.tx, before.value);
  refuseUnreviewed(before.value, revision);
  const mode = wanted ?? state.settings.default_mode;
  refuse(findUnspecific(before.value.declarations, mode));
  await refuseOutdated(ctx.tx, before.value);
  refuseFaulty(before.value, mode, state);
  const draft = {
    ...before.value,
    status: "verified" as const,
    stale_reasons: [],
    verified_at: ctx.nowAt,
    verified_by: by,
    verified_note: note,
    verified_mode: mode,
  };
  const change = { kind: "verified" as const, mode: state.settings.default_mode, by, note };
  return { stored: await saveProduct(ctx, before, draft, change), state };
}

function refuseUnreviewed({ revision }: Product, reviewed: number | undefined): void {
  if (reviewed === undefined || reviewed === revision) return;
  const detail = `The product has revision ${revision}, and revision ${reviewed} was reviewed. Review it again.`;
  throw conflict("revision_changed", detail);
}

/** A recipe whose ingredients are no longer what it says cannot be verified. */
async function refuseOutdated(tx: Tx, product: Product): Promise<void> {
  const name = findChangedIngredient(product, await readUsed(tx, product.ingredients));
  if (name === null) return;
  const detail = `${name} changed in the ingredient library. Derive the declarations with apply=true first.`;
  throw conflict("ingredients_outdated", detail);
}

function refuseFaulty(product: Product, mode: Mode, { settings }: StoreState): void {
  const request = { mode, locale: languageOf(MODES[mode], settings), sale_type: product.sale_type };
  const next = { ...product, verified_mode: mode };
  const found = writeLabel(next, request, { freshness: product, settings }).lint.filter(blocksVerification);
  if (found.length === 0) return;
  const shown = found.map(({ detail }) => detail).join(" ");
  throw conflict("lint_errors", `The label has errors: ${shown}`);
}

export const verifyRoutes = [verify, verifyMany];
