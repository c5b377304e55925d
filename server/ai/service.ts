import type { AiConfig } from "../config/ai.ts";
import type { Ai } from "../kernel/ai.ts";
import type { Clock } from "../kernel/clock.ts";
import { fail } from "../kernel/errors.ts";
import type { NewId } from "../kernel/ids.ts";
import type { Log } from "../kernel/log.ts";
import type { RunTx } from "../kernel/tx.ts";

export interface AiDeps {
  readonly config: AiConfig;
  readonly runTx: RunTx;
  readonly newId: NewId;
  readonly clock: Clock;
  readonly log: Log;
}

/** The AI service behind `ports.ai`. */
export function createAi(_deps: AiDeps): Ai {
  const refuse = () =>
    Promise.reject(fail("service_unavailable", "No provider.", { code: "ai_unavailable" }));
  return { providers: [], generate: refuse, stream: refuse };
}
