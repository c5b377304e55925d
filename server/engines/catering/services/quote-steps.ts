import { derivedId } from "../../../core/ids.ts";
import type { Stored } from "../../../core/tx.ts";
import { accounts, nextNumber, orders, quotes, quoteVersions, versionId } from "../repository.ts";
import { answerRefusal } from "../rules/accept-quote.ts";
import { localDateAt } from "../../../lib/local-time.ts";
import type { Claim } from "../rules/credit.ts";
import { approvalNeeded, poFault } from "../rules/credit.ts";
import { acceptedSchedule } from "../rules/deposit-schedule.ts";
import { contentOf, endOf, sendRefusal } from "../rules/draft-quote.ts";
import { claimOf, isSecured, newOrder } from "../rules/new-order.ts";
import { quoteHash } from "../rules/quote-hash.ts";
import { mayTake } from "../rules/quote-state.ts";
import type { Account } from "../schema/account.ts";
import type { Order } from "../schema/order.ts";
import type { Party } from "../schema/parts.ts";
import type { Acceptance, Quote } from "../schema.ts";
import { approvalMail, quoteMail } from "./mails.ts";
import { claimFault, saveOrder } from "./save-order.ts";
import { emit, invalidState, mail, refused } from "./work.ts";
import { chosenMembers } from "../rules/choose-lines.ts";
import type { Choice } from "../rules/choose-lines.ts";
import type { CateringWork } from "./work.ts";
import { newResource } from "../../../lib/new-resource.ts";

/** Who a quote speaks to. */
export async function contactOf({ tx }: Pick<CateringWork, "tx">, quote: Quote): Promise<Party> {
  if (quote.account_id === null) return quote.prospect ?? { name: "Customer", email: "", company: "" };
  const { billing_contacts: contacts, legal_name: company } = (await tx.require(accounts, quote.account_id))
    .value;
  const [first] = contacts;
  return { name: first?.name ?? company, email: first?.email ?? "", company };
}

/** draft → sent: the version is frozen and hashed, and the customer gets its link. */
export async function sendQuote(
  work: CateringWork,
  stored: Stored<Quote>,
  { to, message }: { readonly to: string | null; readonly message: string },
): Promise<Stored<Quote>> {
  const { status } = stored.value;
  if (!mayTake("send", status)) throw invalidState(`The quote is ${status} and cannot be sent. Revise it.`);
  const quote = { ...stored.value, valid_until: endOf(stored.value) };
  const refusal = sendRefusal(quote, work.now);
  if (refusal !== null) throw refused(refusal);
  const contact = await contactOf(work, quote);
  const v = quote.current_version;
  const content = contentOf(quote);
  const hash = quoteHash(quote.id, v, content);
  const sentTo = to ?? contact.email;
  const { nowAt, tx } = work;
  tx.create(quoteVersions, {
    ...newResource(versionId(quote.id, v), nowAt),
    quote_id: quote.id,
    number: quote.number,
    v,
    hash,
    sent_at: nowAt,
    sent_to: sentTo,
    content,
  });
  const sent: Quote = { ...quote, status: "sent", hash, sent_at: nowAt, sent_to: sentTo, reminders: [] };
  emit(work, "quote.sent", quote.id, { v, total: quote.total, currency: quote.currency });
  const about = ["quote", quote.id, String(v)];
  const storeMail = quoteMail(work, sent, contact.name, message);
  await mail(work, { about, to: sentTo, person: contact.email, ...storeMail });
  return tx.put(quotes, stored, { ...sent, updated_at: nowAt });
}

/** The customer looked at it. */
export function viewQuote(work: CateringWork, stored: Stored<Quote>): Stored<Quote> {
  if (!mayTake("view", stored.value.status)) return stored;
  emit(work, "quote.viewed", stored.id, { v: stored.value.current_version });
  return work.tx.put(quotes, stored, {
    ...stored.value,
    status: "viewed",
    first_viewed_at: stored.value.first_viewed_at ?? work.nowAt,
    updated_at: work.nowAt,
  });
}

export type Answer = Omit<Acceptance, "at">;

