import { afterPause } from "../rules/after-pause.ts";
import { findMethod, isUsable, retryNow } from "./attempts.ts";
import type { ContractWork } from "./contract-work.ts";
import { applyPending } from "./cycles.ts";
import { dropOwed } from "./effects.ts";
import { renewalMail } from "./mails.ts";

/** Goes on after a pause. */
export function resume(opened: ContractWork): null {
  const { contract, now } = opened;
  const { pause, next_cycle: first } = contract;
  if (pause === null) return null;
  opened.contract = afterPause(contract, now);
  const { next_cycle: next } = opened.contract;
  if (next > first) applyPending(opened, next);
  opened.emit("contract.resumed", null, { mode: pause.mode });
  return null;
}

/** Another payment method deserves one try at once, whatever became of the old one. What was paused for want of one goes on. */
export function payWith(opened: ContractWork, methodId: string | null): void {
  if (methodId === opened.contract.payment_method_id) return;
  opened.contract = { ...opened.contract, payment_method_id: methodId };
  if (methodId === null) return;
  retryNow(opened);
  if (opened.contract.pause?.reason === "no_payment_method") resume(opened);
}

export function expire(opened: ContractWork, reason: "unpaid_start" | "max_cycles"): null {
  const { contract } = opened;
  opened.contract = {
    ...contract,
    status: "expired",
    pause: null,
    ended_at: opened.nowAt,
    overdue: null,
  };
  if (reason === "unpaid_start") dropOwed(opened, "contract_expired");
  opened.emit("contract.expired", null, { reason });
  return null;
}

/** The trial is over: billing begins, if there is something to bill. */
export async function endTrial(opened: ContractWork): Promise<null> {
  const { contract } = opened;
  const method = await findMethod(opened);
  const isReady =
    contract.collection === "send_invoice" || (method !== null && isUsable(method, opened.today));
  if (isReady) {
    opened.contract = { ...contract, status: "active" };
    opened.emit("contract.updated", null, { change: "trial_ended" });
    return null;
  }
  const since = opened.nowAt;
  const pause = {
    since,
    resume_on: null,
    mode: "shift" as const,
    reason: "no_payment_method" as const,
    was: "active" as const,
  };
  opened.contract = { ...contract, status: "paused", pause };
  opened.emit("contract.paused", null, { reason: "no_payment_method" });
  return null;
}

export function sendNotice(opened: ContractWork, index: number): null {
  const { contract } = opened;
  const notices = contract.compliance.notices.map((notice, at) =>
    at === index ? { ...notice, sent_at: opened.nowAt } : notice,
  );
  const notice = contract.compliance.notices[index];
  if (notice === undefined) return null;
  opened.mail({ about: `notice ${notice.kind} ${notice.due_on}`, ...renewalMail(opened) });
  opened.contract = { ...contract, compliance: { ...contract.compliance, notices } };
  opened.emit("notice.sent", null, { kind: notice.kind, due_on: notice.due_on });
  return null;
}
