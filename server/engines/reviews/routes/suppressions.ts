import { z } from "zod";

import { created, list } from "../../../core/reply.ts";
import { listFields, withVersion } from "../../../core/schema.ts";
import { reviewWorkOf } from "../services/work.ts";
import { suppress } from "../services/invitations.ts";
import { suppressionId, suppressions } from "../repository.ts";
import { Suppression } from "../schema/invitation.ts";
import { Email } from "../schema/parts.ts";
import { resource } from "../../../core/resource.ts";

const View = withVersion(Suppression);
const example = "sup_0a1b2c3d4e5f60718293a4b5c6d7e8f901234567";

const suppressionResource = resource({
  id: "reviews.suppressions",
  collection: suppressions,
  view: View,
  example,
});

const listSuppressions = suppressionResource.custom.list({
  summary: "List addresses that receive no invitations, newest first",
  description:
    "Only a hash of each address is stored; with email, returns the entry of that address, if any.",
  query: z.object({ ...listFields, email: Email.optional() }),
  async handle({ query: { limit, cursor, email } }, { tx }) {
    if (email === undefined) return list(await tx.peekPage(suppressions, { limit, cursor }));
    const suppression = await tx.get(suppressions, suppressionId(email));
    return list({ items: suppression === null ? [] : [suppression], limit, next: null });
  },
});

const createSuppression = suppressionResource.custom.create({
  summary: "Suppress invitations to an address",
  description: "Planned invitations are cancelled. Repeating it has no further effect.",
  body: z.strictObject({ email: Email }),
  example: { body: { email: "ada@shop.example" } },
  async handle({ body }, ctx) {
    const stored = await suppress(ctx.tx, reviewWorkOf(ctx), suppressionId(body.email), "merchant");
    return created(stored, `/suppressions/${stored.id}`);
  },
});

const removeSuppression = suppressionResource.remove({ summary: "Allow invitations to an address again" });

export const suppressionRoutes = [listSuppressions, createSuppression, removeSuppression];
