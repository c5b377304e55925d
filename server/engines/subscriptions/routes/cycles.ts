import { z } from "zod";

import { fromInstant } from "../../../lib/instant.ts";
import { conflict, conflictWhen, invalidField, invalidParameter } from "../../../lib/errors.ts";
import { localDateAt } from "../../../lib/local-time.ts";
import { giveWay } from "../../../lib/slices.ts";
import type { Ctx } from "../../../core/route.ts";
import { ok, values } from "../../../core/reply.ts";
import { defineRoute, missing } from "../../../core/route.ts";
import { Id, LocalDate } from "../../../core/schema.ts";
import { closeWork, nextBillingDate } from "../services/contract-work.ts";
import type { ContractWork } from "../services/contract-work.ts";
import { charges, contracts } from "../repository.ts";
import { asResumed } from "../rules/after-pause.ts";
import { billingDate, isAfterEnd, isDatable } from "../rules/cycle-dates.ts";
import { withIds } from "../rules/new-contract.ts";
import { chargeIdOf } from "../rules/open-charge.ts";
import { upcomingCycle } from "../rules/preview.ts";
import type { Contract, Override } from "../schema.ts";
import { NewLines, SUBSCRIPTION_LIMITS } from "../schema/parts.ts";
import { CycleView } from "../schema/requests.ts";
import { badState, openContract, requireRoom, requireStatus } from "./env.ts";

const Index = z.coerce.number().pipe(z.int().min(0).max(9999));
const Params = z.object({ id: Id, index: Index });
const params = { id: "sub_01KDVDNA00GGGGGGGGGGGGGGGZ", index: "5" };
const billed = conflictWhen("cycle_billed", "The cycle was billed or left out already");

const listCycles = defineRoute({
  id: "subscriptions.cycles.list",
  method: "GET",
  path: "/contracts/:id/cycles",
  summary: "Cycles of a contract: as they were billed, and as they will be",
  description:
    "Of a paused contract, the cycles to come are those after `resume_on`; without it, those as if it were resumed now.",
  query: z.object({
    from_index: Index.optional().meta({ description: "Default: the current cycle" }),
    limit: z.coerce.number().pipe(z.int().min(1).max(SUBSCRIPTION_LIMITS.cyclePage)).default(12),
  }),
  data: z.array(CycleView),
  example: { params: { id: "sub_01KDVDNA00GGGGGGGGGGGGGGGZ" }, query: { limit: 1 } },
  async handle({ params: { id }, query }, ctx) {
    const { value } = await ctx.tx.require(contracts, id);
    const contract = asResumed(value, ctx.now);
    const first = query.from_index ?? contract.current_cycle ?? 0;
    const views: CycleView[] = [];
    for (let index = first; index < first + query.limit; index += 1) {
      if (contract.max_cycles !== null && index >= contract.max_cycles) break;
      if (!isDatable(contract, index)) break;
      await giveWay(ctx.tx.part);
      const view = await viewOf(ctx, contract, index);
      if (view !== null) views.push(view);
    }
    return values(views, { limit: query.limit });
  },
});

/** A cycle from its charge, or worked out; null for one that will not come. */
async function viewOf(ctx: Ctx, contract: Contract, index: number): Promise<CycleView | null> {
  const by = { now: ctx.now };
  const id = chargeIdOf({ contractId: contract.id, cycle: index, kind: "recurring" });
  const charge = index < contract.next_cycle ? await ctx.tx.get(charges, id) : null;
  if (charge !== null) {
    const { period, due_at: dueAt, status, total, amount_due } = charge.value;
    const date = localDateAt(fromInstant(dueAt), contract.timezone);
    const common = { index, ...period, billing_date: date, billing_at: dueAt, delivery_dates: [] };
    return { ...common, status, charge_id: charge.id, total, amount_due };
  }
  const hasEnded = contract.status === "cancelled" || contract.status === "expired";
  const isOver = hasEnded || isAfterEnd(contract, index);
  return index < contract.next_cycle || isOver ? null : upcomingCycle(contract, index, by);
}

const none: Override = { skip: false, date: null, lines: null };

