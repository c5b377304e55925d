import { sum } from "../../../lib/money.ts";
import type { Account } from "../schema/account.ts";

/** What an account's books say of an order or invoice: it is owed or reserved, and uses a PO and a budget. */
export interface Claim {
  readonly ref: string;
  readonly kind: "order" | "invoice";
  /** Not paid yet: counts against the credit limit. */
  readonly exposure: number;
  /** The whole of it: uses up a purchase order and a budget. 0 for an invoice, whose orders did. */
  readonly spend: number;
  readonly po_number: string | null;
  readonly cost_centre: string | null;
  /** Day of the event: the budget's period and the PO's life go by it. */
  readonly on: string;
}

export interface CreditFault {
  readonly code:
    | "account_not_active"
    | "over_credit_limit"
    | "too_many_open"
    | "po_required"
    | "po_unknown"
    | "po_expired"
    | "po_exhausted"
    | "po_malformed"
    | "cost_centre_unknown";
  readonly detail: string;
}

type Books = Pick<Account, "exposure" | "open_items" | "spend" | "po" | "cost_centres">;

const OPEN_MAX = 500;
const SPEND_MAX = 400;

/**
 * The books after a claim came in the place of another: exposure is always the sum of the open items, a purchase order's
 * use and a budget's spend follow. Null on either side is no claim. Nothing is refused here.
 */
export function rebook<A extends Books>(account: A, before: Claim | null, after: Claim | null): A {
  const refs = new Set([before?.ref, after?.ref]);
  const others = account.open_items.filter(({ ref }) => !refs.has(ref));
  const own =
    after !== null && after.exposure > 0
      ? [{ ref: after.ref, kind: after.kind, amount: after.exposure }]
      : [];
  const items = [...others, ...own];
  return {
    ...account,
    open_items: items,
    exposure: sum(items.map(({ amount }) => amount)),
    po: { ...account.po, open_pos: usePo(usePo(account.po.open_pos, before, -1), after, 1) },
    spend: addSpend(addSpend(account.spend, account, before, -1), account, after, 1),
  };
}

/** Purchase orders with what a claim uses of them, or gives back. */
export function usePo(
  pos: Account["po"]["open_pos"],
  claim: Claim | null,
  sign: 1 | -1,
): Account["po"]["open_pos"] {
  if (claim?.po_number === null || claim === null) return pos;
  return pos.map((po) =>
    po.number === claim.po_number ? { ...po, used: Math.max(0, po.used + sign * claim.spend) } : po,
  );
}

/** The spend of an account with what a claim adds to it, or takes away. */
export function addSpend(
  spend: Account["spend"],
  { cost_centres: centres }: Pick<Account, "cost_centres">,
  claim: Claim | null,
  sign: 1 | -1,
): Account["spend"] {
  const budget = centres.find(({ code }) => code === claim?.cost_centre)?.budget ?? null;
  if (claim === null || claim.cost_centre === null || budget === null || claim.spend === 0) return spend;
  const code = claim.cost_centre;
  const period = periodOf(claim.on, budget.period);
  const known = spend.find((entry) => entry.code === code && entry.period === period);
  const amount = Math.max(0, (known?.amount ?? 0) + sign * claim.spend);
  const rest = spend.filter((entry) => entry !== known);
  return amount === 0 ? rest : [...rest, { code, period, amount }].slice(-SPEND_MAX);
}

/** The budget period that a day belongs to: 2026-06, 2026-Q2, 2026. */
export function periodOf(date: string, period: "month" | "quarter" | "year"): string {
  if (period === "month") return date.slice(0, 7);
  if (period === "year") return date.slice(0, 4);
  return `${date.slice(0, 4)}-Q${Math.ceil(Number(date.slice(5, 7)) / 3)}`;
}

/** What may still be ordered; negative when more is owed than the limit. */
export const available = ({
  credit_limit: limit,
  exposure,
}: Pick<Account, "credit_limit" | "exposure">): number => limit - exposure;

