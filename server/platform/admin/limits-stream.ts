import { z } from "zod";

import { toInstant } from "../../kernel/clock.ts";
import { raw } from "../../kernel/route.ts";
import { definePlatformRoute } from "../context.ts";
import type { PlatformCtx } from "../context.ts";
import type { LiveEvent } from "../live-feed.ts";
import type { LiveWindow } from "../live.ts";

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
    .meta({ description: "Only windows used to at least so many per cent" }),
});
type Query = z.output<typeof Query>;

/** A comment this often keeps proxies and clients from taking a quiet stream for a dead one. */
const HEARTBEAT_MS = 15_000;
/** What a client is told to wait before it comes back. */
const RETRY_MS = 1_000;

export const streamLimits = definePlatformRoute({
  id: "admin.limits.stream",
  method: "GET",
  path: "/limits/stream",
  summary: "Limits as they are used, as an event stream",
  description:
    "Events `snapshot` (one for each open window), `ready`, then `update`, `rejected` and `reset` as they happen. " +
    "A client that comes back with Last-Event-ID gets what it missed instead of a snapshot, as far as it is remembered.",
  query: Query,
  data: z.string(),
  rawType: "text/event-stream",
  example: { query: {} },
  async handle({ query }, ctx) {
    return raw("text/event-stream", openStream(ctx, query, ctx.header("last-event-id")), {
      // nginx would collect the stream before passing it on.
      headers: { "X-Accel-Buffering": "no" },
    });
  },
});

function openStream(
  { deps, nowAt }: PlatformCtx,
  query: Query,
  lastEventId: string | undefined,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { live } = deps;
  const encoder = new TextEncoder();
  let wake: () => void = () => undefined;
  let isClosed = false;
  // Subscribed before the snapshot is taken: what happens meanwhile is told after it, nothing falls between.
  const subscription = live.feed.subscribe({
    wake: () => wake(),
    close() {
      isClosed = true;
      wake();
    },
  });
  const missed = lastEventId === undefined ? null : live.feed.since(lastEventId);
  const place = live.feed.cursorAt(live.feed.latest());
  let told = missed?.at(-1)?.seq ?? live.feed.latest();
  let beat = "";
  const timer = setInterval(() => {
    beat = ": still here\n\n";
    wake();
  }, HEARTBEAT_MS).unref();

  const news = (): string =>
    subscription
      .take()
      .filter(({ seq }) => seq > told)
      .map((event) => eventText(event, query, live.feed.cursorAt(event.seq)))
      .join("");

  const end = (): void => {
    clearInterval(timer);
    subscription.end();
  };

  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async start(controller) {
        const opening = missed
          ? missed.map((event) => eventText(event, query, live.feed.cursorAt(event.seq))).join("")
          : (await live.windows()).map((window) => snapshotText(window, query, nowAt)).join("");
        const ready = frame("ready", { type: "ready", at: nowAt }, place);
        controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n\n${opening}${ready}`));
      },
      async pull(controller) {
        for (;;) {
          const text = news() + beat;
          beat = "";
          if (text !== "") {
            controller.enqueue(encoder.encode(text));
            return;
          }
          if (isClosed) break;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        end();
        controller.close();
      },
      cancel() {
        isClosed = true;
        wake();
        end();
      },
    },
    { highWaterMark: 1 },
  );
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

const frame = (event: string, data: object, id: string | null): string =>
  `${id === null ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
