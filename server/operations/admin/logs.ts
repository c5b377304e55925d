import { z } from "zod";

import { toInstant } from "../../lib/instant.ts";
import { fail, invalidParameter } from "../../lib/errors.ts";
import { ok, values } from "../../core/route.ts";
import { listFields } from "../../core/schema.ts";
import { RequestEntry, toEntry } from "../../observability/request-entry.ts";
import { pageStored } from "../../observability/request-store.ts";
import type { StoredPlace } from "../../observability/request-store.ts";
import { defineOperationsRoute } from "../context.ts";
import type { OperationsCtx } from "../context.ts";
import { eventStream, frame } from "./event-stream.ts";
import type { StreamSource } from "./event-stream.ts";
import { countNodes } from "./open-windows.ts";

const filterFields = {
  key_id: z.string().optional(),
  status: z
    .string()
    .regex(/^([1-5]xx|[1-5]\d\d)$/, { error: "Expected a status such as 404 or a class such as 4xx." })
    .optional()
    .meta({ description: "A status (404) or a class (4xx)" }),
  route: z.string().optional().meta({ description: "Route id, or the name of an engine for all its routes" }),
};
const Filter = z.object(filterFields);
type Filter = z.output<typeof Filter>;

const example: RequestEntry = {
  request_id: "req_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  at: "2026-06-01T16:20:00.000Z",
  method: "POST",
  route: "delivery.holds.create",
  path: null,
  status: 409,
  duration_ms: 4,
  key_id: "key_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  customer_id: "cus_7C0Q2J5W8ZB4N6R9T3V1X5Y8A2",
  store_id: "sto_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  error: {
    type: "conflict",
    code: "slot_full",
    detail: "This slot is full. Choose another one.",
    fields: [],
    cause: null,
  },
};

const listLogs = defineOperationsRoute({
  id: "admin.logs.list",
  method: "GET",
  path: "/logs",
  summary: "List logged requests, newest first",
  description:
    "Returns stored requests of all nodes: rejected and failed ones or all, depending on `requestLog.store`. With `recent=true` " +
    "returns the requests in memory of the responding process instead, including successful ones. A page scans a part of the log: " +
    "if few requests match a filter, it can be short or empty while `has_more` is true.",
  query: z.object({
    ...listFields,
    ...filterFields,
    recent: z
      .enum(["true", "false"])
      .default("false")
      .meta({ description: "Requests in memory of this process" }),
  }),
  data: z.array(RequestEntry),
  example: { query: { status: "4xx" }, data: [example] },
  async handle({ query }, ctx) {
    const isWanted = wants(query);
    const { limit, cursor, recent } = query;
    if (recent === "true") {
      if (cursor !== undefined)
        throw invalidParameter("cursor", "Requests in memory are returned as a single page.");
      return values(ctx.deps.requestLog.recent().filter(isWanted).slice(0, limit), { limit });
    }
    // The operator looks at what is, not at what was a few seconds ago.
    await ctx.deps.requestLog.flush();
    const from = cursor === undefined ? null : openPlace(ctx, cursor);
    const page = await pageStored(ctx.tx, { limit, from, isWanted });
    return values(page.items, { limit, next: page.next === null ? null : sealPlace(ctx, page.next) });
  },
});

const showLog = defineOperationsRoute({
  id: "admin.logs.show",
  method: "GET",
  path: "/logs/:request_id",
  summary: "Retrieve a logged request",
  params: z.object({ request_id: z.string().max(64) }),
  data: RequestEntry,
  errors: [{ type: "not_found", when: "The request is not in the log, or no longer" }],
  example: { params: { request_id: example.request_id }, data: example },
  async handle({ params }, { deps }) {
    const found = await deps.requestLog.find(params.request_id);
    if (found !== null) return ok(found);
    const { store, days, memory } = deps.requestLog.settings;
    const kept = store === "all" ? "Requests are" : "Rejected and failed requests are";
    const stored = store === "none" ? "Nothing is stored" : `${kept} stored for ${days} days`;
    throw fail(
      "not_found",
      `No request with this id in the log. ${stored}; each process keeps its latest ${memory} in memory.`,
    );
  },
});

