import { workOf } from "../../../core/route.ts";
import type { Work } from "../../../core/ports.ts";
import type { Ctx } from "../../../core/route.ts";

/** What a change of reviews needs in addition to its transaction. */
export interface ReviewWork extends Work {
  /** Id of the acting key; null for visitors, `auto` for the service itself. */
  readonly by: string | null;
}

export const reviewWorkOf = (ctx: Ctx): ReviewWork => ({ ...workOf(ctx), by: ctx.caller });
