import { z } from "zod";

import { conflict, conflictWhen, fail, invalidField } from "../../../lib/errors.ts";
import { fromInstant } from "../../../lib/instant.ts";
import type { Ctx } from "../../../core/route.ts";
import { item, ok } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { Id, LocalDate } from "../../../core/schema.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { diffId } from "../services/judge-members.ts";
import { judgeMember, saveMember } from "../services/members.ts";
import type { Judged, EvaluationContext } from "../services/members.ts";
import { customers, events, members, moves, recalculationMoves, recalculations } from "../repository.ts";
import { foldedIn } from "../rules/facts.ts";
import { foldLedger } from "../rules/fold-ledger.ts";
import { joinLedgers } from "../rules/ledger.ts";
import { EMPTY_LEDGER } from "../schema/ledger.ts";
import type { Ledger } from "../schema/ledger.ts";
import { LevelId, TIER_LIMITS } from "../schema/programme.ts";
import type { Rules } from "../schema/programme.ts";
import type { Move, Override } from "../schema/standing.ts";
import type { CustomerAggregate, Member } from "../schema.ts";
import { noProgramme, openEvaluation } from "./env.ts";
import { CustomerView, customerResource } from "./customers.ts";

const params = { id: "tcu_01JD8Z5T9QK3M4N5P6R7S8T9V0" };

/** The member of an aggregate; 404 if it does not exist or was merged into another one. */
async function requireMember(tx: Tx, id: string): Promise<Stored<Member>> {
  const member = await tx.get(members, id);
  if (member !== null && member.value.merged_into === null) return member;
  throw fail("not_found", "No customer with this id.");
}

/** Evaluates a member after a change and stores it, even if it did not move. */
async function rejudged(
  ctx: Ctx,
  context: EvaluationContext & { readonly today: string },
  stored: Stored<Member>,
  change: { readonly member: Member; readonly move?: Omit<Move, "on" | "evidence"> },
): Promise<Stored<CustomerAggregate>> {
  const judged = await judgeMember(ctx.tx, change.member, context, { asOf: context.today });
  const { move } = change;
  return saveMember(
    ctx.tx,
    context,
    stored,
    move === undefined ? judged : withMove(judged, move, context.today),
  );
}

const withMove = (judged: Judged, move: Omit<Move, "on" | "evidence">, on: string): Judged => ({
  ...judged,
  moves: [...judged.moves, { ...move, on, evidence: [] }],
  member: { ...judged.member, moves: judged.member.moves + 1 },
});

const override = defineRoute({
  id: "tiers.customers.overrides.create",
  method: "POST",
  path: "/customers/:id/overrides",
  scope: "manage",
  status: 201,
  summary: "Override a customer's level",
  description: "The override is a minimum unless `exact` is true; the earned level continues to be computed.",
  body: z.strictObject({
    level_id: LevelId,
    from: LocalDate.optional().meta({ description: "Default: today" }),
    until: LocalDate.nullable().default(null).meta({ description: "First day after the override ends" }),
    exact: z.boolean().default(false),
    reason: z.string().trim().min(1).max(300),
  }),
  data: CustomerView,
  errors: [noProgramme, conflictWhen("limit_reached", "The customer has reached the limit of overrides")],
  example: {
    params,
    body: { level_id: "lvl_gold", until: "2026-12-31", reason: "Lost a parcel" },
  },
  async handle({ params: { id }, body }, ctx) {
    const stored = await requireMember(ctx.tx, id);
    const context = await openEvaluation(ctx);
    const { value: member } = stored;
    if (!context.rules.levels.some((level) => level.id === body.level_id)) {
      throw invalidField(["level_id"], "The published programme has no level with this id.");
    }
    const from = body.from ?? context.today;
    if (body.until !== null && body.until <= from)
      throw invalidField(["until"], "`until` must be later than `from`.");
    // Expired overrides are removed to make room.
    const kept = member.overrides.filter(({ until }) => until === null || until > context.today);
    if (kept.length >= TIER_LIMITS.overrides) {
      throw conflict(
        "limit_reached",
        `The limit of ${TIER_LIMITS.overrides} overrides per customer is reached. Remove one first.`,
      );
    }
    const made: Override = { ...body, id: ctx.newId("tov"), from, by: ctx.caller, created_at: ctx.nowAt };
    const next = { ...member, overrides: [...kept, made] };
    const move = {
      kind: "override_set" as const,
      from: member.standing?.level_id ?? null,
      to: body.level_id,
      cause: "manual" as const,
    };
    const saved = await rejudged(ctx, context, stored, { member: next, move });
    return { ...item(saved), status: 201 as const, location: `/customers/${id}` };
  },
});

