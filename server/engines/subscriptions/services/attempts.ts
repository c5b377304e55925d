import { fromInstant, toInstant } from "../../../lib/instant.ts";
import { sha256Hex } from "../../../core/ids.ts";
import { filed, gateways, paymentMethods } from "../repository.ts";
import { openAttempt } from "../rules/agenda.ts";
import { applyAnswer, applyRefusal, decide } from "../rules/apply-result.ts";
import { isOwed, sourceOf } from "../rules/charge-state.ts";
import type { ChargeRequest, RefundRequest } from "../../../core/payments.ts";
import { attemptId } from "../rules/open-charge.ts";
import type { Attempt, Charge } from "../schema/charge.ts";
import { SUBSCRIPTION_LIMITS } from "../schema/parts.ts";
import type { Gateway, PaymentMethod } from "../schema/payment.ts";
import type { ContractWork } from "./contract-work.ts";
import { applyContextOf, follow } from "./effects.ts";

/** What has to be asked of a gateway once the commit that says so is durable. */
export type Call =
  | {
      readonly kind: "charge";
      readonly gateway: Gateway;
      readonly request: ChargeRequest;
      readonly n: number;
      /** Until when the claim is this worker's. */
      readonly leaseUntil: string;
    }
  | {
      readonly kind: "ask";
      readonly gateway: Gateway;
      readonly request: ChargeRequest;
      /** The gateway's own id of the payment, as far as it is known. */
      readonly gatewayRef: string | null;
      /** The customer's time to confirm is over: what is not decided now has failed. */
      readonly closing: boolean;
      readonly n: number;
      /** Epoch milliseconds until which an unknown key may be sent again. */
      readonly resendUntil: number;
    }
  | {
      readonly kind: "refund";
      readonly gateway: Gateway;
      readonly request: RefundRequest;
      readonly chargeId: string;
    };

/** How long an attempt belongs to the worker that claimed it, beyond the gateway's own time-out. */
const LEASE_MARGIN_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Claims the next attempt of a charge, or finds that there is nothing to attempt it with. */
export async function attempt(opened: ContractWork, charge: Charge): Promise<Call | null> {
  // A customer can change between two payment methods, and each change is a retry.
  if (charge.attempts.length >= SUBSCRIPTION_LIMITS.attempts)
    return endLadder(opened, decide(charge, "It was attempted too often.", opened.now));
  const method = await findMethod(opened);
  if (method === null || !isUsable(method, opened.today)) {
    const code = method === null ? "payment_method_missing" : "payment_method_unusable";
    const failure = {
      category: "method" as const,
      code,
      message: "There is no payment method that can be used.",
    };
    follow(opened, applyRefusal(charge, failure, applyContextOf(opened)));
    return null;
  }
  const gateway = await opened.tx.get(gateways, method.gateway_id);
  if (gateway === null || !gateway.value.active) {
    const failure = {
      category: "config" as const,
      code: "gateway_missing",
      message: "The gateway is not active.",
    };
    follow(opened, applyRefusal(charge, failure, applyContextOf(opened)));
    return null;
  }
  if (gateway.value.kind === "manual") {
    const dunning = { ...charge.dunning, next_retry_at: null, give_up_at: null };
    opened.put(
      decide(
        { ...charge, status: "pending_manual", dunning },
        "Paid by hand: waits to be marked as paid.",
        opened.now,
      ),
    );
    return null;
  }
  return claim(opened, charge, method, gateway.value);
}

function claim(opened: ContractWork, charge: Charge, method: PaymentMethod, gateway: Gateway): Call {
  const n = charge.attempts.length + 1;
  const request = requestOf(opened, charge, n, method);
  const made: Attempt = {
    id: request.key,
    n,
    gateway_id: gateway.id,
    payment_method_id: method.id,
    amount: charge.amount_due,
    state: "claimed",
    gateway_ref: null,
    failure: null,
    action_url: null,
    claimed_at: opened.nowAt,
    lease_until: leaseOf(opened.now, gateway),
    resolved_at: null,
    lookups: 0,
    next_lookup_at: null,
    params_hash: sha256Hex(JSON.stringify(request)),
  };
  const dunning = { ...charge.dunning, next_retry_at: null, give_up_at: null };
  opened.put({ ...charge, status: "processing", attempts: [...charge.attempts, made], dunning });
  retryNow(opened, ({ attempts }) => attempts.at(-1)?.payment_method_id !== method.id);
  return { kind: "charge", gateway, request, n, leaseUntil: made.lease_until };
}

const leaseOf = (now: number, gateway: Gateway): string =>
  toInstant(now + gateway.timeout_seconds * 1000 + LEASE_MARGIN_MS);

const requestOf = (
  { contract }: ContractWork,
  charge: Charge,
  n: number,
  method: PaymentMethod,
): ChargeRequest => ({
  key: attemptId(charge.id, n),
  charge_id: charge.id,
  contract_id: charge.contract_id,
  amount: charge.amount_due,
  currency: charge.currency,
  customer_id: contract.customer.id,
  token_ref: method.token_ref,
});

/** Charges that one commit, of a megabyte and 200 operations, marks to be tried: each has up to 200 KB. */
const RETRIED = { bytes: 300_000, charges: 50 } as const;