export interface HowAccepted {
  /** Whatever the credit of the account. */
  readonly force?: boolean;
  /** The version with other optional lines than it was sent with; the answer's hash is the choice's. */
  readonly choice?: Choice;
}

/**
 * The customer says yes to a version, as its hash says it was shown. The same answer twice changes nothing. The account
 * must bear the purchase order; above its limit of approval an approver is asked first; and with credit enough, or
 * without credit at all, the order is made at once.
 */
export async function acceptQuote(
  work: CateringWork,
  stored: Stored<Quote>,
  answer: Answer,
  { force = false, choice }: HowAccepted = {},
): Promise<Stored<Quote>> {
  const isChosen = choice !== undefined && stored.value.acceptance === null;
  const quote: Quote = isChosen ? { ...stored.value, ...chosenMembers(choice) } : stored.value;
  const refusal = answerRefusal(quote, answer, work.now);
  if (refusal !== null) throw refused(refusal);
  if (quote.acceptance !== null) return stored;
  const account = quote.account_id === null ? null : await work.tx.require(accounts, quote.account_id);
  const accepted: Quote = { ...quote, status: "accepted", acceptance: { ...answer, at: work.nowAt } };
  const claim = claimOfQuote(accepted);
  const fault = account === null ? null : poFault(account.value, null, claim);
  if (fault !== null) throw refused(fault);
  emit(work, "quote.accepted", quote.id, { v: answer.v, total: quote.total, by: answer.by });
  const needed = account === null ? null : approvalNeeded(account.value, claim);
  if (needed !== null) {
    const waiting: Quote = {
      ...accepted,
      status: "awaiting_approval",
      approval: { ...needed, decided_at: null, decision: null },
    };
    if (needed.approver_email !== null) {
      const about = ["approval", quote.id, String(answer.v)];
      const to = needed.approver_email;
      await mail(work, { about, to, person: answer.email, ...approvalMail(work, waiting) });
    }
    return putQuote(work, stored, waiting);
  }
  return convertIfBorne(work, stored, accepted, { account, force });
}

const putQuote = ({ tx, nowAt }: CateringWork, before: Stored<Quote>, quote: Quote): Stored<Quote> =>
  tx.put(quotes, before, { ...quote, updated_at: nowAt });

const claimOfQuote = (quote: Quote): Claim => ({
  ref: quote.id,
  kind: "order",
  exposure: quote.total,
  spend: quote.total,
  po_number: quote.acceptance?.po_number ?? null,
  cost_centre: quote.acceptance?.cost_centre ?? null,
  on: quote.event.date,
});

/** The approver's decision. The link is for this version and for one decision: a second attempt is shown the first. */
export async function decideQuote(
  work: CateringWork,
  stored: Stored<Quote>,
  decision: "approved" | "rejected",
): Promise<Stored<Quote>> {
  const quote = stored.value;
  if (!mayTake("decide", quote.status) || quote.approval === null) {
    throw invalidState(`The quote is ${quote.status.replace("_", " ")} and waits for no approval.`);
  }
  const decided: Quote = { ...quote, approval: { ...quote.approval, decision, decided_at: work.nowAt } };
  if (decision === "rejected") {
    emit(work, "quote.declined", quote.id, { v: quote.current_version, by: "approver" });
    return putQuote(work, stored, {
      ...decided,
      status: "declined",
      closed_reason: "Not approved by the customer.",
    });
  }
  const account = quote.account_id === null ? null : await work.tx.require(accounts, quote.account_id);
  return convertIfBorne(work, stored, { ...decided, status: "accepted" }, { account, force: false });
}