const removeOverride = defineRoute({
  id: "tiers.customers.overrides.remove",
  method: "DELETE",
  path: "/customers/:id/overrides/:override_id",
  scope: "manage",
  status: 200,
  summary: "Remove an override",
  data: CustomerView,
  errors: [noProgramme],
  example: {
    params: { ...params, override_id: "tov_01JD8Z5T9QK3M4N5P6R7S8T9V0" },
  },
  async handle({ params: { id, override_id: overrideId } }, ctx) {
    await ctx.current(customers, id);
    const stored = await requireMember(ctx.tx, id);
    const gone = stored.value.overrides.find((one) => one.id === overrideId);
    if (gone === undefined) throw fail("not_found", "No override with this id.");
    const overrides = stored.value.overrides.filter((one) => one !== gone);
    const to = stored.value.standing?.level_id ?? gone.level_id;
    const move = { kind: "override_ended" as const, from: gone.level_id, to, cause: "manual" as const };
    const member = { ...stored.value, overrides };
    return item(await rejudged(ctx, await openEvaluation(ctx), stored, { member, move }));
  },
});

const recalculateOne = customerResource.action("recalculate", {
  scope: "manage",
  summary: "Re-evaluate a customer as of today",
  errors: [noProgramme],
  async handle({ params: { id } }, ctx) {
    const stored = await requireMember(ctx.tx, id);
    return item(await rejudged(ctx, await openEvaluation(ctx), stored, { member: stored.value }));
  },
});

/** Folded sums from before a change of the programme's currency cannot be added to those of today. */
const inCurrency = (ledger: Ledger, rules: Rules): Ledger => ({ ...ledger, folded: foldedIn(ledger, rules) });

const merge = customerResource.action("merge", {
  scope: "manage",
  summary: "Merge another customer into this one",
  description:
    "Orders of both count for this customer, who gets the higher of the two tiers. Future events of the other are " +
    "recorded here.",
  body: z.strictObject({
    other_id: Id.meta({ description: "Id of the aggregate (tcu_) that is merged and removed" }),
  }),
  errors: [noProgramme],
  example: { body: { other_id: "tcu_01JD8Z5T9QK3M4N5P6R7S8T9V1" } },
  async handle({ params: { id }, body }, ctx) {
    const stored = await requireMember(ctx.tx, id);
    if (body.other_id === id) throw invalidField(["other_id"], "The id refers to the customer itself.");
    const other = await requireMember(ctx.tx, body.other_id);
    const context = await openEvaluation(ctx);
    const { value: goes } = other;
    const kept = stored.value;
    const member = {
      ...kept,
      email: kept.email ?? goes.email,
      name: kept.name === "" ? goes.name : kept.name,
      ledger: foldLedger(
        joinLedgers(inCurrency(kept.ledger, context.rules), inCurrency(goes.ledger, context.rules)),
        context.rules,
        context.today,
      ),
      standing: (goes.standing?.rank ?? -1) > (kept.standing?.rank ?? -1) ? goes.standing : kept.standing,
      // The one that was created last is in effect, whichever of the two had it.
      overrides: [...kept.overrides, ...goes.overrides]
        .sort((a, b) => fromInstant(a.created_at) - fromInstant(b.created_at))
        .slice(-TIER_LIMITS.overrides),
      merged_from: [...kept.merged_from, ...goes.merged_from, other.id],
    };
    const empty = { ledger: EMPTY_LEDGER, email: null, name: "", standing: null, overrides: [] };
    const left = { next_check_on: null, merged_into: id, merged_from: [], updated_at: ctx.nowAt };
    ctx.tx.put(members, other, { ...goes, ...empty, ...left });
    const shown = await ctx.tx.get(customers, other.id);
    if (shown !== null) ctx.tx.remove(customers, shown);
    return item(await rejudged(ctx, context, stored, { member }));
  },
});

