import type { Deps } from "../deps.ts";
import type { Principal } from "../http/principal.ts";
import { routeDefiner } from "../core/route.ts";
import type { OpenCtx } from "../core/route.ts";
import type { RateResult } from "../storage/contract.ts";

/** What the platform's own routes see beyond an engine's context: the services and the caller itself. */
export interface PlatformCtx extends OpenCtx {
  readonly deps: Deps;
  readonly principal: Principal | null;
  /** Operator behind an admin token. */
  readonly actor: string | null;
  readonly peer: string | null;
  readonly rate: RateResult | null;
}

export const definePlatformRoute = routeDefiner<PlatformCtx>();
