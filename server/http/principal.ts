import type { OperatorRole } from "../core/operator-role.ts";
import type { Tenant } from "../core/budgets.ts";
import type { RateResult } from "../storage/contract.ts";
import type { Refusal } from "./problem.ts";

/** The fixed window of the rate limit, anchored at the key's first request. */
export const RATE_WINDOW_MS = 60_000;

/** Who calls, once the key is found ACTIVE. */
export interface Principal {
  readonly kind: "key";
  readonly keyId: string;
  readonly customerId: string;
  readonly mode: "live" | "test";
  /** A publishable key: anybody who opens the shop's page can read it. */
  readonly isPublic: boolean;
  /** Effective tier: the plan whose limits apply now. */
  readonly tier: string;
  readonly limitPerMinute: number;
  /** The customer and its budgets in addition to requests a minute. */
  readonly payer: Tenant;
  readonly scopes: ReadonlySet<string>;
  readonly store: { readonly id: string; readonly identifier: string };
  /** Set while the key is valid together with its successor after a rotation. */
  readonly expiresAt: string | null;
}

export type AuthResult =
  /** `rate` is there when the request was counted together with the look-up. */
  | { readonly ok: true; readonly principal: Principal; readonly rate?: RateResult }
  /** `expired` may be reported to a presenter of the real key, in WWW-Authenticate alone. */
  | { readonly ok: false; readonly reason: "missing" | "invalid" | "expired" };

/** Who calls the operator's API. */
export interface Operator {
  /** Stands in the audit trail. */
  readonly actor: string;
  readonly role: OperatorRole;
}

/** What the pipeline needs of accounts; server/accounts/ provides it, so that http/ knows no key records. */
export interface Accounts {
  /**
   * Finds who calls. A request that `counts` may be counted on the way, where the store does both in one step; a key that is
   * refused never counts.
   */
  authenticate(
    authorization: string | undefined,
    now: number,
    /** Requests that it counts as; 0 for one that is free. */
    cost: number,
  ): Promise<AuthResult>;
  /** The operator behind a `plat_admin_` token; null when it is none. */
  authenticateAdmin(authorization: string | undefined, now: number): Promise<Operator | null>;
  /** The store that X-Service-Store names, if the principal may speak for it. */
  resolveStore(principal: Principal, named: string, now: number): Promise<Principal["store"] | null>;
}

/** One finished request, for usage counts, the live view of limits and the request log. */
export interface Observation {
  /** When it came in, epoch milliseconds. */
  readonly now: number;
  readonly requestId: string;
  readonly principal: Principal | null;
  readonly routeId: string | null;
  readonly method: string;
  readonly status: number;
  readonly rate: RateResult | null;
  /** Until the answer was made. */
  readonly durationMs: number;
  /** Raw path and query, as it came over the wire. */
  readonly target: string;
  /** Why it was refused; null for an answer of its handler. */
  readonly refusal: Refusal | null;
}
