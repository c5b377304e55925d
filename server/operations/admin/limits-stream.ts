import { z } from "zod";

import { toInstant } from "../../lib/instant.ts";
import { defineOperationsRoute } from "../context.ts";
import type { OperationsCtx } from "../context.ts";
import type { LiveEvent } from "../live/live.ts";
import { PLATFORM_PART } from "../../core/partitions.ts";
import { isStillOperator } from "../console-session.ts";
import { eventStream, frame } from "./event-stream.ts";
import type { StreamSource } from "./event-stream.ts";
import { openWindows } from "./open-windows.ts";
import type { LiveWindow } from "./open-windows.ts";
import { tailSource } from "./tail-stream.ts";

const Query = z.object({
  key_id: z.string().optional(),
  customer_id: z.string().optional(),
  engine: z.string().optional().meta({ description: "Only requests to routes of this engine" }),
  only_rejected: z.enum(["true", "false"]).default("false"),
  min_used: z.coerce
    .number()
    .min(0)
    .max(100)
    .default(0)
    .meta({ description: "Only windows used to at least this percentage" }),
});
type Query = z.output<typeof Query>;

export const streamLimits = defineOperationsRoute({
  id: "admin.limits.stream",
  method: "GET",
  path: "/limits/stream",
  summary: "Stream rate limit events (server-sent events)",
  description:
    "Events of all nodes, in one order: `snapshot` (one per open window), `ready` with the names of the `nodes` and of those that " +
    "are `silent`, then `update`, `rejected` and `reset` as they occur, each with its `node`. `node` reports a node that has `joined`, " +
    "`left` or become `silent`; `gap` reports how many events of a node were `missed`. " +
    "A client that reconnects with Last-Event-ID receives missed events instead of a snapshot, if they are still buffered.",
  query: Query,
  data: z.string(),
  rawType: "text/event-stream",
  example: { query: {} },
  async handle({ query }, ctx) {
    return eventStream(limitsSource(ctx, query), { isAllowed: () => isStillOperator(ctx) });
  },
});

function limitsSource(ctx: OperationsCtx, query: Query): StreamSource {
  return tailSource(ctx, ctx.deps.nodes.limits, {
    toFrame: (event, node, id) => eventText(event, node, query, id),
    async snapshot() {
      if (query.only_rejected === "true") return "";
      const windows = await ctx.deps.runTx(PLATFORM_PART, (tx) => openWindows({ ...ctx, tx }, query));
      return windows.map((window) => snapshotText(window, query, ctx.nowAt)).join("");
    },
  });
}

function snapshotText(window: LiveWindow, query: Query, at: string): string {
  return isWanted(window, query) ? frame("snapshot", toData({ ...window, type: "snapshot" }, at), null) : "";
}

function eventText(event: LiveEvent, node: string, query: Query, id: string): string {
  if (query.only_rejected === "true" && event.type !== "rejected") return "";
  return isWanted(event, query)
    ? frame(event.type, { ...toData(event, toInstant(event.atMs)), node }, id)
    : "";
}

type LimitEvent = Pick<LiveEvent, "keyId" | "customerId" | "limit" | "remaining" | "resetAtMs" | "route">;

function isWanted(event: LimitEvent, query: Query): boolean {
  const usedPercent = event.limit === 0 ? 100 : (1 - event.remaining / event.limit) * 100;
  return (
    (query.key_id ?? event.keyId) === event.keyId &&
    (query.customer_id ?? event.customerId) === event.customerId &&
    (query.engine === undefined || event.route?.startsWith(`${query.engine}.`) === true) &&
    usedPercent >= query.min_used
  );
}

const toData = (event: LimitEvent & { readonly type: string }, at: string) => ({
  type: event.type,
  at,
  key: event.keyId,
  customer: event.customerId,
  limit: event.limit,
  remaining: event.remaining,
  reset: event.resetAtMs === null ? null : Math.ceil(event.resetAtMs / 1000),
  route: event.route,
});
