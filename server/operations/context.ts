import { routeDefiner } from "../core/route.ts";
import type { PlatformCtx } from "../http/context.ts";
import type { Deps } from "./deps.ts";

export type OperationsCtx = PlatformCtx<Deps>;

export const defineOperationsRoute = routeDefiner<OperationsCtx>();
