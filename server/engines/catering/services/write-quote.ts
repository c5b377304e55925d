import { isDeepStrictEqual } from "node:util";

import { invalidField } from "../../../lib/errors.ts";
import type { Stored } from "../../../core/tx.ts";
import { accounts, policies, readPolicy } from "../repository.ts";
import { defaultValidUntil, draftFault, fillDraft } from "../rules/draft-quote.ts";
import type { Account } from "../schema/account.ts";
import type { DepositRule, EventInfo, Line, NewLine } from "../schema/parts.ts";
import type { NewQuote, QuotePatch } from "../schema/requests.ts";
import type { Quote } from "../schema.ts";
import type { CateringWork } from "./work.ts";
import { newResource } from "../../../lib/new-resource.ts";

/** Lines with ids: those without one get it here. */
export const withIds = (lines: readonly NewLine[], newId: CateringWork["newId"]): Line[] =>
  lines.map((line) => ({ ...line, id: line.id ?? newId("lin") }));

/** The first and the last day of events: their deadlines, long before, and their local times are instants of RFC 3339, too. */
const EVENT_DATES = { first: "1900-01-01", last: "9998-12-31" } as const;

/** The event of a quote or an order; throws 422 for a date beyond `EVENT_DATES`. */
export function toEvent(given: NewQuote["event"], work: Pick<CateringWork, "settings">): EventInfo {
  const { first, last } = EVENT_DATES;
  if (given.date < first || given.date > last)
    throw invalidField(["event", "date"], `Send a date from ${first} to ${last}.`);
  return { ...given, timezone: given.timezone ?? work.settings.timezone };
}

const toHeadcount = ({ estimate, max, min }: NewQuote["headcount"]): Quote["headcount"] => ({
  estimate,
  min: min ?? estimate,
  max: max ?? estimate,
});

/** What a draft is made in: nothing of it reaches anybody. */
export type DraftWork = Omit<CateringWork, "ports" | "words">;

/** A new quote of a number, with all that follows from what the caller wrote. Throws 422 for what does not fit. */
export async function newQuote(work: DraftWork, body: NewQuote, number: number): Promise<Quote> {
  const { settings, now, nowAt } = work;
  const event = toEvent(body.event, work);
  const policyId = body.policy_id === undefined ? settings.policy_id : body.policy_id;
  const account = await accountOf(work, body.account_id);
  if (account === null && body.prospect === null) {
    throw invalidField(["prospect"], "Send `account_id` or `prospect`.");
  }
  const policy = await policyOf(work, policyId);
  const base: Quote = {
    ...newResource(work.newId("cqt"), nowAt),
    number,
    account_id: body.account_id,
    prospect: body.prospect,
    status: "draft",
    current_version: 1,
    total: 0,
    title: body.title,
    currency: account?.value.currency ?? settings.currency,
    tax_included: settings.tax_included,
    lines: withIds(body.lines, work.newId),
    totals: EMPTY_TOTALS,
    deposit_schedule: [],
    event,
    headcount: toHeadcount(body.headcount),
    dietary: body.dietary.length === 0 ? (account?.value.dietary_defaults ?? []) : body.dietary,
    terms: body.terms ?? settings.terms,
    policy,
    policy_id: policyId,
    valid_until: body.valid_until ?? defaultValidUntil(event, policy, now),
    hash: null,
    sent_at: null,
    sent_to: null,
    first_viewed_at: null,
    acceptance: null,
    approval: null,
    closed_reason: "",
    order_id: null,
    reminders: [],
    metadata: body.metadata,
  };
  return filled(base, account?.value ?? null, body.deposits ?? null);
}

/** A draft after a patch. Deposits that are not given are worked out again by the policy. */
export async function patchedQuote(work: CateringWork, quote: Quote, body: QuotePatch): Promise<Quote> {
  const { deposits, event, headcount, lines, policy_id: policyId, ...plain } = body;
  const named = Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined));
  const next: Quote = {
    ...quote,
    ...named,
    ...(event === undefined ? {} : { event: toEvent(event, work) }),
    ...(headcount === undefined ? {} : { headcount: toHeadcount(headcount) }),
    ...(lines === undefined ? {} : { lines: withIds(lines, work.newId) }),
    ...(policyId === undefined ? {} : { policy_id: policyId, policy: await policyOf(work, policyId) }),
    updated_at: work.nowAt,
  };
  if (next.account_id === null && next.prospect === null) {
    throw invalidField(["prospect"], "Send `account_id` or `prospect`.");
  }
  const account = await accountOf(work, next.account_id);
  const currency =
    body.account_id === undefined ? quote.currency : (account?.value.currency ?? work.settings.currency);
  return filled({ ...next, currency }, account?.value ?? null, deposits ?? rulesOf(quote, body));
}

/** The shares that a quote has, kept through a patch of something else. */
const rulesOf = (quote: Quote, body: QuotePatch): DepositRule[] | null =>
  body.policy_id !== undefined || body.account_id !== undefined
    ? null
    : quote.deposit_schedule.map(({ bps, due }) => ({ bps, due }));

function filled(quote: Quote, account: Account | null, deposits: readonly DepositRule[] | null): Quote {
  // Standing needs are those of all who eat there, however many come.
  const isStanding = isDeepStrictEqual(quote.dietary, account?.dietary_defaults);
  const fault = draftFault(quote.headcount, isStanding ? [] : quote.dietary, quote.lines);
  if (fault !== null) throw invalidField(fault.path, fault.detail);
  return { ...quote, ...fillDraft({ ...quote, deposits, account }) };
}

async function accountOf(
  { tx }: Pick<CateringWork, "tx">,
  id: string | null,
): Promise<Stored<Account> | null> {
  if (id === null) return null;
  const account = await tx.get(accounts, id);
  if (account === null) throw invalidField(["account_id"], "No such account.");
  if (account.value.status === "closed") throw invalidField(["account_id"], "The account is closed.");
  return account;
}

export async function policyOf({ tx }: Pick<CateringWork, "tx">, id: string | null) {
  if (id !== null && (await tx.get(policies, id)) === null)
    throw invalidField(["policy_id"], "No such policy.");
  return readPolicy(tx, id);
}

const EMPTY_TOTALS: Quote["totals"] = {
  subtotal: 0,
  discount: 0,
  fees: 0,
  tax: 0,
  tax_included: true,
  taxes: [],
  total: 0,
  per_head: null,
  lines: [],
};
