import { z } from "zod";

import { derivedId } from "../../../core/ids.ts";
import { filed, gateways, gatewaySecrets, paymentMethods } from "../repository.ts";
import { readStripeToken } from "../rules/stripe-answer.ts";
import type { Contract } from "../schema.ts";
import type { Gateway, PaymentMethod } from "../schema/payment.ts";
import { findMethod } from "./attempts.ts";
import type { ContractWork } from "./contract-work.ts";
import { openStripe } from "./gateways/open.ts";
import { requireBody } from "./gateways/stripe-api.ts";
import type { StripeApi } from "./gateways/stripe-api.ts";
import { payWith } from "./lifecycle.ts";
import { newResource } from "../../../lib/new-resource.ts";

/** Where a customer of a contract can save a card: a gateway of the store and the customer's id there. */
export interface CardSetup {
  readonly api: StripeApi;
  readonly gateway: Gateway;
  /** Customer of Stripe to whom earlier cards belong; null before the first. */
  readonly customer: string | null;
}

const GATEWAYS_READ = 50;

/** The Stripe gateway that is in use for the contract, else the first active one of the store; null where there is none. */
export async function findCardSetup(opened: ContractWork): Promise<CardSetup | null> {
  const { tx, contract } = opened;
  const { items } = await tx.peekPage(gateways, { limit: GATEWAYS_READ });
  const usable = items.map(({ value }) => value).filter(({ kind, active }) => kind === "stripe" && active);
  const own = await findMethod(opened);
  const gateway = usable.find(({ id }) => id === own?.gateway_id) ?? usable.at(-1);
  if (gateway === undefined) return null;
  const api = await openApi(opened, gateway);
  if (api === null) return null;
  const which = { index: "customer", value: filed("customer", contract.customer.id) };
  const methods = await tx.peekPage(paymentMethods, { ...which, limit: GATEWAYS_READ });
  const known = methods.items.find(({ value: { gateway_id: id } }) => id === gateway.id);
  return { api, gateway, customer: readStripeToken(known?.value.token_ref ?? "")?.customer ?? null };
}

async function openApi({ tx, ports }: ContractWork, gateway: Gateway): Promise<StripeApi | null> {
  const secrets = await tx.get(gatewaySecrets, gateway.id);
  const apiKey = secrets?.value.api_key;
  return apiKey === undefined ? null : openStripe(ports, gateway, apiKey);
}

const Card = z.object({
  id: z.string(),
  customer: z.string().nullish(),
  card: z
    .object({ brand: z.string(), last4: z.string(), exp_month: z.number(), exp_year: z.number() })
    .nullish(),
});
export const StripeCard = Card;
export type StripeCard = z.output<typeof Card>;

const Session = z.object({
  status: z.string().nullish(),
  url: z.string().nullish(),
  customer: z.string().nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  setup_intent: z.object({ status: z.string(), payment_method: Card.nullish() }).nullish(),
});

/** Address of Stripe's own page on which the customer enters a card; null when Stripe gives none. */
export async function openCheckout(
  { api, customer }: CardSetup,
  contract: Contract,
  pageUrl: string,
): Promise<string | null> {
  const owner: Record<string, string> =
    customer === null
      ? { customer_creation: "always", customer_email: contract.customer.email }
      : { customer };
  const sent = await api.post("/v1/checkout/sessions", {
    mode: "setup",
    "allowed_payment_method_types[0]": "card",
    success_url: `${pageUrl}?session_id={CHECKOUT_SESSION_ID}`,
    cancel_url: pageUrl,
    client_reference_id: contract.id,
    "metadata[contract_id]": contract.id,
    ...owner,
  });
  return Session.safeParse(requireBody(sent)).data?.url ?? null;
}

/** The card that was saved in a session, with the contract for which; null while there is none. */
export async function readSavedCard(
  api: StripeApi,
  sessionId: string,
): Promise<{ readonly contractId: string; readonly card: StripeCard } | null> {
  const path = `/v1/checkout/sessions/${encodeURIComponent(sessionId)}`;
  const sent = await api.get(path, { "expand[0]": "setup_intent.payment_method" });
  const session = Session.safeParse(requireBody(sent)).data;
  const card = session?.setup_intent?.payment_method ?? null;
  const contractId = session?.metadata?.["contract_id"];
  if (session?.status !== "complete" || card === null || contractId === undefined) return null;
  return { contractId, card: { ...card, customer: card.customer ?? session.customer } };
}

/** The id of a card of Stripe here: it follows from the card, so that it is saved once. */
export const stripeMethodId = (part: string, gatewayId: string, methodId: string): string =>
  derivedId("pm", new Uint8Array(), [part, gatewayId, methodId]);

export const expiryOfCard = ({ card }: Pick<StripeCard, "card">): string | null =>
  card === null || card === undefined ? null : `${card.exp_year}-${String(card.exp_month).padStart(2, "0")}`;

/** Saves a card and pays with it from now on; null when it was saved before, since another may be chosen meanwhile. */
export async function saveCard(
  opened: ContractWork,
  gateway: Gateway,
  saved: StripeCard,
): Promise<PaymentMethod | null> {
  const { tx, contract } = opened;
  const id = stripeMethodId(opened.part, gateway.id, saved.id);
  if ((await tx.get(paymentMethods, id)) !== null) return null;
  const nowAt = opened.nowAt;
  const method: PaymentMethod = {
    ...newResource(id, nowAt),
    customer_id: contract.customer.id,
    gateway_id: gateway.id,
    token_ref: `${saved.customer ?? ""}/${saved.id}`,
    brand: saved.card?.brand ?? null,
    last4: saved.card?.last4 ?? null,
    expires: expiryOfCard(saved),
    status: "usable",
    metadata: {},
  };
  tx.create(paymentMethods, method);
  if (contract.status === "cancelled" || contract.status === "expired") return method;
  payWith(opened, id);
  opened.emit("contract.updated", null, { change: "payment_method_id" });
  return method;
}

const Confirmed = z.object({
  next_action: z.object({ redirect_to_url: z.object({ url: z.string() }).nullish() }).nullish(),
});

/**
 * Lets the customer, who is present now, confirm a payment that failed off session for want of it. Returns the bank's page;
 * null where there is nothing to do there, because it is paid or was refused: the next look-up of the payment shows which.
 */
export async function confirmPayment(
  api: StripeApi,
  payment: { readonly ref: string; readonly token: string; readonly returnUrl: string },
): Promise<string | null> {
  const method = readStripeToken(payment.token)?.method ?? "";
  const sent = await api.post(`/v1/payment_intents/${encodeURIComponent(payment.ref)}/confirm`, {
    payment_method: method,
    return_url: payment.returnUrl,
  });
  const confirmed = Confirmed.safeParse(requireBody(sent)).data;
  return confirmed?.next_action?.redirect_to_url?.url ?? null;
}
