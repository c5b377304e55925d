import { z } from "zod";

import type { Ctx } from "../../../core/route.ts";
import { routesOf } from "../../../core/resource.ts";
import { ok } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { EVENTS_PER_COMMIT, ingestEvents, ingestHistory } from "../services/ingest.ts";
import type { IngestedHistory, PreparedHistory } from "../services/ingest.ts";
import { replayHistories } from "../services/replay-tasks.ts";
import { EventBody, EventOutcome } from "../schema/event.ts";
import { TIER_LIMITS } from "../schema/programme.ts";
import { noProgramme, openEvaluation } from "./env.ts";
const exampleBody = {
  customer: { id: "ada", email: "ada@shop.example" },
  event: {
    type: "order" as const,
    external_id: "shop-4711",
    order_ref: "4711",
    occurred_at: "2026-05-28T16:40:00.000Z",
    currency: "GBP",
    amount: 4375,
  },
};

const createEvent = routesOf({ id: "tiers.events", view: EventOutcome }).create({
  status: 200,
  summary: "Ingest a customer event",
  description:
    "An order, a refund or another event. The customer is evaluated in the same commit. Sending the same event twice " +
    "is reported as a duplicate; events can arrive in any order, a refund even before its order.",
  body: EventBody,
  errors: [noProgramme],
  example: { body: exampleBody },
  async handle({ body }, ctx) {
    const [outcome] = await ingestEvents(ctx.tx, await openEvaluation(ctx), [body]);
    if (outcome === undefined) throw new Error("No outcome for this event.");
    return ok(outcome);
  },
});

/** Customers of a batch that are processed concurrently: their commits then share an fsync. */
const AT_ONCE = 8;
const Count = z.int().nonnegative();

const createBatch = defineRoute({
  id: "tiers.events.batch",
  cost: 10,
  method: "POST",
  path: "/events/batches",
  summary: `Ingest up to ${TIER_LIMITS.eventsPerBatch} customer events`,
  description:
    "The outcomes are in the order of the events. An interrupted call can be repeated unchanged: events that were " +
    "already recorded are reported as duplicates. A body of 1 MB holds about a thousand orders.",
  body: z.strictObject({
    events: z.array(EventBody).min(1).max(TIER_LIMITS.eventsPerBatch),
    backfill: z
      .boolean()
      .default(false)
      .meta({
        description:
          "Import of history: the customers' levels are computed again from all of their events, each on its day. No mail " +
          "is sent and no webhook is called",
      }),
  }),
  data: z.strictObject({
    accepted: Count,
    duplicate: Count,
    ignored: Count,
    items: z.array(EventOutcome),
  }),
  errors: [noProgramme],
  example: {
    body: { events: [exampleBody] },
  },
  async handle({ body }, ctx) {
    const outcomes = new Map<EventBody, EventOutcome>();
    const groups = new Map<string, EventBody[]>();
    for (const one of body.events) {
      groups.set(one.customer.id, [...(groups.get(one.customer.id) ?? []), one]);
    }
    // One shared iterator: each worker takes the next group.
    const next = groups.values();
    const work = async (): Promise<void> => {
      for (const group of next) await takeGroup(ctx, group, { backfill: body.backfill, outcomes });
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    const items = body.events.flatMap((one) => outcomes.get(one) ?? []);
    const count = (status: EventOutcome["status"]): number =>
      items.filter((one) => one.status === status).length;
    return ok({
      accepted: count("accepted"),
      duplicate: count("duplicate"),
      ignored: count("ignored"),
      items,
    });
  },
});

/** Ingests the events of one customer, a few per commit. */
async function takeGroup(
  ctx: Ctx,
  group: readonly EventBody[],
  { backfill, outcomes }: { readonly backfill: boolean; readonly outcomes: Map<EventBody, EventOutcome> },
): Promise<void> {
  for (let start = 0; start < group.length; start += EVENTS_PER_COMMIT) {
    const bodies = group.slice(start, start + EVENTS_PER_COMMIT);
    const taken = await (backfill ? takeHistory(ctx, bodies) : takeNews(ctx, bodies));
    for (const [at, body] of bodies.entries()) {
      const outcome = taken[at];
      if (outcome !== undefined) outcomes.set(body, outcome);
    }
  }
}

const takeNews = (ctx: Ctx, bodies: readonly EventBody[]): Promise<EventOutcome[]> =>
  ctx.runTx(ctx.tx.part, async (tx) =>
    ingestEvents(tx, await openEvaluation({ tx, now: ctx.now, nowAt: ctx.nowAt }), bodies),
  );

/** Computes the levels between two transactions, and again where the member was changed meanwhile. */
async function takeHistory(ctx: Ctx, bodies: readonly EventBody[]): Promise<EventOutcome[]> {
  const take = (prepared: PreparedHistory | null): Promise<IngestedHistory> =>
    ctx.runTx(ctx.tx.part, async (tx) =>
      ingestHistory(tx, await openEvaluation({ tx, now: ctx.now, nowAt: ctx.nowAt }), bodies, prepared),
    );
  let result = await take(null);
  while ("missing" in result) {
    const history = result.missing;
    result = await take({ history, replayed: await replayHistories(ctx.tx, history) });
  }
  return result.outcomes;
}

export const eventRoutes = [createEvent, createBatch];