/**
 * Tries charges that failed once more, without waiting for their next step, and with another payment method those that were given up and
 * are still owed: as many as fit into the commit. Each attempt with a payment method marks more of those that were not tried with it yet.
 */
export function retryNow(opened: ContractWork, isMeant: (charge: Charge) => boolean = () => true): void {
  let [bytes, count] = [0, 0];
  for (const charge of opened.charges.values()) {
    const { next_retry_at: retryAt } = charge.dunning;
    const isGivenUp = charge.status === "exhausted" && isOwed(charge);
    const isAnother = charge.attempts.at(-1)?.payment_method_id !== opened.contract.payment_method_id;
    if (charge.status !== "retrying" && !(isGivenUp && isAnother)) continue;
    if (!isMeant(charge)) continue;
    if (retryAt !== null && fromInstant(retryAt) <= opened.now) continue;
    bytes += Buffer.byteLength(JSON.stringify(charge));
    count += 1;
    if (bytes > RETRIED.bytes || count > RETRIED.charges) return;
    const dunning = { ...charge.dunning, next_retry_at: opened.nowAt, give_up_at: null };
    opened.put({ ...charge, status: "retrying", dunning });
  }
}

/** Payment methods that a customer can choose from, newest first. */
export async function usableMethods({ tx, contract, today }: ContractWork): Promise<PaymentMethod[]> {
  const which = { index: "customer", value: filed("customer", contract.customer.id) };
  const { items } = await tx.peekPage(paymentMethods, { ...which, limit: METHODS_SHOWN });
  return items.map(({ value }) => value).filter((method) => isUsable(method, today));
}

const METHODS_SHOWN = 20;

export const findMethod = async (opened: ContractWork): Promise<PaymentMethod | null> => {
  const { payment_method_id: id } = opened.contract;
  return id === null ? null : ((await opened.tx.get(paymentMethods, id))?.value ?? null);
};

export const isUsable = ({ status, expires }: PaymentMethod, today: string): boolean =>
  status === "usable" && (expires === null || today.slice(0, 7) <= expires);

/** An attempt whose fate is not known is asked about; its worker may have died, or its answer been lost. */
export async function askAttempt(
  opened: ContractWork,
  charge: Charge,
  closing = false,
): Promise<Call | null> {
  const { tx } = opened;
  const open = openAttempt(charge);
  if (open === null) return null;
  const gateway = await tx.get(gateways, open.gateway_id);
  const method =
    open.payment_method_id === null ? null : await tx.get(paymentMethods, open.payment_method_id);
  if (gateway === null || method === null)
    throw new Error(`${open.id} refers to a gateway or payment method that no longer exists.`);
  // The look-up is claimed like the attempt itself, so that one worker asks at a time.
  const isClaimed = open.state === "claimed";
  const lease = leaseOf(opened.now, gateway.value);
  const asked: Attempt = { ...open, lease_until: lease, next_lookup_at: isClaimed ? null : lease };
  opened.put({ ...charge, attempts: [...charge.attempts.slice(0, -1), asked] });
  return {
    kind: "ask",
    gateway: gateway.value,
    request: { ...requestOf(opened, charge, open.n, method.value), amount: open.amount },
    n: open.n,
    gatewayRef: open.gateway_ref,
    closing,
    resendUntil: fromInstant(open.claimed_at) + gateway.value.key_ttl_hours * HOUR_MS,
  };
}

/** The customer did not confirm in time: that attempt is over, and the next one climbs the ladder. */
export function timeOut(opened: ContractWork, charge: Charge): null {
  const open = openAttempt(charge);
  if (open === null) return null;
  const failure = {
    category: "action" as const,
    code: "action_timeout",
    message: "The payment was not confirmed in time.",
  };
  const answer = { status: "failed" as const, ref: null, failure };
  follow(opened, applyAnswer(charge, open.n, answer, applyContextOf(opened)));
  return null;
}

export const giveUp = (opened: ContractWork, charge: Charge): null =>
  endLadder(opened, decide(charge, "No other payment method came in time.", opened.now));

/** Nothing more is tried. */
export function endLadder(opened: ContractWork, charge: Charge): null {
  const dunning = { ...charge.dunning, next_retry_at: null, give_up_at: null };
  follow(opened, { charge: { ...charge, status: "exhausted", dunning }, effect: "exhausted" });
  return null;
}

export async function callRefund(
  opened: ContractWork,
  charge: Charge,
  refundId: string,
): Promise<Call | null> {
  const { tx } = opened;
  const refund = charge.refunds.find(({ id }) => id === refundId);
  const paidBy = sourceOf(charge, refundId);
  const gateway = paidBy === undefined ? null : await tx.get(gateways, paidBy.gateway_id);
  if (refund === undefined || paidBy === undefined || gateway === null) return null;
  const next = { ...refund, tries: refund.tries + 1, next_try_at: leaseOf(opened.now, gateway.value) };
  opened.put({ ...charge, refunds: charge.refunds.map((one) => (one.id === refundId ? next : one)) });
  const { currency } = charge;
  return {
    kind: "refund",
    gateway: gateway.value,
    chargeId: charge.id,
    request: {
      key: refundId,
      charge_key: paidBy.id,
      gateway_ref: paidBy.gateway_ref,
      amount: refund.amount,
      currency,
      reason: refund.reason,
    },
  };
}