const ERASED_PER_COMMIT = 40;

const erase = customerResource.action("erase", {
  scope: "manage",
  summary: "Erase all data of a customer",
  description:
    "Deletes events, moves, metrics and the e-mail address. If a call was interrupted, repeat it. This cannot be " +
    "undone.",
  data: z.strictObject({ id: Id, events: z.int(), moves: z.int() }),
  async handle({ params: { id } }, ctx) {
    const { part } = ctx.tx;
    const counts = { events: 0, moves: 0 };
    let isErased = false;
    while (!isErased) {
      const { value: member } = await ctx.runTx(part, (tx) => requireMember(tx, id));
      for (const each of [...member.merged_from, id]) {
        counts.events += await eraseAll(ctx, events, each);
        counts.moves += await eraseAll(ctx, moves, each);
        await eraseFromRecalculations(ctx, each);
        if (each !== id) await ctx.runTx(part, (tx) => removeMerged(tx, each));
      }
      isErased = await ctx.runTx(part, (tx) => removeMember(tx, member));
    }
    return ok({ id, ...counts });
  },
});

/** Deletes a customer last, so that an interrupted call can be repeated; false if an event or a merge came meanwhile. */
async function removeMember(tx: Tx, { id, merged_from: merged }: Member): Promise<boolean> {
  const stored = await requireMember(tx, id);
  const { items } = await tx.peekPage(events, { index: "by", value: id, limit: 1 });
  if (items.length > 0 || stored.value.merged_from.length > merged.length) return false;
  const shown = await tx.get(customers, id);
  if (shown !== null) tx.remove(customers, shown);
  tx.remove(members, stored);
  return true;
}

async function removeMerged(tx: Tx, id: string): Promise<void> {
  const member = await tx.get(members, id);
  if (member !== null) tx.remove(members, member);
}

async function eraseAll(
  { runTx, tx: { part } }: Ctx,
  collection: typeof events | typeof moves,
  customerId: string,
): Promise<number> {
  let erased = 0;
  for (;;) {
    const removed = await runTx(part, async (tx) => {
      const query = { index: "by", value: customerId, limit: ERASED_PER_COMMIT };
      if (collection === events) return removeAll(tx, events, (await tx.peekPage(events, query)).items);
      return removeAll(tx, moves, (await tx.peekPage(moves, query)).items);
    });
    erased += removed;
    if (removed < ERASED_PER_COMMIT) return erased;
  }
}

/** Recalculations whose effect on a customer one commit removes. */
const RECALCULATIONS_PER_COMMIT = 20;

/** What recalculations show of a customer: the levels before and after, and the figures by which they were computed. */
async function eraseFromRecalculations({ runTx, tx: { part } }: Ctx, customerId: string): Promise<void> {
  let cursor: string | undefined;
  do {
    cursor = await runTx(part, async (tx) => {
      const page = await tx.peekPage(recalculations, { limit: RECALCULATIONS_PER_COMMIT, cursor });
      for (const { id } of page.items) {
        const diff = await tx.get(recalculationMoves, diffId(id, customerId));
        if (diff !== null) tx.remove(recalculationMoves, diff);
        const job = await tx.get(recalculations, id);
        const sample = job?.value.moves_sample.filter((move) => move.customer_id !== customerId) ?? [];
        if (job !== null && sample.length < job.value.moves_sample.length)
          tx.put(recalculations, job, { ...job.value, moves_sample: sample });
      }
      return page.next ?? undefined;
    });
  } while (cursor !== undefined);
}

function removeAll<T extends { id: string }>(
  tx: Tx,
  collection: Parameters<typeof tx.remove<T>>[0],
  documents: readonly Stored<T>[],
): number {
  for (const one of documents) tx.remove(collection, one);
  return documents.length;
}

export const customerActionRoutes = [override, removeOverride, recalculateOne, merge, erase];
