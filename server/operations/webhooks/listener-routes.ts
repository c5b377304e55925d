import { z } from "zod";

import { conflict } from "../../lib/errors.ts";
import { toInstant } from "../../lib/instant.ts";
import { giveWay } from "../../lib/slices.ts";
import { item } from "../../core/reply.ts";
import type { Stored } from "../../core/tx.ts";
import { eventStream, frame } from "../admin/event-stream.ts";
import type { StreamSource, StreamWatcher } from "../admin/event-stream.ts";
import { defineOperationsRoute } from "../context.ts";
import type { OperationsCtx } from "../context.ts";
import { mayReadEvents, requireEvents } from "../data-scopes.ts";
import { requireEndpoint, requireOf } from "./checks.ts";
import { deliveries } from "./collections.ts";
import type { Endpoint } from "./collections.ts";
import { isListener, touchListener } from "./endpoints.ts";
import { judge } from "./ladder.ts";
import { DeliveryView, EXAMPLE_DELIVERY, EXAMPLE_ENDPOINT, listenerError, ResultBody } from "./views.ts";

/** Open streams of one key, and of all customers together. */
const STREAMS_PER_KEY = 3;
const STREAMS_OF_CUSTOMERS = 100;
/** A stream ends after this time: the next connection is a request that counts. */
const STREAM_MS = 60_000;
/** How often the store is read for new deliveries, which any node may have written. */
const LOOK_MS = 1_000;
const PAGE = 100;
const HISTORY_MAX = 20;

const streamDeliveries = defineOperationsRoute({
  id: "account.webhooks.stream",
  method: "GET",
  path: "/webhooks/:id/stream",
  summary: "Stream the pending deliveries of a listener (server-sent events)",
  description:
    "`ready`, then `delivery` with `id`, `event_id`, `event_type` and `body` for each pending delivery, oldest first. A delivery stays pending, and is sent again on the next connection, until its result is reported. The stream ends after a minute; reconnect. `platform webhooks listen` forwards deliveries to a local server.",
  data: z.string(),
  rawType: "text/event-stream",
  errors: [listenerError, { type: "too_many_requests", when: `The key has ${STREAMS_PER_KEY} open streams` }],
  example: { params: { id: EXAMPLE_ENDPOINT } },
  async handle({ params: { id } }, ctx) {
    requireListener(await requireEndpoint(ctx, id));
    await ctx.deps.runTx(ctx.tx.part, (tx) => touchListener(tx, ctx.now, id));
    const limits = [
      { name: `key:${ctx.principal?.keyId ?? ""}`, max: STREAMS_PER_KEY },
      { name: "customers", max: STREAMS_OF_CUSTOMERS, reader: ctx.principal?.customerId ?? "" },
    ];
    const { deps, header } = ctx;
    const isAllowed = async (): Promise<boolean> =>
      (await deps.accounts.authenticate(header("authorization"), deps.clock.now(), 0)).ok;
    return eventStream(await deliverySource(ctx, id), { limits, endMs: STREAM_MS, isAllowed });
  },
});

function requireListener({ value }: Stored<Endpoint>): void {
  if (isListener(value)) return;
  throw conflict("webhook_not_listener", "This webhook endpoint has a URL. Its deliveries are sent there.");
}

/** Characters that are sent at once. */
const PIECE_CHARS = 65_536;

/**
 * Reads the store as long as somebody watches. What is pending at first is read before the response begins: it is most of what a
 * stream computes, and counts as the request that asks for it.
 */
async function deliverySource(ctx: OperationsCtx, id: string): Promise<StreamSource> {
  const { deps, nowAt } = ctx;
  const { part } = ctx.tx;
  const sent = new Set<string>();
  /** Versions that were looked at. */
  const seen = new Map<string, number>();
  const frames: string[] = [];

  async function look(): Promise<void> {
    const page = { index: "endpoint", value: `${id}.pending`, limit: PAGE };
    const { items } = await deps.runTx(part, (tx) => tx.peekPage(deliveries, page));
    for (const stored of items.toReversed()) {
      if (seen.get(stored.id) === stored.version) continue;
      seen.set(stored.id, stored.version);
      await giveWay(part);
      const { value } = stored;
      // One that is sent again meanwhile has another time.
      const mark = `${value.id} ${value.updated_at}`;
      if (sent.has(mark) || !mayReadEvents(ctx, [value.type])) continue;
      sent.add(mark);
      const { event_id, type: event_type, body } = value;
      const data = { type: "delivery", id: value.id, event_id, event_type, body };
      frames.push(frame("delivery", data, null));
    }
  }

  function watch({ wake, close }: StreamWatcher) {
    let timer: NodeJS.Timeout | undefined;
    let isOver = false;
    const lookOnce = async (): Promise<void> => {
      try {
        if (deps.lifecycle.draining) return close();
        await look();
        if (frames.length > 0) wake();
        if (!isOver) schedule();
      } catch {
        // The client reconnects.
        close();
      }
    };
    const schedule = (): void => {
      timer = setTimeout(() => void lookOnce(), LOOK_MS).unref();
    };
    schedule();
    return {
      take: () => {
        let text = "";
        while (text.length < PIECE_CHARS && frames.length > 0) text += frames.shift() ?? "";
        return text;
      },
      end: () => {
        isOver = true;
        clearTimeout(timer);
      },
    };
  }

  await look();
  return { watch, opening: async () => frame("ready", { type: "ready", at: nowAt }, null) };
}

const reportResult = defineOperationsRoute({
  id: "account.deliveries.report",
  method: "POST",
  path: "/webhooks/:id/deliveries/:delivery_id/result",
  summary: "Report the result of a delivery that a listener has forwarded",
  description:
    "A delivery with a 2xx status is `delivered`, any other is `failed` and is not sent again by itself.",
  body: ResultBody,
  data: DeliveryView,
  errors: [listenerError],
  example: {
    params: { id: EXAMPLE_ENDPOINT, delivery_id: EXAMPLE_DELIVERY },
    body: { status: 204, duration_ms: 320 },
  },
  async handle({ params: { id, delivery_id }, body }, ctx) {
    const { tx, now } = ctx;
    requireListener(await requireEndpoint(ctx, id));
    const stored = requireOf(await tx.require(deliveries, delivery_id), id);
    requireEvents(ctx, [stored.value.type]);
    const at = toInstant(now);
    const isDelivered = judge(body) === "delivered";
    return item(
      tx.put(deliveries, stored, {
        ...stored.value,
        status: isDelivered ? "delivered" : "failed",
        attempts: stored.value.attempts + 1,
        next_at: null,
        delivered_at: isDelivered ? at : stored.value.delivered_at,
        history: [...stored.value.history, { at, ...body }].slice(-HISTORY_MAX),
        updated_at: at,
      }),
    );
  },
});

export const listenerRoutes = [streamDeliveries, reportResult];
