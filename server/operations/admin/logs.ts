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
    .regex(/^([1-5]xx|[1-5]\d\d)$/, { error: "expected a status such as 404, or a class such as 4xx" })
    .optional()
    .meta({ description: "A status (404) or a class (4xx)" }),
  route: z.string().optional().meta({ description: "Route id, or an engine for all its routes" }),
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
  summary: "Requests of the log, newest first",
  description:
    "What is stored, of all nodes: refusals and failures, or everything, as `requestLog.store` says. With `recent=true` what " +
    "the process that answers remembers instead, successes included. A page looks through a part of the log: where few " +
    "requests fit a filter it may be short, or even empty, while `has_more` says that there is more to look through.",
  query: z.object({
    ...listFields,
    ...filterFields,
    recent: z.enum(["true", "false"]).default("false").meta({ description: "What this process remembers" }),
  }),
  data: z.array(RequestEntry),
  example: { query: { status: "4xx" }, data: [example] },
  async handle({ query }, ctx) {
    const isWanted = wants(query);
    const { limit, cursor, recent } = query;
    if (recent === "true") {
      if (cursor !== undefined) throw invalidParameter("cursor", "What is remembered comes in one page.");
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
  summary: "What became of one request",
  params: z.object({ request_id: z.string().max(64) }),
  data: RequestEntry,
  errors: [{ type: "not_found", when: "nothing is known of that request, or not any more" }],
  example: { params: { request_id: example.request_id }, data: example },
  async handle({ params }, { deps }) {
    const found = await deps.requestLog.find(params.request_id);
    if (found !== null) return ok(found);
    const { store, days, memory } = deps.requestLog.settings;
    const kept = store === "all" ? "Requests are" : "Refused and failed requests are";
    const stored = store === "none" ? "Nothing is stored" : `${kept} stored for ${days} days`;
    throw fail(
      "not_found",
      `No such request in the log. ${stored}; each process remembers its latest ${memory}.`,
    );
  },
});

const streamLogs = defineOperationsRoute({
  id: "admin.logs.stream",
  method: "GET",
  path: "/logs/stream",
  summary: "Requests as they are answered, as an event stream",
  description:
    "Of the process that answers. Events `ready`, then `request` as they happen, and `gap` with the number of requests that " +
    "came too fast to be told. A client that comes back with Last-Event-ID gets what it missed, as far as it is remembered.",
  query: Filter.extend({
    since_seconds: z.coerce
      .number()
      .int()
      .min(0)
      .max(86_400)
      .optional()
      .meta({ description: "Begin with the remembered requests of so many seconds" }),
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
