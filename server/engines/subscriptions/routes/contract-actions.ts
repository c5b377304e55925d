import { z } from "zod";

import { conflict, conflictWhen, invalidField } from "../../../lib/errors.ts";
import { item } from "../../../core/reply.ts";
import { addMonths } from "../../../lib/local-time.ts";
import type { ContractWork, OpenedContract } from "../services/contract-work.ts";
import { closeWork } from "../services/contract-work.ts";
import { statusBefore } from "../services/effects.ts";
import { cancelledMail } from "../services/mails.ts";
import { resume } from "../services/lifecycle.ts";
import { settleCancellation } from "../services/cancel.ts";
import { countBilled } from "../services/covered.ts";
import { isCoolingOff } from "../rules/compliance.ts";
import { periodOf } from "../rules/cycle-dates.ts";
import { SUBSCRIPTION_LIMITS } from "../schema/parts.ts";
import { CancelRequest, PauseRequest } from "../schema/requests.ts";
import { badState, openContract, requireStatus } from "./env.ts";
import { contractResource } from "./contracts.ts";

export function pauseBook(
  opened: ContractWork,
  { resume_on: resumeOn, mode }: z.output<typeof PauseRequest>,
): void {
  const { contract, today } = opened;
  requireStatus(contract, "pause", "paused");
  if (resumeOn !== null && resumeOn <= today) throw invalidField(["resume_on"], "Must be later than today.");
  if (resumeOn !== null && resumeOn > addMonths(today, SUBSCRIPTION_LIMITS.pauseMonths)) {
    throw invalidField(["resume_on"], `At most ${SUBSCRIPTION_LIMITS.pauseMonths} months from today.`);
  }
  const was = statusBefore(contract);
  const pause = { since: opened.nowAt, resume_on: resumeOn, mode, reason: "requested" as const, was };
  opened.contract = { ...contract, status: "paused", pause };
  opened.emit("contract.paused", null, { reason: "requested", resume_on: resumeOn });
}

const pauseContract = contractResource.action("pause", {
  summary: "Pause a contract",
  description:
    "Nothing is billed or retried while it is paused; a payment under way may still come to its end.",
  body: PauseRequest,
  errors: [badState],
  example: {
    body: { resume_on: "2026-08-01", mode: "shift" },
  },
  async handle({ params: { id }, body }, ctx) {
    const opened = await openContract(ctx, id);
    pauseBook(opened, body);
    return item(await closeWork(opened));
  },
});

const resumeContract = contractResource.action("resume", {
  summary: "Resume a contract",
  body: z.strictObject({}).default({}),
  errors: [badState],
  example: { body: {} },
  async handle({ params: { id } }, ctx) {
    const opened = await openContract(ctx, id);
    requireStatus(opened.contract, "resume", "resumed");
    resume(opened);
    return item(await closeWork(opened));
  },
});

/** Books a cancellation, or ends the contract at once. Returns what is refunded. */
export async function cancelBook(
  opened: OpenedContract,
  body: z.output<typeof CancelRequest>,
  { by, mayForce }: { readonly by: "merchant" | "customer"; readonly mayForce: boolean },
): Promise<number> {
  const { contract, today } = opened;
  requireStatus(contract, "cancel", "cancelled");
  const isBound = contract.min_cycles > 0 && !mayForce && !isCoolingOff(contract, today);
  const billed = isBound ? await countBilled(opened.tx, contract) : contract.min_cycles;
  if (billed < contract.min_cycles) {
    const hint = by === "customer" ? "" : " A key with the scope `subscriptions:manage` can cancel it.";
    const detail = `${billed} of at least ${contract.min_cycles} cycles are billed.${hint}`;
    throw conflict("min_cycles_not_reached", detail);
  }
  const effectiveOn = endDate(opened, body);
  const { reason_code, comment } = body;
  const cancellation = {
    requested_at: opened.nowAt,
    effective_on: effectiveOn,
    reason_code,
    comment,
    by,
    refund: body.refund,
  };
  opened.contract = { ...contract, cancellation };
  const isOver = effectiveOn <= today;
  const how = body.refund === "prorated" && !isOver ? "none" : body.refund;
  const refund = await settleCancellation(opened, { how, isOver });
  opened.mail({ about: `cancelled ${cancellation.requested_at}`, ...cancelledMail(opened, refund) });
  return refund;
}

function endDate({ contract, today }: ContractWork, { at, date }: z.output<typeof CancelRequest>): string {
  if (at === "now") return today;
  if (at === "date") {
    if (date === undefined) throw invalidField(["date"], "Required with at: date.");
    if (date < today) throw invalidField(["date"], "Must not be in the past.");
    return date;
  }
  const end =
    contract.current_period?.end ??
    contract.trial_ends_on ??
    periodOf(contract.billing, contract.next_cycle).start;
  return end > today ? end : today;
}

const cancelContract = contractResource.action("cancel", {
  summary: "Cancel a contract, now or later",
  description:
    "Sends the confirmation mail at once. `refund: prorated` refunds what was paid for the time after the cancellation takes effect, " +
    "over all charges, credits and refunds of the cycles that are not over, on the day on which it takes effect. `refund: full` " +
    "refunds everything paid for these cycles at once. Both refund the contract's credit as well.",
  body: CancelRequest,
  errors: [badState, conflictWhen("min_cycles_not_reached", "Fewer cycles are billed than `min_cycles`")],
  example: {
    body: { at: "cycle_end", reason_code: "too_expensive" },
  },
  async handle({ params: { id }, body }, ctx) {
    const opened = await openContract(ctx, id);
    await cancelBook(opened, body, { by: "merchant", mayForce: ctx.scopes.has("subscriptions:manage") });
    return item(await closeWork(opened));
  },
});

const uncancelContract = contractResource.action("uncancel", {
  summary: "Undo a cancellation that has not taken effect",
  body: z.strictObject({}).default({}),
  errors: [badState],
  example: { body: {} },
  async handle({ params: { id } }, ctx) {
    const opened = await openContract(ctx, id);
    requireStatus(opened.contract, "change", "taken back");
    if (opened.contract.cancellation === null) {
      throw conflict("invalid_transition", "The contract is not cancelled.");
    }
    opened.contract = { ...opened.contract, cancellation: null };
    opened.emit("contract.updated", null, { change: "uncancelled" });
    return item(await closeWork(opened));
  },
});

export const contractActionRoutes = [pauseContract, resumeContract, cancelContract, uncancelContract];
