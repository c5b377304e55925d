import type { Principal } from "../../http/principal.ts";
import type { AccountsCtx } from "../context.ts";

/** The caller of an account route. The gateway requires a key, so its absence is a bug. */
export function requirePrincipal(ctx: Pick<AccountsCtx, "principal">): Principal {
  if (ctx.principal === null) throw new Error("Account route called without a key.");
  return ctx.principal;
}
