// The port of payment gateways: what an engine asks of them, and what they answer. Amounts are minor units.

/** A payment that a customer makes once, on a page of the gateway. */
interface PagePayment {
  /** What is paid, such as `catering.order`, and its id. */
  readonly subject: string;
  readonly subject_id: string;
  readonly amount: number;
  readonly currency: string;
}

export interface PaymentPageRequest extends PagePayment {
  readonly title: string;
  readonly email: string;
  /** Where the customer comes back, with `session_id` in the query once it is paid. */
  readonly return_url: string;
  /** Idempotency key: the same page for the same payment. */
  readonly key: string;
}

export interface MadePayment extends PagePayment {
  /** Id of the payment at the gateway. */
  readonly reference: string;
}

/** Why a payment failed, which decides what follows: only `soft`, `inventory` and `system` may pass by themselves. */
export interface PaymentFailure {
  readonly category: "hard" | "soft" | "action" | "method" | "inventory" | "system" | "config";
  readonly code: string;
  readonly message: string;
}

/** A request to take money; the same for every repetition under the same key. */
export interface ChargeRequest {
  /** Idempotency key: the id of the attempt. */
  readonly key: string;
  readonly charge_id: string;
  readonly contract_id: string;
  readonly amount: number;
  readonly currency: string;
  readonly customer_id: string;
  readonly token_ref: string;
}

export interface LookupRequest extends ChargeRequest {
  /** The gateway's own id of the payment, as far as it is known. */
  readonly gateway_ref: string | null;
  /** The payment must not be completed any more: a gateway that can cancel it does so. */
  readonly closing: boolean;
}

export interface RefundRequest {
  /** Idempotency key: the id of the refund. */
  readonly key: string;
  readonly charge_key: string;
  readonly gateway_ref: string | null;
  readonly amount: number;
  readonly currency: string;
  readonly reason: string;
}

/** What a gateway says about a request that it knows. */
export type GatewayResult =
  | { readonly status: "succeeded"; readonly ref: string | null }
  | { readonly status: "failed"; readonly ref: string | null; readonly failure: PaymentFailure }
  | { readonly status: "requires_action"; readonly ref: string | null; readonly action_url: string | null }
  | { readonly status: "pending"; readonly ref: string | null };

/** `unknown`: no answer, or none that can be understood. Whether money moved has to be asked. */
export type ChargeAnswer = GatewayResult | { readonly status: "unknown"; readonly detail: string };

/** The request was never sent, because the budget of outgoing requests is used up: `waitMs` until it renews. */
export interface Unsent {
  readonly status: "unsent";
  readonly detail: string;
  readonly waitMs: number;
}

export type LookupAnswer =
  | ChargeAnswer
  /** The gateway has never seen the key. */
  | { readonly status: "not_found" }
  /** The gateway cannot be asked. */
  | { readonly status: "unsupported" };

export type RefundAnswer =
  | { readonly status: "succeeded"; readonly ref: string | null }
  | { readonly status: "failed"; readonly detail: string }
  | { readonly status: "unknown"; readonly detail: string };

/** Every method may be called twice with the same key and then does nothing twice. */
export interface PaymentGateway {
  charge(request: ChargeRequest): Promise<ChargeAnswer | Unsent>;
  lookup(request: LookupRequest): Promise<LookupAnswer>;
  refund(request: RefundRequest): Promise<RefundAnswer>;
}
