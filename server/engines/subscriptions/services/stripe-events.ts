import { z } from "zod";

import { toInstant } from "../../../lib/instant.ts";
import { mapPage } from "../../../core/map-page.ts";
import { callbacks, charges, contracts, filed, paymentMethods } from "../repository.ts";
import { selfServiceUrl } from "../rules/self-service.ts";
import { Intent, StripeRefund, toIntentResult, toRefundResult } from "../rules/stripe-answer.ts";
import type { Gateway } from "../schema/payment.ts";
import { retryNow } from "./attempts.ts";
import { closeWork, openWork, chargeOf } from "./contract-work.ts";
import type { OpenedContract, ContractWork } from "./contract-work.ts";
import { expiryOfCard, readSavedCard, saveCard, StripeCard, stripeMethodId } from "./cards.ts";
import { requireBody } from "./gateways/stripe-api.ts";
import type { StripeApi } from "./gateways/stripe-api.ts";
import { callbackId, isRepeated, receiveResult } from "./receive.ts";
import type { Received } from "./receive.ts";
import { readSession } from "./payment-pages.ts";
import { returnRefund } from "./refunds.ts";
import type { LongWork } from "../../../core/ports.ts";
import { decide } from "../rules/apply-result.ts";
import type { Contract } from "../schema.ts";
import type { Charge } from "../schema/charge.ts";

/** What is read of an event of Stripe (https://docs.stripe.com/api/events/object). */
export const StripeEvent = z.object({
  id: z.string().max(200),
  type: z.string(),
  data: z.object({ object: z.unknown() }),
});
export type StripeEvent = z.output<typeof StripeEvent>;

type Outcome = Received["outcome"];

interface Receiver {
  readonly work: LongWork;
  readonly gateway: Gateway;
  readonly api: StripeApi;
}

/**
 * Applies an event of Stripe once. Events come late, repeatedly and in any order: each is applied as a report about its
 * payment, which never moves a definite state back. `unknown`: it concerns nothing of this store.
 */
export async function receiveStripe(to: Receiver, event: StripeEvent): Promise<Outcome> {
  const object = event.data.object;
  if (event.type.startsWith("payment_intent.")) return receiveIntent(to, event.id, object);
  if (event.type.startsWith("refund.")) return receiveRefund(to, event.id, object);
  if (event.type.startsWith("charge.dispute.")) return receiveDispute(to, event.id, object);
  if (event.type.startsWith("payment_method.")) return receiveCard(to, event, object);
  return event.type === "checkout.session.completed" ? receiveSession(to, event.id, object) : "unknown";
}

async function receiveIntent(
  { work, gateway }: Receiver,
  eventId: string,
  object: unknown,
): Promise<Outcome> {
  const intent = Intent.safeParse(object);
  if (!intent.success) return "unknown";
  const { attempt_id: key, contract_id: contractId = "" } = intent.data.metadata;
  const result = toIntentResult(intent.data, selfServiceUrl(work.ports, work.part, contractId));
  if (key === undefined || result === null) return "unknown";
  const received = await work.runTx(work.part, (tx) =>
    receiveResult(work, tx, gateway.id, { eventId, key, result }),
  );
  return received.outcome;
}

async function receiveSession(
  { work, gateway, api }: Receiver,
  eventId: string,
  object: unknown,
): Promise<Outcome> {
  const session = z.object({ id: z.string(), mode: z.string().nullish() }).safeParse(object);
  if (session.data?.mode === "payment") {
    const payment = await readSession(api, session.data.id);
    if (payment === null) return "unknown";
    await work.ports.engines.takePagePayment(work, payment);
    return "applied";
  }
  const saved = session.success ? await readSavedCard(api, session.data.id) : null;
  if (saved === null) return "unknown";
  return change(work, { gateway, eventId, contractId: saved.contractId }, async (opened) => {
    await saveCard(opened, gateway, saved.card);
  });
}

async function receiveRefund(
  { work, gateway }: Receiver,
  eventId: string,
  object: unknown,
): Promise<Outcome> {
  const refund = StripeRefund.safeParse(object);
  const id = refund.data?.metadata?.["refund_id"];
  if (!refund.success || id === undefined) return "unknown";
  const answer = toRefundResult(refund.data);
  if (answer.status !== "failed") return "unknown";
  const chargeId = id.replace(/-r\d+$/, "");
  return change(work, { gateway, eventId, chargeId }, async (opened) => {
    returnRefund(opened, chargeId, id, answer.detail);
  });
}

async function receiveDispute(
  { work, gateway, api }: Receiver,
  eventId: string,
  object: unknown,
): Promise<Outcome> {
  const dispute = StripeDispute.safeParse(object);
  const ref = dispute.data?.payment_intent ?? null;
  if (!dispute.success || ref === null) return "unknown";
  // A dispute does not have the metadata of its payment.
  const sent = await api.get(`/v1/payment_intents/${encodeURIComponent(ref)}`);
  const intent = Intent.safeParse(requireBody(sent)).data;
  const chargeId = intent?.metadata["charge_id"];
  if (chargeId === undefined) return "unknown";
  return change(work, { gateway, eventId, chargeId }, async (opened) => {
    recordDispute(opened, chargeId, dispute.data);
  });
}

