import { z } from "zod";

import { mapInSlices } from "../../../lib/slices.ts";
import type { KnownAllergens } from "../../../core/known-allergens.ts";
import type { Ctx } from "../../../core/route.ts";
import { ok } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { Id } from "../../../core/schema.ts";
import { BECAUSE_CODES, judge } from "../rules/judge.ts";
import { isPublished, products } from "../repository.ts";
import { ALLERGEN_LIMITS } from "../schema/limits.ts";
import { Claim } from "../schema/declaration.ts";
import { Code, ModeId } from "../schema/ingredient.ts";
import { allergensOf } from "./allergens-of.ts";

const Verdict = z.enum(["safe", "unsafe", "unknown"]);
const Request = z
  .strictObject({
    product_ids: z.array(Id).max(ALLERGEN_LIMITS.checkTargets).default([]),
    items: z
      .array(
        z.strictObject({
          menu_item_id: Id,
          selections: z
            .array(z.record(z.string(), z.unknown()))
            .max(ALLERGEN_LIMITS.selections)
            .default([])
            .meta({ description: "What was chosen, as POST /v1/menus/price takes it" }),
        }),
      )
      .max(ALLERGEN_LIMITS.checkTargets)
      .default([]),
    avoid: z
      .array(Code)
      .max(40)
      .default([])
      .meta({ description: "Codes, wider words such as nuts among them" }),
    diets: z.array(Claim).max(10).default([]),
    tolerate: z.enum(["may_contain", "none"]).default("none"),
    mode: ModeId.optional(),
  })
  .refine(({ product_ids: ids, items }) => ids.length + items.length > 0, {
    path: ["product_ids"],
    message: "Specify products or items to check.",
  })
  .refine(({ avoid, diets }) => avoid.length + diets.length > 0, {
    path: ["avoid"],
    message: "Specify what to avoid, or which diets to follow.",
  });

const Answer = z.object({
  verdict: Verdict.meta({ description: "The worst of all" }),
  results: z.array(
    z.object({
      product_id: z.string().nullable(),
      menu_item_id: z.string().nullable(),
      title: z.string().nullable(),
      verdict: Verdict,
      because: z.array(
        z.object({
          code: z.enum(BECAUSE_CODES),
          verdict: Verdict,
          detail: z.string(),
          about: z.string().optional(),
        }),
      ),
    }),
  ),
});

const check = defineRoute({
  id: "allergens.check.run",
  method: "POST",
  path: "/check",
  scope: "read",
  open: "public",
  summary: "Check whether products suit a guest",
  description:
    "safe only if the product is verified and its mode requires a declaration of what is avoided; unsafe if anything " +
    "recorded is against it, verified or not; unknown otherwise.",
  body: Request,
  data: Answer,
  example: {
    body: {
      product_ids: ["prd_01JD8Z5T9QK3M4N5P6R7S8T9V0"],
      avoid: ["milk"],
      diets: ["vegetarian"],
      tolerate: "none",
    },
  },
  async handle({ body }, ctx) {
    const mode = body.mode ?? null;
    const known = await allergensOf(ctx.tx, await shownOf(ctx, body.product_ids), { mode, now: ctx.now });
    const products = body.product_ids.map((id) => ({
      product_id: id,
      menu_item_id: null,
      known: known.get(id) ?? null,
    }));
    const items = await askMenus(ctx, body.items, mode);
    const subjects = [...products, ...items];
    const results = await mapInSlices(subjects, ctx.tx.part, ({ known: found, ...subject }) => ({
      ...subject,
      title: found?.title ?? null,
      ...judge(found, body),
    }));
    const worst = (["unsafe", "unknown"] as const).find((verdict) =>
      results.some((each) => each.verdict === verdict),
    );
    return ok({
      verdict: worst ?? "safe",
      results: results.map((result) => ({
        ...result,
        because: result.because.map((reason) => ({ ...reason })),
      })),
    });
  },
});

/** Pages learn nothing of a product before it is published. */
async function shownOf({ tx, isPublic }: Ctx, ids: readonly string[]): Promise<readonly string[]> {
  if (!isPublic) return ids;
  const found = await Promise.all(ids.map((id) => tx.get(products, id)));
  return found.flatMap((stored) => (stored !== null && isPublished(stored.value) ? [stored.id] : []));
}

/** Menu items are known to the menus engine only; anything else is unknown. */
function askMenus(
  { tx, now, ports }: Ctx,
  items: readonly { menu_item_id: string; selections: readonly unknown[] }[],
  mode: string | null,
): Promise<{ product_id: null; menu_item_id: string; known: KnownAllergens | null }[]> {
  return Promise.all(
    items.map(async (item) => ({
      product_id: null,
      menu_item_id: item.menu_item_id,
      known: await ports.engines.allergensOfItem(tx, item, { mode, now }),
    })),
  );
}

export const checkRoutes = [check];
