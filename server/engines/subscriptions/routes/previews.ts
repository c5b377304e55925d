import type { z } from "zod";

import { fromInstant } from "../../../lib/instant.ts";
import { invalidField } from "../../../lib/errors.ts";
import { localDateAt } from "../../../lib/local-time.ts";
import { runInSlices } from "../../../lib/slices.ts";
import type { Ctx } from "../../../core/route.ts";
import { routesOf } from "../../../core/resource.ts";
import { ok } from "../../../core/reply.ts";
import { missing } from "../../../core/route.ts";
import { prorateChange } from "../services/change.ts";
import { coveredAt } from "../services/covered.ts";
import type { Covered } from "../services/covered.ts";
import { contracts, readPolicy, readSettings } from "../repository.ts";
import { cyclePeriod } from "../rules/cycle-dates.ts";
import { toContract, withIds } from "../rules/new-contract.ts";
import { previewCyclesSteps, previewDunning } from "../rules/preview.ts";
import { spanOf } from "../rules/coverage.ts";
import type { Span } from "../rules/coverage.ts";
import { cycleCharge } from "../rules/open-charge.ts";
import { ADJUSTMENT_TITLE, adjustmentMoney } from "../rules/adjust.ts";
import { countedFrom, keptOverrides, planned, rebased, stillPlanned } from "../rules/cycle-dates.ts";
import type { Contract } from "../schema.ts";
import { PreviewAnswer, PreviewRequest } from "../schema/requests.ts";
import { planOf, refuseFaults } from "./contracts.ts";
import { refuseFar, unpaidCycle } from "./env.ts";
import type { Proration } from "../schema/requests.ts";
type Body = z.output<typeof PreviewRequest>;

const DRAFT_ID = "sub_preview";

const preview = routesOf({ id: "subscriptions.previews", view: PreviewAnswer }).create({
  status: 200,
  scope: "read",
  summary: "What a contract will be billed, and when",
  description:
    "Of a contract, or of one that does not exist yet, also after a change. Worked out by the functions that bill it: a preview and the " +
    "charge cannot differ. Nothing is stored.",
  body: PreviewRequest,
  errors: [missing, unpaidCycle],
  example: {
    body: {
      contract: {
        customer: { id: "ada", email: "ada@shop.example", name: "Ada Byron" },
        lines: [{ product_ref: "coffee-1kg", title: "Coffee, 1 kg", quantity: 1, unit_price: 1800 }],
        interval: { unit: "month", count: 1 },
        start_date: "2026-01-31",
      },
      cycles: 1,
    },
  },
  async handle({ body }, ctx) {
    const now = body.as_of === undefined ? ctx.now : fromInstant(body.as_of);
    if (body.as_of !== undefined) refuseFar("as_of", body.as_of);
    const start = await contractOf(ctx, body, now);
    const covered = await coveredBy(ctx, body, start, now);
    const { contract, proration } = withChange(start, body, { now, covered });
    const cycles = await runInSlices(previewCyclesSteps(contract, body.cycles, { now }), ctx.tx.part);
    const policy = await readPolicy(ctx.tx, contract.dunning_policy_id);
    const first = cycles[0]?.billing_at;
    const { currency, timezone, billing, delivery_from } = contract;
    return ok({
      currency,
      timezone,
      billing,
      delivery_from,
      cycles,
      proration,
      dunning:
        first === undefined ? [] : previewDunning(policy, { firstFailedAt: fromInstant(first), timezone }),
      notices: contract.compliance.notices,
    });
  },
});

async function contractOf(ctx: Ctx, body: Body, now: number): Promise<Contract> {
  if (body.contract_id !== undefined) return (await ctx.tx.require(contracts, body.contract_id)).value;
  if (body.contract === undefined) throw invalidField(["contract"], "Send `contract` or `contract_id`.");
  const plan = await planOf(ctx, body.contract.plan_id, ["contract"]);
  refuseFaults(body.contract, plan, ["contract"]);
  return toContract(body.contract, { id: DRAFT_ID, now, plan, settings: await readSettings(ctx.tx) });
}

/** The contract after the change; a draft counts as paid for the cycle that the moment falls into. */
function withChange(
  contract: Contract,
  { change, contract_id: id }: Body,
  { now, covered }: { readonly now: number; readonly covered: Covered | null },
): { contract: Contract; proration: Proration | null } {
  if (change === undefined) return { contract, proration: null };
  const today = localDateAt(now, contract.timezone);
  const current = id === undefined ? runningAt(contract, today) : contract;
  const lines = change.lines === undefined ? null : withIds(change.lines, current.lines);
  const interval = change.interval ?? null;
  if (change.effective === "cycle_end") {
    const after = { ...current, pending_change: planned(current, lines, interval) };
    return { contract: { ...after, overrides: keptOverrides(current, after) }, proration: null };
  }
  const spans = covered === null ? draftSpans(current) : covered.covering.map(spanOf);
  const proration =
    current.current_period === null
      ? null
      : prorateChange({ contract: current, now, today }, { lines, spans }, change, covered?.held ?? Infinity)
          .proration;
  const net = proration?.net ?? 0;
  const exchange = { from: current.lines, to: lines ?? current.lines, cycle: current.current_cycle ?? 0 };
  const tax = proration === null ? 0 : adjustmentMoney(current, exchange, proration).tax;
  const carried =
    net > 0 && change.settle === "next_cycle"
      ? [{ id: "chn_preview", title: ADJUSTMENT_TITLE, amount: net, tax }]
      : [];
  const changed = {
    ...current,
    lines: lines ?? current.lines,
    pending_change: stillPlanned(current, lines, interval),
    billing: interval === null ? current.billing : rebased(current, interval, countedFrom(current, today)),
    credit: current.credit + Math.max(0, -net),
    carried: [...current.carried, ...carried],
  };
  return { contract: { ...changed, overrides: keptOverrides(current, changed) }, proration };
}

/** What a stored contract is paid for; null for a draft, which counts as paid. */
async function coveredBy(
  { tx }: Ctx,
  { change, contract_id: id }: Body,
  contract: Contract,
  now: number,
): Promise<Covered | null> {
  if (id === undefined) return null;
  const isProrated = change !== undefined && change.effective === "now" && change.proration !== "none";
  return coveredAt(tx, contract, { date: localDateAt(now, contract.timezone), isProrated });
}

/** The cycle of a draft that runs at the moment of the preview, paid. */
function draftSpans(contract: Contract): Span[] {
  const { current_cycle: cycle, current_period: period } = contract;
  return cycle === null || period === null
    ? []
    : [spanOf(cycleCharge({ ...contract, carried: [] }, cycle, { now: 0 }))];
}

const CYCLES_MAX = 500;

function runningAt(contract: Contract, today: string): Contract {
  for (let index = 0; index < CYCLES_MAX; index += 1) {
    const period = cyclePeriod(contract, index);
    if (today < period.start) return contract;
    if (today < period.end) {
      return { ...contract, current_cycle: index, current_period: period, next_cycle: index + 1 };
    }
  }
  return contract;
}

export const previewRoutes = [preview];