/** A card that its bank replaced, that was changed, or that was removed at Stripe. */
async function receiveCard(
  { work, gateway }: Receiver,
  event: StripeEvent,
  object: unknown,
): Promise<Outcome> {
  const card = StripeCard.safeParse(object);
  if (!card.success) return "unknown";
  const id = stripeMethodId(work.part, gateway.id, card.data.id);
  const isGone = event.type === "payment_method.detached";
  const { outcome, customerId } = await work.runTx(work.part, async (tx) => {
    const known = await tx.get(paymentMethods, id);
    if (known === null) return { outcome: "unknown" as const };
    if ((await tx.get(callbacks, callbackId(gateway.id, event.id))) !== null)
      return { outcome: "repeated" as const };
    const { brand = known.value.brand, last4 = known.value.last4 } = card.data.card ?? {};
    tx.put(paymentMethods, known, {
      ...known.value,
      ...(isGone
        ? { status: "revoked" as const }
        : { brand, last4, expires: expiryOfCard(card.data) ?? known.value.expires }),
      updated_at: toInstant(work.now),
    });
    return { outcome: "applied" as const, customerId: known.value.customer_id };
  });
  if (customerId === undefined) return outcome;
  if (!isGone) await retryWith(work, customerId, id);
  // Last: where the process dies before, the event comes again.
  await work.runTx(work.part, (tx) => isRepeated(work, tx, gateway.id, event.id));
  return outcome;
}

const CONTRACTS_READ = 100;

/**
 * Tries failed charges of the contracts that pay with a card once more, because the card has changed. Each has a commit of its own: the
 * charges of all of them are more than one takes, and than are in memory at a time.
 */
async function retryWith(work: LongWork, customerId: string, methodId: string): Promise<void> {
  const owned = { index: "by", value: filed("customer", customerId), limit: CONTRACTS_READ };
  const isMeant = ({ payment_method_id: own, status }: Contract): boolean =>
    own === methodId && status === "past_due";
  const { items } = await work.runTx(work.part, (tx) =>
    mapPage(tx, contracts, owned, ({ id, value }) => (isMeant(value) ? id : null)),
  );
  for (const id of items) {
    if (id === null) continue;
    await work.runTx(work.part, async (tx) => {
      const stored = await tx.require(contracts, id);
      if (!isMeant(stored.value)) return;
      const opened = await openWork(work, tx, stored);
      retryNow(opened);
      await closeWork(opened);
    });
  }
}

interface Target {
  readonly gateway: Gateway;
  readonly eventId: string;
  readonly chargeId?: string;
  readonly contractId?: string;
}

/** Changes the contract of a charge, or a contract, once per event. */
function change(
  work: LongWork,
  target: Target,
  apply: (opened: OpenedContract) => Promise<void>,
): Promise<Outcome> {
  const { gateway, eventId, chargeId } = target;
  return work.runTx(work.part, async (tx) => {
    const charge = chargeId === undefined ? null : await tx.get(charges, chargeId);
    const contractId = charge?.value.contract_id ?? target.contractId;
    const contract = contractId === undefined ? null : await tx.get(contracts, contractId);
    if (contract === null) return "unknown";
    if (await isRepeated(work, tx, gateway.id, eventId)) return "repeated";
    const opened = await openWork(work, tx, contract, chargeId === undefined ? [] : [chargeId]);
    await apply(opened);
    await closeWork(opened);
    return "applied";
  });
}

/** What is read of a dispute of Stripe (https://docs.stripe.com/api/disputes/object). */
const StripeDispute = z.object({
  id: z.string(),
  payment_intent: z.string().nullish(),
  amount: z.int(),
  reason: z.string(),
  status: z.string(),
  evidence_details: z.object({ due_by: z.int().nullish() }).nullish(),
});
type StripeDispute = z.output<typeof StripeDispute>;

const SECOND_MS = 1000;

/** States after which nothing follows: events come in any order, and an older one does not reopen a dispute. */
const CLOSED: ReadonlySet<string> = new Set(["won", "lost", "closed"]);

/** Notes that a customer disputes a charge at the bank, and how the dispute goes on. */
function recordDispute(opened: ContractWork, chargeId: string, from: StripeDispute): void {
  const charge = chargeOf(opened, chargeId);
  const known = charge.dispute;
  if (known !== null && known.gateway_ref === from.id && CLOSED.has(known.status)) return;
  const status = statusOf(from.status);
  const dueBy = from.evidence_details?.due_by ?? null;
  const dispute: NonNullable<Charge["dispute"]> = {
    gateway_ref: from.id,
    amount: from.amount,
    reason: from.reason.slice(0, 80),
    status,
    respond_by: dueBy === null || CLOSED.has(status) ? null : toInstant(dueBy * SECOND_MS),
    updated_at: opened.nowAt,
  };
  const isNew = known?.gateway_ref !== from.id;
  const why = isNew ? `Disputed at the bank: ${dispute.reason}.` : `Dispute: ${status.replace("_", " ")}.`;
  opened.put(decide({ ...charge, dispute }, why, opened.now));
  const { amount, reason, respond_by } = dispute;
  opened.emit("charge.disputed", charge, { status, amount, reason, respond_by });
}

function statusOf(status: string): NonNullable<Charge["dispute"]>["status"] {
  if (status === "won" || status === "prevented") return "won";
  if (status === "lost") return "lost";
  if (status === "warning_closed") return "closed";
  return status.endsWith("under_review") ? "under_review" : "needs_response";
}
