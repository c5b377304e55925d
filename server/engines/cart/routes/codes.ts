import { z } from "zod";

import { conflict, conflictWhen } from "../../../lib/errors.ts";
import { listUnder } from "../../../core/by-value.ts";
import { takeTurn } from "../../../core/room.ts";
import type { Tx } from "../../../core/tx.ts";
import { accepted } from "../../../core/reply.ts";
import { ListQuery, withVersion } from "../../../core/schema.ts";
import { resource, routesOf } from "../../../core/resource.ts";
import { codeBatches, codes, offers } from "../repository.ts";
import { CodeBatch, OfferCode } from "../schema/offer.ts";
import { DEMO_IDS } from "../data/demo-shop.ts";
import { CART_LIMITS } from "../schema/parts.ts";
import { badState, requireStatus } from "./env.ts";

const offersCodeResource = routesOf({
  id: "cart.offers.codes",
  path: "/offers/:id/codes",
  view: CodeBatch,
  example: DEMO_IDS.offers.welcome,
});

const orderCodes = offersCodeResource.create({
  status: 202,
  summary: "Generate single-use codes for an offer",
  description: `Up to ${CART_LIMITS.bulkCodes} at a time; they are generated within seconds. GET /code-batches/{id} returns the progress.`,
  body: z.strictObject({
    count: z.int().min(1).max(CART_LIMITS.bulkCodes),
    prefix: z
      .string()
      .trim()
      .toUpperCase()
      .regex(/^[A-Z0-9-]{0,20}$/, "Expected at most 20 letters, digits or hyphens.")
      .default(""),
  }),
  errors: [badState, conflictWhen("busy", `More than ${CART_LIMITS.bulkCodes} codes would be pending`)],
  example: { body: { count: 500, prefix: "SUMMER-" } },
  async handle({ params: { id }, body }, ctx) {
    const { value: offer } = await ctx.tx.require(offers, id);
    requireStatus(offer.trigger, ["code"], "given codes");
    requireStatus(offer.status, ["draft", "scheduled", "active", "paused"], "given codes");
    await refuseMany(ctx.tx, body.count);
    const at = { created_at: ctx.nowAt, updated_at: ctx.nowAt };
    const batch: CodeBatch = {
      id: ctx.newId("cbt"),
      ...at,
      offer_id: id,
      ...body,
      made: 0,
      state: "running",
    };
    ctx.tx.create(codeBatches, batch);
    return accepted(batch, `/code-batches/${batch.id}`);
  },
});

/** No quota refuses what the job stores: sixty requests of a minute would be 600,000 codes. */
async function refuseMany(tx: Tx, count: number): Promise<void> {
  await takeTurn(tx, codeBatches.name);
  const running = await tx.peekAll(codeBatches, { index: "running" });
  const pending = running.reduce((sum, { value }) => sum + value.count - value.made, count);
  if (pending <= CART_LIMITS.bulkCodes) return;
  throw conflict(
    "busy",
    `At most ${CART_LIMITS.bulkCodes} codes can be pending. Wait until those are generated.`,
  );
}

const listCodes = offersCodeResource.list({
  summary: "Codes of an offer, newest first, and which order used each",
  query: ListQuery,
  data: z.array(withVersion(OfferCode)),
  handle: listUnder(offers, codes, "offer"),
});

const codeBatchResource = resource({
  id: "cart.code-batches",
  collection: codeBatches,
  view: withVersion(CodeBatch),
  example: "cbt_01JD8Z5T9QK3M4N5P6R7S8T9V7",
});

const getBatch = codeBatchResource.get({ summary: "Show the progress of a code batch" });

export const codeRoutes = [orderCodes, listCodes, getBatch];
