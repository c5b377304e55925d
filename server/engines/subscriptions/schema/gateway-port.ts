import type { Failure } from "./parts.ts";

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
  | { readonly status: "failed"; readonly ref: string | null; readonly failure: Failure }
  | { readonly status: "requires_action"; readonly ref: string | null; readonly action_url: string | null }
  | { readonly status: "pending"; readonly ref: string | null };

/** `unknown`: no answer, or none that can be understood. Whether money moved has to be asked. */
export type ChargeAnswer = GatewayResult | { readonly status: "unknown"; readonly detail: string };

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

/** A payment provider. Every method may be called twice with the same key and then does nothing twice. */
export interface PaymentGateway {
  charge(request: ChargeRequest): Promise<ChargeAnswer>;
  lookup(key: string): Promise<LookupAnswer>;
  refund(request: RefundRequest): Promise<RefundAnswer>;
}
