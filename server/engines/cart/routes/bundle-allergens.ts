import { z } from "zod";

import { defineRoute, ok } from "../../../core/route.ts";
import { bundles, refsOf } from "../repository.ts";
import { Ref } from "../schema/parts.ts";

const params = { id: "bdl_01JD8Z5T9QK3M4N5P6R7S8T9V0" };

export const bundleAllergens = defineRoute({
  id: "cart.bundles.allergens",
  method: "GET",
  path: "/bundles/:id/allergens",
  summary: "Allergens of all that a bundle may hold",
  description:
    "From the allergens engine. Components without verified allergens are listed in `unknown`: treat them as unsafe.",
  data: z.object({ allergens: z.array(z.string()), may_contain: z.array(z.string()), unknown: z.array(Ref) }),
  example: { params },
  async handle({ params: { id } }, ctx) {
    const refs = refsOf((await ctx.tx.require(bundles, id)).value);
    const known = await ctx.ports.engines.allergensOf(ctx.tx, refs, { mode: null, now: ctx.now });
    const found = [...known.values()];
    const union = (lists: readonly (readonly string[])[]): string[] => [...new Set(lists.flat())].sort();
    return ok({
      allergens: union(found.map((one) => one.allergens)),
      may_contain: union(found.map((one) => one.may_contain)),
      unknown: refs.filter((ref) => known.get(ref)?.verified !== true),
    });
  },
});