/** Changes one cycle that is still to come. */
function override(opened: ContractWork, index: number, change: Partial<Override>): void {
  const { contract } = opened;
  requireStatus(contract, "change", "changed");
  if (index < contract.next_cycle) {
    throw conflict("cycle_billed", `Cycle ${index} was billed or left out already.`);
  }
  // The one behind it too: a cycle ends before the next.
  if (!isDatable(contract, index + 1))
    throw invalidParameter("index", "Must not be later than the year 9999.");
  const { overrides } = contract;
  const known = overrides[String(index)] ?? none;
  if (known === none && Object.keys(overrides).length >= SUBSCRIPTION_LIMITS.overrides) {
    throw conflict("limit_reached", `At most ${SUBSCRIPTION_LIMITS.overrides} cycles can be changed ahead.`);
  }
  const changed = { ...contract, overrides: { ...overrides, [String(index)]: { ...known, ...change } } };
  if (contract.pause !== null) requireLasting(asResumed(changed, opened.now), index, change);
  // Nothing is to be paid today any more: it does not expire without a payment.
  const isLater = contract.status === "pending" && nextBillingDate(changed) !== opened.today;
  opened.contract = isLater ? { ...changed, status: "active" } : changed;
}

/** Refuses what would be gone when a pause ends; `after` is the contract then. */
function requireLasting(after: Contract, index: number, change: Partial<Override>): void {
  if (index < after.next_cycle)
    throw conflict(
      "cycle_billed",
      `Cycle ${index} is left out, since the contract is paused until it is over.`,
    );
  const lasting = after.overrides[String(index)] ?? none;
  const { date = lasting.date, skip = lasting.skip } = change;
  if (lasting.skip !== skip || lasting.date !== date) {
    throw conflict(
      "invalid_transition",
      `Cycle ${index} begins on another day when the pause ends. Resume the contract, then skip or move the cycle.`,
    );
  }
}

/** Leaves the next cycle out that is not left out already; gives its date. */
export function overrideNext(opened: ContractWork): string {
  const { contract } = opened;
  let index = asResumed(contract, opened.now).next_cycle;
  while (contract.overrides[String(index)]?.skip === true) index += 1;
  override(opened, index, { skip: true });
  opened.emit("contract.updated", null, { change: "skip", cycle_index: index });
  return billingDate(contract, index);
}

const full = conflictWhen("limit_reached", "Too many cycles are changed ahead");

const updateCycle = defineRoute({
  id: "subscriptions.cycles.update",
  method: "PATCH",
  path: "/contracts/:id/cycles/:index",
  summary: "Change the billing date or the lines of one cycle",
  description:
    "Only this cycle moves: it stays after the one before it and before the next. null takes a change back.",
  params: Params,
  body: z.strictObject({ date: LocalDate.nullable().optional(), lines: NewLines.nullable().optional() }),
  data: CycleView,
  errors: [missing, badState, billed, full],
  example: { params, body: { date: "2026-07-03" } },
  async handle({ params: { id, index }, body }, ctx) {
    await ctx.current(contracts, id);
    const opened = await openContract(ctx, id);
    if (typeof body.date === "string") refuseDate(opened, index, body.date);
    override(opened, index, {
      ...(body.date === undefined ? {} : { date: body.date }),
      ...(body.lines === undefined
        ? {}
        : { lines: body.lines === null ? null : withIds(body.lines, opened.contract.lines) }),
    });
    requireRoom(opened.contract);
    opened.emit("contract.updated", null, { change: "cycle", cycle_index: index });
    const { value } = await closeWork(opened);
    return ok(upcomingCycle(asResumed(value, ctx.now), index, { now: ctx.now }));
  },
});

function refuseDate({ contract, today }: ContractWork, index: number, date: string): void {
  const before = index === 0 ? null : billingDate(contract, index - 1);
  const after = billingDate(contract, index + 1);
  if (date < today) throw invalidField(["date"], "Must not be in the past.");
  if ((before !== null && date <= before) || date >= after) {
    throw invalidField(["date"], `Must be later than ${before ?? "the start"} and earlier than ${after}.`);
  }
}

const toggle = (verb: "skip" | "unskip") =>
  defineRoute({
    id: `subscriptions.cycles.${verb}`,
    method: "POST",
    path: `/contracts/:id/cycles/:index/${verb}`,
    summary: verb === "skip" ? "Leave one cycle out" : "Take a skip back",
    description: "Later cycles keep their dates and indices.",
    params: Params,
    body: z.strictObject({}).default({}),
    data: CycleView,
    errors: [missing, badState, billed, full],
    example: {
      params,
      body: {},
    },
    async handle({ params: { id, index } }, ctx) {
      const opened = await openContract(ctx, id);
      override(opened, index, { skip: verb === "skip" });
      opened.emit("contract.updated", null, { change: verb, cycle_index: index });
      const { value } = await closeWork(opened);
      return ok(upcomingCycle(asResumed(value, ctx.now), index, { now: ctx.now }));
    },
  });

export const cycleRoutes = [listCycles, updateCycle, toggle("skip"), toggle("unskip")];
