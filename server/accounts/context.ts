import { routeDefiner } from "../core/route.ts";
import type { PlatformCtx } from "../http/context.ts";
import type { AccountsDeps } from "./deps.ts";

export type AccountsCtx = PlatformCtx<AccountsDeps>;

export const defineAccountsRoute = routeDefiner<AccountsCtx>();
