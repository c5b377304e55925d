import type { NewId } from "../../../core/ids.ts";
import type { Ports } from "../../../core/ports.ts";
import type { Ctx } from "../../../core/route.ts";

/** Input of operations on reviews. */
export interface Env {
  /** Epoch milliseconds, and the same as a timestamp. */
  readonly now: number;
  readonly nowAt: string;
  readonly newId: NewId;
  readonly ports: Ports;
  /** Id of the acting key; null for visitors, `auto` for the service itself. */
  readonly by: string | null;
}

export const workOf = (ctx: Ctx): Env => ({
  now: ctx.now,
  nowAt: ctx.nowAt,
  newId: ctx.newId,
  ports: ctx.ports,
  by: ctx.caller,
});
