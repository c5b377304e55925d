import type { RateResult } from "../storage/contract.ts";

/** Who calls, once the key is found ACTIVE. */
export interface Principal {
  readonly kind: "key";
  readonly keyId: string;
  readonly customerId: string;
  readonly mode: "live" | "test";
  /** Effective tier: the plan whose limits apply now. */
  readonly tier: string;
  readonly limitPerMinute: number;
  readonly scopes: ReadonlySet<string>;
  readonly store: { readonly id: string; readonly identifier: string };
  /** Set while the key lives on beside its successor after a rotation. */
  readonly expiresAt: string | null;
}

export type AuthResult =
  | { readonly ok: true; readonly principal: Principal }
  /** `expired` may be told to a presenter of the real key, in WWW-Authenticate alone. */
  | { readonly ok: false; readonly reason: "missing" | "invalid" | "expired" };

/** What the pipeline needs of accounts; server/platform/ provides it, so that http/ knows no key records. */
export interface Accounts {
  authenticate(authorization: string | undefined, now: number): Promise<AuthResult>;
  /** The operator behind a `plat_admin_` token; null when it is none. */
  authenticateAdmin(
    authorization: string | undefined,
    now: number,
  ): Promise<{ readonly actor: string } | null>;
  /** The store that X-Service-Store names, if the principal may speak for it. */
  resolveStore(principal: Principal, named: string, now: number): Promise<Principal["store"] | null>;
}

/** One finished request, for usage counts and the live view of limits. */
export interface Observation {
  readonly now: number;
  readonly requestId: string;
  readonly principal: Principal | null;
  readonly routeId: string | null;
  readonly method: string;
  readonly status: number;
  readonly rate: RateResult | null;
}
