import { z } from "zod";
import { bundleResource } from "./bundles.ts";

import { isComplete } from "../../../core/known-allergens.ts";
import { ok } from "../../../core/reply.ts";
import { bundles, refsOf } from "../repository.ts";
import { Ref } from "../schema/parts.ts";

export const bundleAllergens = bundleResource.read("allergens", {
  summary: "Allergens of all that a bundle may hold",
  description:
    "From the allergens engine. Components without allergens that were verified in the mode of the store are listed in `unknown`: treat them as unsafe.",
  data: z.object({ allergens: z.array(z.string()), may_contain: z.array(z.string()), unknown: z.array(Ref) }),
  async handle({ params: { id } }, ctx) {
    const refs = refsOf((await ctx.tx.require(bundles, id)).value);
    const known = await ctx.ports.engines.allergensOf(ctx.tx, refs, { mode: null, now: ctx.now });
    const found = [...known.values()];
    const union = (lists: readonly (readonly string[])[]): string[] => [...new Set(lists.flat())].sort();
    return ok({
      allergens: union(found.map((one) => one.allergens)),
      may_contain: union(found.map((one) => one.may_contain)),
      unknown: refs.filter((ref) => !isComplete(known.get(ref))),
    });
  },
});
