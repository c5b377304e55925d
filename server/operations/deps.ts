import type { AccountsDeps } from "../accounts/deps.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { CursorCodec } from "../core/cursor.ts";
import type { Engine, EngineOutline } from "../core/engine.ts";
import type { GatewayDeps } from "../http/deps.ts";
import type { Jobs } from "../jobs/runner.ts";
import type { RequestLog } from "../observability/request-log.ts";
import type { Siblings } from "../observability/siblings.ts";
import type { Telemetry } from "../observability/telemetry.ts";
import type { Live } from "./live/live.ts";
import type { Nodes } from "./live/nodes.ts";
import type { Webhooks } from "./webhooks/service.ts";

/** How far this process is in its life. */
export interface Lifecycle {
  readonly startedAtMs: number;
  /** `platform dev` and tests: an operator may run jobs at another time. */
  readonly dev: boolean;
  /** Address where this process listens; null where it does not (a command on the data itself). */
  url: string | null;
  /** Running requests are still answered, but load balancers should send no more (`/readyz`). */
  draining: boolean;
}

/** Everything the application uses, passed in: nothing below reads a global. */
export interface Deps extends GatewayDeps, AccountsDeps {
  readonly cursors: CursorCodec;
  readonly live: Live;
  /** What all processes that serve this store see. */
  readonly nodes: Nodes;
  readonly requestLog: RequestLog;
  /** Traces and metrics; null while both are off. */
  readonly telemetry: Telemetry | null;
  /** The workers that share this process's port; null where it has the port alone. */
  readonly siblings: Siblings | null;
  readonly webhooks: Webhooks;
  readonly jobs: Jobs;
  readonly lifecycle: Lifecycle;
  /** Where the settings come from; null where the configuration was not loaded from anywhere. */
  readonly loaded: Pick<LoadedConfig, "file" | "origins" | "secrets" | "warnings" | "extensions"> | null;
  readonly engines: readonly EngineOutline[];
  /** The engines of these names, or all, in the order of the list; loads those that are not loaded. */
  readonly loadEngines: (names?: readonly string[]) => Promise<readonly Engine[]>;
}