const streamLogs = defineOperationsRoute({
  id: "admin.logs.stream",
  method: "GET",
  path: "/logs/stream",
  summary: "Stream requests as they complete (server-sent events)",
  description:
    "Covers the responding process. Events: `ready`, then `request` as they occur, and `gap` with the number of requests that " +
    "were dropped under load. A client that reconnects with Last-Event-ID receives missed events, if they are still buffered.",
  query: Filter.extend({
    since_seconds: z.coerce
      .number()
      .int()
      .min(0)
      .max(86_400)
      .optional()
      .meta({ description: "Start with the requests in memory of this number of seconds" }),
  }),
  data: z.string(),
  rawType: "text/event-stream",
  example: { query: {} },
  async handle({ query }, ctx) {
    return eventStream(logSource(ctx, query, ctx.header("last-event-id")));
  },
});

export const logRoutes = [listLogs, streamLogs, showLog];

function logSource(
  ctx: OperationsCtx,
  query: Filter & { readonly since_seconds?: number | undefined },
  lastEventId: string | undefined,
): StreamSource {
  const { deps, now, nowAt } = ctx;
  const { feed } = deps.requestLog;
  const isWanted = wants(query);
  let place = feed.place();

  /** Everything after a place; null for a place that this process never gave. */
  function newsSince(from: string): string | null {
    const news = feed.since(from);
    if (news === null) return null;
    place = news.place;
    const gap =
      news.missed === 0 ? "" : frame("gap", { type: "gap", at: nowAt, missed: news.missed }, news.place);
    const entries = news.seen.map(toEntry).filter(isWanted);
    return gap + entries.map((entry) => frame("request", { type: "request", ...entry }, place)).join("");
  }

  function remembered(): string {
    if (query.since_seconds === undefined) return "";
    const from = toInstant(now - query.since_seconds * 1000);
    const entries = deps.requestLog.recent().filter((entry) => entry.at >= from && isWanted(entry));
    return entries
      .toReversed()
      .map((entry) => frame("request", { type: "request", ...entry }, null))
      .join("");
  }

  return {
    watch(watcher) {
      const end = feed.watch(watcher);
      return { take: () => newsSince(place) ?? "", end };
    },
    async opening() {
      const nodes = await countNodes(ctx);
      const missed = lastEventId === undefined ? null : newsSince(lastEventId);
      const text = missed ?? remembered();
      return text + frame("ready", { type: "ready", at: nowAt, nodes }, place);
    },
  };
}

function wants({ key_id, status, route }: Filter): (entry: RequestEntry) => boolean {
  const isStatus = statusTest(status);
  return (entry) =>
    (key_id === undefined || entry.key_id === key_id) &&
    isStatus(entry.status) &&
    (route === undefined || entry.route === route || entry.route?.startsWith(`${route}.`) === true);
}

function statusTest(wanted: string | undefined): (status: number) => boolean {
  if (wanted === undefined) return () => true;
  if (!wanted.endsWith("xx")) return (status) => status === Number(wanted);
  return (status) => Math.floor(status / 100) === Number(wanted.charAt(0));
}

const PLACE = "logs";

const sealPlace = ({ deps, tx }: OperationsCtx, { batchAt, batchId, passed }: StoredPlace): string =>
  deps.cursors.seal(PLACE, tx.part, [batchAt, batchId, passed].join(" "));

function openPlace({ deps, tx }: OperationsCtx, cursor: string): StoredPlace {
  const [batchAt = "", batchId = "", passed = "0"] = deps.cursors.open(PLACE, tx.part, cursor).split(" ");
  return { batchAt, batchId, passed: Number(passed) };
}
