import { z } from "zod";

import { toInstant } from "../../lib/instant.ts";
import { defineOperationsRoute } from "../context.ts";
import type { OperationsCtx } from "../context.ts";
import type { LiveEvent } from "../live/live-feed.ts";
import type { LiveWindow } from "../live/live.ts";
import { eventStream, frame } from "./event-stream.ts";
import type { StreamSource } from "./event-stream.ts";
import { countNodes } from "./open-windows.ts";

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
    "Events: `snapshot` (one per open window), `ready`, then `update`, `rejected` and `reset` as they occur. " +
    "A client that reconnects with Last-Event-ID receives missed events instead of a snapshot, if they are still buffered.",
  query: Query,
  data: z.string(),
  rawType: "text/event-stream",
  example: { query: {} },
  async handle({ query }, ctx) {
    return eventStream(limitsSource(ctx, query, ctx.header("last-event-id")));
  },
});

function limitsSource(ctx: OperationsCtx, query: Query, lastEventId: string | undefined): StreamSource {
  const { nowAt } = ctx;
  const { live } = ctx.deps;
  const { feed } = live;
  let told = 0;
  const textOf = (event: LiveEvent): string => eventText(event, query, feed.cursorAt(event.seq));
  return {
    watch(watcher) {
      const subscription = feed.subscribe(watcher);
      told = feed.latest();
      return {
        take: () =>
          subscription
            .take()
            .filter(({ seq }) => seq > told)
            .map(textOf)
            .join(""),
        end: () => subscription.end(),
      };
    },
    async opening() {
      const nodes = await countNodes(ctx);
      const missed = lastEventId === undefined ? null : feed.since(lastEventId);
      const place = feed.cursorAt(told);
      told = missed?.at(-1)?.seq ?? told;
      const opening = missed
        ? missed.map(textOf).join("")
        : (await live.windows()).map((window) => snapshotText(window, query, nowAt)).join("");
      return opening + frame("ready", { type: "ready", at: nowAt, nodes }, place);
    },
  };
}

function snapshotText(window: LiveWindow, query: Query, at: string): string {
  if (query.only_rejected === "true") return "";
  return isWanted(window, query) ? frame("snapshot", toData({ ...window, type: "snapshot" }, at), null) : "";
}

function eventText(event: LiveEvent, query: Query, id: string): string {
  if (query.only_rejected === "true" && event.type !== "rejected") return "";
  return isWanted(event, query) ? frame(event.type, toData(event, toInstant(event.atMs)), id) : "";
}

type Told = Pick<LiveEvent, "keyId" | "customerId" | "limit" | "remaining" | "resetAtMs" | "route">;

function isWanted(event: Told, query: Query): boolean {
  const usedPercent = event.limit === 0 ? 100 : (1 - event.remaining / event.limit) * 100;
  return (
    (query.key_id ?? event.keyId) === event.keyId &&
    (query.customer_id ?? event.customerId) === event.customerId &&
    (query.engine === undefined || event.route?.startsWith(`${query.engine}.`) === true) &&
    usedPercent >= query.min_used
  );
}

const toData = (event: Told & { readonly type: string }, at: string) => ({
  type: event.type,
  at,
  key: event.keyId,
  customer: event.customerId,
  limit: event.limit,
  remaining: event.remaining,
  reset: event.resetAtMs === null ? null : Math.ceil(event.resetAtMs / 1000),
  route: event.route,
});
