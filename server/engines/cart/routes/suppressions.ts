import { z } from "zod";

import type { Ctx } from "../../../core/route.ts";
import { created, list } from "../../../core/reply.ts";
import { listFields, withVersion } from "../../../core/schema.ts";
import { suppress } from "../services/suppress.ts";
import { addressId, suppressions } from "../repository.ts";
import { Suppression } from "../schema/cart.ts";
import { resource } from "../../../core/resource.ts";

const View = withVersion(Suppression);
const Email = z.email().max(254);

const suppressionResource = resource({
  id: "cart.suppressions",
  collection: suppressions,
  view: View,
  example: "sup_01JD8Z5T9QK3M4N5P6R7S8T9V6",
});

const listSuppressions = suppressionResource.custom.list({
  summary: "Addresses that get no mail about carts, newest first",
  description: "Only a hash of each address is stored. With `email`, the entry of that address or none.",
  query: z.object({ ...listFields, email: Email.optional() }),
  async handle({ query: { limit, cursor, email } }, { tx }) {
    if (email === undefined) return list(await tx.peekPage(suppressions, { limit, cursor }));
    const found = await tx.get(suppressions, addressId("sup", email));
    return list({ items: found === null ? [] : [found], limit, next: null });
  },
});

const createSuppression = suppressionResource.custom.create({
  summary: "Send an address no more mail about carts",
  description: "Queued mails are withdrawn. Repeating the request changes nothing.",
  body: z.strictObject({ email: Email }),
  example: { body: { email: "ada@shop.example" } },
  async handle({ body }, ctx: Ctx) {
    const stored = await suppress(ctx.tx, addressId("sup", body.email), "merchant", ctx);
    return created(stored, `/suppressions/${stored.id}`);
  },
});

const removeSuppression = suppressionResource.remove({ summary: "Allow mail to an address again" });

export const suppressionRoutes = [listSuppressions, createSuppression, removeSuppression];
