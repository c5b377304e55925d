import { z } from "zod";

import { empty, ok, values } from "../../core/reply.ts";
import { listFields } from "../../core/schema.ts";
import { runChange } from "../../accounts/change.ts";
import { EXAMPLE_KEY } from "../../accounts/keys/key-view.ts";
import { keys } from "../../accounts/collections.ts";
import { defineOperationsRoute } from "../context.ts";
import { streamLimits } from "./limits-stream.ts";
import { limitOf, openWindows, unseenWindow } from "./open-windows.ts";
import type { LiveWindow } from "./open-windows.ts";
import { sliceById } from "./slice.ts";

const Window = z.strictObject({
  key_id: z.string(),
  customer_id: z.string(),
  limit: z.int().meta({ description: "Requests per minute" }),
  used: z.int(),
  remaining: z.int(),
  reset: z
    .int()
    .nullable()
    .meta({ description: "Epoch seconds at which the window ends; null if no window is open" }),
  rejected: z.int().meta({ description: "Requests rejected with 429 in this window" }),
  route: z.string().nullable().meta({ description: "Route id of the latest request" }),
});

const listLimits = defineOperationsRoute({
  id: "admin.limits.list",
  method: "GET",
  path: "/limits",
  summary: "List open rate limit windows",
  description:
    "Includes the keys that any node has served. `rejected` and `route` lack what a node served that has ended since.",
  query: z.object({ ...listFields, customer_id: z.string().optional(), key_id: z.string().optional() }),
  data: z.array(Window),
  example: { query: {} },
  async handle({ query }, ctx) {
    const open = await openWindows(ctx, query);
    const { limit, cursor } = query;
    const page = sliceById(ctx, open, { place: "limits", idOf: (window) => window.keyId, limit, cursor });
    return values(page.items.map(toView), { limit, next: page.next });
  },
});

const showLimit = defineOperationsRoute({
  id: "admin.limits.show",
  method: "GET",
  path: "/limits/:key_id",
  summary: "Retrieve the rate limit and window of an API key",
  params: z.object({ key_id: z.string() }),
  data: Window,
  errors: [{ type: "not_found", when: "No key has this id" }],
  example: { params: { key_id: EXAMPLE_KEY } },
  async handle({ params }, ctx) {
    const { value: key } = await ctx.tx.require(keys, params.key_id);
    const [seen] = await openWindows(ctx, { key_id: key.id });
    const open = seen ?? (await unseenWindow(ctx, { keyId: key.id, customerId: key.customer_id }));
    if (open !== null) return ok(toView(open));
    const limit = await limitOf(ctx, ctx.tx, key);
    const none = { used: 0, remaining: limit, reset: null, rejected: 0, route: null };
    return ok({ key_id: key.id, customer_id: key.customer_id, limit, ...none });
  },
});

const resetLimit = defineOperationsRoute({
  id: "admin.limits.reset",
  role: "support",
  method: "POST",
  path: "/limits/:key_id/reset",
  summary: "Reset the rate limit window of an API key",
  params: z.object({ key_id: z.string() }),
  data: z.null(),
  status: 204,
  errors: [{ type: "not_found", when: "No key has this id" }],
  example: { params: { key_id: EXAMPLE_KEY } },
  async handle({ params }, ctx) {
    const { deps, now } = ctx;
    const by = { actor: ctx.actor ?? "operator", requestId: ctx.requestId, now };
    const reset = await runChange(deps, by, async ({ tx, record }) => {
      const { value: key } = await tx.require(keys, params.key_id);
      record({ action: "limit.reset", subject: key.id, customer_id: key.customer_id });
      return { keyId: key.id, customerId: key.customer_id, limit: await limitOf(ctx, tx, key) };
    });
    await deps.store.resetCounter(reset.keyId);
    deps.live.reset(reset);
    return empty();
  },
});

const toView = ({ keyId, customerId, limit, used, remaining, resetAtMs, rejected, route }: LiveWindow) => ({
  key_id: keyId,
  customer_id: customerId,
  limit,
  used,
  remaining,
  reset: Math.ceil(resetAtMs / 1000),
  rejected,
  route,
});

export const limitRoutes = [listLimits, streamLimits, showLimit, resetLimit];
