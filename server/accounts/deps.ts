import type { Random } from "../core/ids.ts";
import type { GatewayDeps } from "../http/deps.ts";
import type { Outbox } from "../mail/outbox.ts";
import type { Usage } from "./usage/usage.ts";

/** The services that accounts use: keys, customers, stores, plans and signup. */
export interface AccountsDeps extends Pick<
  GatewayDeps,
  "config" | "store" | "clock" | "newId" | "log" | "runTx" | "accounts" | "ports" | "budgets"
> {
  readonly random: Random;
  /** Server secret: derived ids, cursors. Generated once per store. */
  readonly secret: Uint8Array;
  readonly mail: Outbox;
  readonly usage: Usage;
  /** Every scope that a secret key can hold, in the registry's order. */
  readonly scopes: readonly string[];
  /** Every scope that a publishable key can hold: those of routes declared `open`. */
  readonly openScopes: readonly string[];
}
