import type { OpenCtx } from "../core/route.ts";
import type { RateResult } from "../storage/contract.ts";
import type { Principal } from "./principal.ts";

/** The context of a route outside the engines: the services of its layer and the caller. */
export interface PlatformCtx<Services> extends OpenCtx {
  readonly deps: Services;
  readonly principal: Principal | null;
  /** Operator behind an admin token. */
  readonly actor: string | null;
  readonly peer: string | null;
  readonly rate: RateResult | null;
}