/** Why an account's standing and limit do not allow a claim in the place of another (C4); null when they do. */
export function creditFault(account: Account, before: Claim | null, after: Claim): CreditFault | null {
  if (account.status !== "active") {
    return { code: "account_not_active", detail: `The account is ${account.status.replace("_", " ")}.` };
  }
  const next = rebook(account, before, after);
  if (next.open_items.length > OPEN_MAX) {
    return { code: "too_many_open", detail: `The account has ${OPEN_MAX} open orders and invoices.` };
  }
  // What does not add to the exposure is always allowed: a smaller order cures an account that is over its limit.
  if (next.exposure <= account.exposure || next.exposure <= account.credit_limit) return null;
  return {
    code: "over_credit_limit",
    detail: `This needs ${next.exposure - account.exposure} of the ${Math.max(0, available(account))} minor units that are left of the credit limit.`,
  };
}

/** Why a purchase order or cost centre does not serve for a claim (C5); null when it does. */
export function poFault(account: Account, before: Claim | null, after: Claim): CreditFault | null {
  const { po, cost_centres: centres } = account;
  const { cost_centre: centre, po_number: number } = after;
  if (centre !== null && !centres.some(({ code }) => code === centre)) {
    return { code: "cost_centre_unknown", detail: `The account has no cost centre ${centre}.` };
  }
  if (number === null) {
    return po.required ? { code: "po_required", detail: "The account needs a purchase order number." } : null;
  }
  if (po.pattern !== null && !fitsPattern(number, po.pattern)) {
    return { code: "po_malformed", detail: `A purchase order number looks like ${po.pattern}.` };
  }
  const open = po.open_pos.find((entry) => entry.number === number);
  // Who lists no purchase orders does not count them: the number is only printed.
  if (open === undefined) {
    return po.open_pos.length === 0
      ? null
      : { code: "po_unknown", detail: `${number} is no open purchase order of the account.` };
  }
  if (open.expires_on !== null && open.expires_on < after.on) {
    return { code: "po_expired", detail: `${number} ended on ${open.expires_on}.` };
  }
  const used = rebook(account, before, after).po.open_pos.find((entry) => entry.number === number)?.used ?? 0;
  return used <= open.limit || used <= open.used
    ? null
    : {
        code: "po_exhausted",
        detail: `${number} has ${Math.max(0, open.limit - open.used)} minor units left.`,
      };
}

const PLACES: Readonly<Record<string, RegExp>> = { "#": /^\d$/, "@": /^\p{L}$/u };

/** Whether a number has the shape of a pattern. No regular expression of a customer's is ever run. */
export function fitsPattern(number: string, pattern: string): boolean {
  const chars = Array.from(number);
  const places = Array.from(pattern);
  return (
    chars.length === places.length &&
    places.every((place, at) => {
      const char = chars[at] ?? "";
      return PLACES[place]?.test(char) ?? place.toUpperCase() === char.toUpperCase();
    })
  );
}

export interface ApprovalNeeded {
  readonly reason: "above_amount" | "over_budget";
  readonly approver_email: string | null;
}

/** Whether a person at the customer must approve a claim first, and who; null when none must. */
export function approvalNeeded(account: Account, claim: Claim): ApprovalNeeded | null {
  const centre = account.cost_centres.find(({ code }) => code === claim.cost_centre);
  const approver = centre?.approver_email ?? account.approval.approver_email;
  const { above_amount: above } = account.approval;
  if (above !== null && claim.spend > above) return { reason: "above_amount", approver_email: approver };
  if (centre?.budget === null || centre === undefined) return null;
  const period = periodOf(claim.on, centre.budget.period);
  const spent = account.spend.find((entry) => entry.code === centre.code && entry.period === period);
  return (spent?.amount ?? 0) + claim.spend > centre.budget.amount
    ? { reason: "over_budget", approver_email: approver }
    : null;
}
