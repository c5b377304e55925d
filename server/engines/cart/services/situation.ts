import type { z } from "zod";

import type { Ctx } from "../../../core/route.ts";
import type { Situation } from "../rules/judge-conditions.ts";
import { localTime } from "../rules/wall-clock.ts";
import type { EvaluationRequest } from "../schema/evaluation.ts";

type Body = Pick<z.output<typeof EvaluationRequest>, "customer" | "outcode" | "channel">;

/** What conditions are checked against, the lines aside. The customer's tier comes from the tiers engine, not from the caller. */
export async function situationOf(
  { tx, now, ports }: Pick<Ctx, "tx" | "now" | "ports">,
  { customer, outcode, channel }: Body,
  timezone: string,
): Promise<Omit<Situation, "lines" | "subtotal">> {
  const id = customer?.id ?? null;
  const tier = id === null ? null : await ports.engines.tierOf(tx, id);
  const tiers = tier === null ? [] : [tier.level_id, tier.name];
  return {
    customer: customer === null ? null : { tiers, order_count: customer.order_count },
    outcode,
    channel,
    local: localTime(now, timezone),
  };
}