/** accepted → converted by hand: where the account did not bear it before. `force` looks past the limit, and past an approval that does not come. */
export async function convertQuote(
  work: CateringWork,
  stored: Stored<Quote>,
  force: boolean,
): Promise<Stored<Quote>> {
  const quote = stored.value;
  if (quote.status === "converted") return stored;
  if (!mayTake("convert", quote.status))
    throw invalidState(`The quote is ${quote.status} and cannot become an order.`);
  if (quote.status === "awaiting_approval" && !force)
    throw invalidState(
      "The quote is awaiting approval. Convert it with `force`, which needs catering:manage.",
    );
  const account = quote.account_id === null ? null : await work.tx.require(accounts, quote.account_id);
  const order = orderOf(quote, await contactOf(work, quote), account?.value ?? null, work);
  const claim = claimOf(order);
  const fault = account === null || claim === null ? null : claimFault(account.value, null, claim, force);
  if (fault !== null) throw refused(fault);
  return convert(work, stored, quote, order);
}

/** Creates the order when the account's credit and purchase order bear it; otherwise the quote stays accepted and the store is notified. */
async function convertIfBorne(
  work: CateringWork,
  stored: Stored<Quote>,
  quote: Quote,
  { account, force }: { readonly account: Stored<Account> | null; readonly force: boolean },
): Promise<Stored<Quote>> {
  const order = orderOf(quote, await contactOf(work, quote), account?.value ?? null, work);
  const claim = claimOf(order);
  const fault = account === null || claim === null ? null : claimFault(account.value, null, claim, force);
  if (account !== null && fault !== null) {
    emit(work, "account.over_limit", account.id, { quote_id: quote.id, reason: fault.code });
    return putQuote(work, stored, quote);
  }
  return convert(work, stored, quote, order);
}

async function convert(
  work: CateringWork,
  stored: Stored<Quote>,
  quote: Quote,
  order: Order,
): Promise<Stored<Quote>> {
  // One order for a version (C8): its id follows from it.
  if ((await work.tx.get(orders, order.id)) === null) {
    const number = await nextNumber(work.tx, "orders");
    await saveOrder(work, null, { ...order, number }, { check: false });
    emit(work, "quote.converted", quote.id, { order_id: order.id });
    if (order.status === "confirmed")
      emit(work, "order.confirmed", order.id, { total: order.total, currency: order.currency });
  }
  return putQuote(work, stored, { ...quote, status: "converted", order_id: order.id });
}

function orderOf(quote: Quote, contact: Party, account: Account | null, work: CateringWork): Order {
  const { acceptance } = quote;
  const today = localDateAt(work.now, quote.event.timezone);
  const order = newOrder(
    {
      id: derivedId("cor", new Uint8Array(), [quote.id, String(quote.current_version)]),
      number: 1,
      account_id: quote.account_id,
      contact: acceptance === null ? contact : { ...contact, name: acceptance.name, email: acceptance.email },
      quote_id: quote.id,
      quote_version: quote.current_version,
      title: quote.title,
      currency: quote.currency,
      tax_included: quote.tax_included,
      lines: quote.lines,
      deposit_schedule: acceptedSchedule(quote.deposit_schedule, today),
      policy: quote.policy,
      payment_terms: account?.terms ?? { kind: "prepay", days: 0 },
      event: quote.event,
      dietary: quote.dietary,
      po_number: acceptance?.po_number ?? null,
      cost_centre: acceptance?.cost_centre ?? null,
      metadata: quote.metadata,
      heads: quote.headcount.estimate,
    },
    work,
  );
  return { ...order, status: isSecured(order, today) ? "confirmed" : "tentative" };
}

/** The customer says no, or the store withdraws it. */
export function closeQuote(
  work: CateringWork,
  stored: Stored<Quote>,
  step: { readonly action: "decline" | "withdraw" | "expire"; readonly reason: string },
): Stored<Quote> {
  const { action, reason } = step;
  const status = CLOSED[action];
  if (stored.value.status === status) return stored;
  if (!mayTake(action, stored.value.status)) {
    throw invalidState(`The quote is ${stored.value.status.replace("_", " ")} and cannot be ${status}.`);
  }
  const v = stored.value.current_version;
  if (action === "decline") emit(work, "quote.declined", stored.id, { v, reason });
  if (action === "expire") emit(work, "quote.expired", stored.id, { v });
  return putQuote(work, stored, { ...stored.value, status, closed_reason: reason });
}

const CLOSED = { decline: "declined", withdraw: "withdrawn", expire: "expired" } as const;
