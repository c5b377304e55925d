import { z } from "zod";

import { toRateState } from "../../http/headers.ts";
import { ok } from "../../core/route.ts";
import { defineAccountsRoute } from "../context.ts";

const RateLimitView = z.object({
  limit: z.int().meta({ description: "Requests allowed per window" }),
  remaining: z.int(),
  used: z.int(),
  reset: z.int().meta({ description: "When the window resets, Unix time in seconds" }),
  window_seconds: z.int(),
});

export const getRateLimit = defineAccountsRoute({
  id: "account.rate-limit.get",
  method: "GET",
  path: "/rate-limit",
  summary: "Retrieve the current rate limit window without consuming a request",
  data: RateLimitView,
  cost: 0,
  example: {},
  async handle(_, { rate, now }) {
    if (rate === null) throw new Error("Account route called without a rate limit.");
    const { limit, remaining, reset } = toRateState(rate, now);
    return ok({ limit, remaining, used: limit - remaining, reset, window_seconds: 60 });
  },
});
