import type { NewId } from "../../../core/ids.ts";
import type { Ports } from "../../../core/ports.ts";
import type { Ctx } from "../../../core/route.ts";

/** What work on reviews needs of its world. */
export interface Env {
  /** Epoch milliseconds, and the same as an instant. */
  readonly now: number;
  readonly nowAt: string;
  readonly newId: NewId;
  readonly ports: Ports;
  /** Id of the key that acts; null for nobody, `auto` for the service itself. */
  readonly by: string | null;
}

export const envOf = (ctx: Ctx): Env => ({
  now: ctx.now,
  nowAt: ctx.nowAt,
  newId: ctx.newId,
  ports: ctx.ports,
  by: ctx.caller,
});
