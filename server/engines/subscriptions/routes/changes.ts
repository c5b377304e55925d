import { z } from "zod";
import { contractResource } from "./contracts.ts";

import { conflict, conflictWhen, invalidField } from "../../../lib/errors.ts";
import { ok } from "../../../core/reply.ts";
import { changeContract } from "../services/change.ts";
import { chargeOf, closeWork } from "../services/contract-work.ts";
import type { ContractWork } from "../services/contract-work.ts";
import { coveredAt } from "../services/covered.ts";
import { openCycle } from "../services/cycles.ts";
import { charges } from "../repository.ts";
import { Contract } from "../schema.ts";
import { openingAt } from "../rules/agenda.ts";
import { isAfterEnd, isDatable } from "../rules/cycle-dates.ts";
import { Charge } from "../schema/charge.ts";
import { SUBSCRIPTION_LIMITS } from "../schema/parts.ts";
import { ChangeRequest, ProrationView } from "../schema/requests.ts";
import { badState, openContract, requireRoom, requireStatus, unpaidCycle } from "./env.ts";

const ChangeView = z.object({
  contract: Contract,
  proration: ProrationView.nullable(),
  charge: Charge.nullable().meta({ description: "Collects a difference in the shop's favour" }),
});

const change = contractResource.action("change", {
  summary: "Change lines or interval, with proration",
  description:
    "Now: the day of the change belongs to the new price; a difference in the customer's favour becomes credit, one in the " +
    "shop's is charged now or with the next cycle. A new interval begins now with a cycle of its own. At the cycle's end nothing is prorated.",
  body: ChangeRequest,
  data: ChangeView,
  errors: [
    badState,
    conflictWhen("too_many_carried", "Too many changes are pending for the next charge"),
    unpaidCycle,
  ],
  example: {
    body: {
      lines: [{ product_ref: "coffee-1kg", title: "Coffee, 1 kg", quantity: 2, unit_price: 1800 }],
      effective: "now",
    },
  },
  async handle({ params: { id }, body }, ctx) {
    if (body.lines === undefined && body.interval === undefined) {
      throw invalidField(["lines"], "Send `lines`, `interval` or both.");
    }
    const opened = await openContract(ctx, id);
    requireStatus(opened.contract, "change_lines", "changed");
    if (body.settle === "next_cycle" && opened.contract.carried.length >= SUBSCRIPTION_LIMITS.carried) {
      throw conflict(
        "too_many_carried",
        "Too many changes are pending for the next charge. Send `settle: now`.",
      );
    }
    const covered = await coveredAt(ctx.tx, opened.contract, {
      date: opened.today,
      isProrated: body.effective === "now" && body.proration !== "none",
    });
    const { proration, chargeId } = await changeContract(opened, body, {
      changeId: ctx.newId("chn"),
      covered,
    });
    requireRoom(opened.contract);
    const contract = await closeWork(opened);
    const charge = chargeId === null ? null : ((await ctx.tx.get(charges, chargeId))?.value ?? null);
    return ok({ contract: contract.value, proration, charge });
  },
});

const billNow = contractResource.action("bill-now", {
  scope: "manage",
  summary: "Bill the next cycle now",
  description:
    "The period that is billed begins where the current one ends: an early renewal never bills the same days twice. A second call " +
    "bills nothing while the cycle that the first one billed has not begun; name cycle_index to bill one ahead of another.",
  body: z
    .strictObject({
      cycle_index: z.int().min(0).max(9999).optional().meta({
        description: "The cycle that is meant: the contract's next_cycle",
      }),
    })
    .default({}),
  data: Charge,
  errors: [
    badState,
    conflictWhen("no_cycle_left", "The contract has no further cycle"),
    conflictWhen("already_billed", "The cycle that is meant is billed"),
  ],
  example: { body: {} },
  async handle({ params: { id }, body }, ctx) {
    const opened = await openContract(ctx, id);
    requireStatus(opened.contract, "bill", "billed");
    refuseBilled(opened, body.cycle_index);
    const { contract } = opened;
    const { next_cycle: index, max_cycles: most } = contract;
    const isLast = (most !== null && index >= most) || !isDatable(contract, index + 1);
    if (isLast || isAfterEnd(contract, index)) {
      throw conflict("no_cycle_left", "The contract ends before another cycle begins.");
    }
    if (contract.overrides[String(index)]?.skip === true)
      throw conflict("invalid_transition", `Cycle ${index} is skipped. Unskip it first.`);
    const charge = openCycle(opened, index);
    opened.contract = { ...opened.contract, next_cycle: index + 1 };
    const stored = chargeOf(opened, charge.id);
    await closeWork(opened);
    return ok(stored);
  },
});

/**
 * A repeated call must not take the money of two cycles: unless it says which one it means, the next is billed ahead of its
 * time only once the one before has begun.
 */
function refuseBilled({ contract, now, today }: ContractWork, meant: number | undefined): void {
  const { next_cycle: next, current_cycle: last, current_period: period } = contract;
  // On the day on which a cycle begins, it does so at its hour.
  const hasBegun = last === null || openingAt({ ...contract, next_cycle: last }) <= now;
  const isAhead = period !== null && (period.start > today || !hasBegun);
  if (meant !== undefined && meant > next) throw invalidField(["cycle_index"], `The next cycle is ${next}.`);
  if (meant === next || (meant === undefined && !isAhead)) return;
  const billed = meant ?? last ?? 0;
  throw conflict(
    "already_billed",
    `Cycle ${billed} is billed. Send cycle_index ${next} to bill the next one as well.`,
  );
}

export const changeRoutes = [change, billNow];
