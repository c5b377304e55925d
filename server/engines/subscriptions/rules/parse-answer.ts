import { z } from "zod";

import { urlUpTo } from "../../../core/schema.ts";
import type { GatewayResult } from "../../../core/payments.ts";
import { Failure } from "../schema/parts.ts";

const Ref = z.string().max(200).nullish();

/** What an external gateway says about a payment, in an answer or a callback. Members beyond these are ignored. */
const Result = z.discriminatedUnion("status", [
  z.object({ status: z.literal("succeeded"), ref: Ref }),
  z.object({ status: z.literal("failed"), ref: Ref, failure: z.object(Failure.shape).partial().optional() }),
  z.object({
    status: z.literal("requires_action"),
    ref: Ref,
    action_url: urlUpTo(2000, { protocol: /^https$/ }).nullish(),
  }),
  z.object({ status: z.literal("pending"), ref: Ref }),
]);

/** A callback: which payment it is about, and what became of it. */
export const CallbackBody = z.object({
  type: z.string().max(80),
  data: z.object({ key: z.string().max(80) }).and(Result),
});

/** The result in a text; null for what is none. A failure without a category counts as one that may pass. */
export function parseResult(value: unknown): GatewayResult | null {
  const parsed = Result.safeParse(value);
  if (!parsed.success) return null;
  return toResult(parsed.data);
}

export function toResult(data: z.output<typeof Result>): GatewayResult {
  const ref = data.ref ?? null;
  if (data.status === "failed") {
    const {
      category = "soft",
      code = "declined",
      message = "The payment was declined.",
    } = data.failure ?? {};
    return { status: "failed", ref, failure: { category, code, message } };
  }
  if (data.status === "requires_action")
    return { status: "requires_action", ref, action_url: data.action_url ?? null };
  return { status: data.status, ref };
}
