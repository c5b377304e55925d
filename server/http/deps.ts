import type { Budgets, StoreOwner } from "../core/budgets.ts";
import type { PlatformConfig } from "../config/schema.ts";
import type { Clock } from "../core/clock.ts";
import type { NewId } from "../core/ids.ts";
import type { Log } from "../core/log.ts";
import type { Ports } from "../core/ports.ts";
import type { RunTx } from "../core/tx.ts";
import type { StoreDriver } from "../storage/contract.ts";
import type { Accounts, Observation } from "./principal.ts";

/** What the request pipeline uses. Higher layers extend it with their own services. */
export interface GatewayDeps {
  readonly config: PlatformConfig;
  readonly store: StoreDriver;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
  readonly runTx: RunTx;
  readonly accounts: Accounts;
  readonly observe: (observation: Observation) => void;
  readonly ports: Ports;
  readonly budgets: Budgets;
  /** The ports of a store's work: outgoing requests come from the budget of its customer. */
  readonly portsOf: (part: string, by?: "visitors") => Ports;
  /** The customer that a store's partition belongs to; null for one that does not exist. */
  readonly findOwner: (part: string) => Promise<StoreOwner | null>;
}
