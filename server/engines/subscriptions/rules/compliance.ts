import { addDays, addMonths } from "../../../lib/local-time.ts";
import { UK_DMCC } from "../data/uk-dmcc.ts";
import type { Contract } from "../schema.ts";
import type { Notice } from "../schema/parts.ts";
import { billingDate } from "./cycle-dates.ts";

const NOTICES_KEPT = 40;
const COOLING_OFF_KEPT = 10;

type Terms = Pick<
  Contract,
  | "billing"
  | "pending_change"
  | "overrides"
  | "next_cycle"
  | "start_date"
  | "trial_ends_on"
  | "renewal_notice_days"
  | "compliance"
>;

/** What a contract owes its consumer from the start: the right to step back, and the notices that are known already. */
export function firstCompliance(contract: Terms): Contract["compliance"] {
  const { compliance, start_date: start } = contract;
  if (compliance.profile === "none") return planNotices(contract);
  const coolingOff = [coolingOffFrom(start, "initial")];
  if (contract.trial_ends_on !== null) coolingOff.push(coolingOffFrom(contract.trial_ends_on, "renewal"));
  return planNotices({ ...contract, compliance: { ...compliance, cooling_off: coolingOff } });
}

/** After a cycle was billed: the right to withdraw from a long one begins again. */
export function renewedCompliance(contract: Terms, index: number, today: string): Contract["compliance"] {
  const { compliance } = contract;
  const isRenewal = compliance.profile === "uk_dmcc" && index > 0 && isLong(contract.billing);
  const opened = isRenewal ? [coolingOffFrom(today, "renewal")] : [];
  return planNotices({
    ...contract,
    compliance: {
      ...compliance,
      cooling_off: [...compliance.cooling_off, ...opened].slice(-COOLING_OFF_KEPT),
    },
  });
}

/**
 * Adds the notices that come next; one that is planned or sent is not planned again. That of a renewal which was skipped or moved is not
 * sent any more.
 */
export function planNotices(contract: Terms): Contract["compliance"] {
  const { compliance } = contract;
  const nameOf = ({ kind, due_on: dueOn }: Notice): string => `${kind} ${dueOn}`;
  const next = wanted(contract);
  const names = new Set(next.map(nameOf));
  const left = compliance.notices.filter(
    (notice) => notice.kind !== "renewal" || notice.sent_at !== null || names.has(nameOf(notice)),
  );
  const known = new Set(left.map(nameOf));
  const notices = [...left, ...next.filter((notice) => !known.has(nameOf(notice)))];
  // The next reminder follows from the last one, however many other notices came after it.
  const last = notices.slice(0, -NOTICES_KEPT).filter(isReminder).slice(-1);
  return { ...compliance, notices: [...last, ...notices.slice(-NOTICES_KEPT)] };
}

function wanted(contract: Terms): Notice[] {
  const { compliance, trial_ends_on: trialEnds, start_date: start, renewal_notice_days: ownDays } = contract;
  const isUk = compliance.profile === "uk_dmcc";
  const next = billingDate(contract, nextUnskipped(contract));
  const notices: Notice[] = [];
  const add = (kind: Notice["kind"], dueOn: string): void => {
    // Nothing is announced before it was agreed.
    if (dueOn >= start) notices.push({ kind, due_on: dueOn, sent_at: null });
  };
  const isFirst = contract.next_cycle === 0;
  if (isUk && isFirst) add("cooling_off", addDays(start, 1));
  if (isUk && isFirst && trialEnds !== null)
    add("trial_ending", addDays(trialEnds, -UK_DMCC.trialNoticeDays));
  const days = ownDays ?? (isUk && isLong(contract.billing) ? UK_DMCC.renewalNoticeDays : null);
  if (days !== null && !isFirst) add("renewal", addDays(next, -days));
  if (isUk && !isLong(contract.billing)) add("reminder", nextReminder(contract));
  return notices;
}

function nextUnskipped({ next_cycle: next, overrides }: Terms): number {
  let index = next;
  while (overrides[String(index)]?.skip === true) index += 1;
  return index;
}

const isReminder = ({ kind }: Notice): boolean => kind === "reminder";

/** Every six months from the start, the first after the last one that was planned. */
function nextReminder({ compliance, start_date: start }: Terms): string {
  const last = compliance.notices.findLast(isReminder);
  if (last !== undefined && last.sent_at === null) return last.due_on;
  const after = last?.due_on ?? start;
  let months = UK_DMCC.reminderMonths;
  while (addMonths(start, months) <= after) months += UK_DMCC.reminderMonths;
  return addMonths(start, months);
}

const coolingOffFrom = (from: string, kind: "initial" | "renewal") => ({
  from,
  to: addDays(from, UK_DMCC.coolingOffDays),
  kind,
});

const isLong = ({ interval_unit: unit, interval_count: count }: Contract["billing"]): boolean =>
  unit === "year" || (unit === "month" && count >= UK_DMCC.longCycleMonths);

/** True while the consumer may step back without a reason. */
export const isCoolingOff = ({ compliance }: Pick<Contract, "compliance">, today: string): boolean =>
  compliance.cooling_off.some(({ from, to }) => from <= today && today < to);
