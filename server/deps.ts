import type { LoadedConfig } from "./config/load.ts";
import type { Config } from "./config/schema.ts";
import type { Accounts, Observation } from "./http/principal.ts";
import type { Jobs } from "./jobs/runner.ts";
import type { Clock } from "./core/clock.ts";
import type { CursorCodec } from "./core/cursor.ts";
import type { Engine } from "./core/engine.ts";
import type { NewId, Random } from "./core/ids.ts";
import type { Log } from "./core/log.ts";
import type { Ports } from "./core/ports.ts";
import type { RunTx } from "./core/tx.ts";
import type { Outbox } from "./mail/outbox.ts";
import type { RequestLog } from "./observability/request-log.ts";
import type { Siblings } from "./observability/siblings.ts";
import type { Telemetry } from "./observability/telemetry.ts";
import type { Live } from "./operations/live/live.ts";
import type { Usage } from "./accounts/usage/usage.ts";
import type { Webhooks } from "./operations/webhooks/service.ts";
import type { StoreDriver } from "./storage/contract.ts";

/** The configuration with the base URL settled: configured, or the address that was bound. */
export type PlatformConfig = Config & { readonly baseUrl: string };

/** How far this process is in its life. */
export interface Lifecycle {
  readonly startedAtMs: number;
  /** `platform dev` and tests: an operator may tell jobs another time. */
  readonly dev: boolean;
  /** Where this process listens; null where it does not (a command on the data itself). */
  url: string | null;
  /** Running requests are still answered, but load balancers should send no more (`/readyz`). */
  draining: boolean;
}

/** Everything the application stands on, handed in: nothing below reads a global. */
export interface Deps {
  readonly config: PlatformConfig;
  readonly store: StoreDriver;
  readonly clock: Clock;
  readonly random: Random;
  readonly newId: NewId;
  readonly log: Log;
  readonly runTx: RunTx;
  readonly cursors: CursorCodec;
  /** Server secret: derived ids, cursors. Made once per store. */
  readonly secret: Uint8Array;
  readonly accounts: Accounts;
  readonly observe: (observation: Observation) => void;
  readonly mail: Outbox;
  readonly usage: Usage;
  readonly live: Live;
  readonly requestLog: RequestLog;
  /** Traces and measures; null while both are off. */
  readonly telemetry: Telemetry | null;
  /** The workers that share this one's port; null where it has it alone. */
  readonly siblings: Siblings | null;
  readonly webhooks: Webhooks;
  readonly jobs: Jobs;
  readonly ports: Ports;
  readonly lifecycle: Lifecycle;
  /** Where the settings were written; null where the configuration was not loaded from anywhere. */
  readonly loaded: Pick<LoadedConfig, "file" | "origins" | "secrets" | "warnings"> | null;
  readonly engines: readonly Engine[];
  /** Every scope that a secret key can hold, in the registry's order. */
  readonly scopes: readonly string[];
  /** Every scope that a publishable key can hold: those of routes that anybody may call. */
  readonly openScopes: readonly string[];
}
