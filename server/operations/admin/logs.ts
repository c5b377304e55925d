import { z } from "zod";

import { toInstant } from "../../lib/instant.ts";
import { fail, invalidParameter } from "../../lib/errors.ts";
import { ok, values } from "../../core/reply.ts";
import { listFields } from "../../core/schema.ts";
import { RequestEntry } from "../../observability/request-entry.ts";
import { pageStored } from "../../observability/request-store.ts";
import type { StoredPlace } from "../../observability/request-store.ts";
import { defineOperationsRoute } from "../context.ts";
import type { OperationsCtx } from "../context.ts";
import { isStillOperator } from "../console-session.ts";
import { eventStream, frame } from "./event-stream.ts";
import type { StreamSource } from "./event-stream.ts";
import { recentRequests, RequestFilter, REQUESTS_MAX, wants } from "../live/nodes.ts";
import { tailSource } from "./tail-stream.ts";

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
    "returns the requests in memory of all nodes instead, including successful ones. A page scans a part of the log: " +
    "if few requests match a filter, it can be short or empty while `has_more` is true.",
  query: z.object({
    ...listFields,
    ...RequestFilter.shape,
    recent: z.enum(["true", "false"]).default("false").meta({ description: "Requests in memory" }),
  }),
  data: z.array(RequestEntry),
  example: { query: { status: "4xx" }, data: [example] },
  async handle({ query }, ctx) {
    const isWanted = wants(query);
    const { limit, cursor, recent } = query;
    if (recent === "true") {
      if (cursor !== undefined) {
        throw invalidParameter("cursor", "Requests in memory are returned as a single page.");
      }
      const found = await recentOfAll(ctx, { filter: query, since: "", limit });
      return values(
        found.map(({ entry }) => entry),
        { limit },
      );
    }
    // The operator looks at what is, not at what was a few seconds ago.
    await ctx.deps.requestLog.flush();
    const from = cursor === undefined ? null : openPlace(ctx, cursor);
    const page = await pageStored(ctx.tx, { limit, from, isWanted });
    return values(page.items, { limit, next: page.next === null ? null : signPlace(ctx, page.next) });
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
    "Events of all nodes, in one order: `ready` with the names of the `nodes` and of those that are `silent`, then `request` as they " +
    "occur, each with its `node`. `node` reports a node that has `joined`, `left` or become `silent`; `gap` reports how many requests " +
    "of a node were `missed`. A client that reconnects with Last-Event-ID receives missed events, if they are still buffered.",
  query: RequestFilter.extend({
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
    return eventStream(requestSource(ctx, query), { isAllowed: () => isStillOperator(ctx) });
  },
});

export const logRoutes = [listLogs, streamLogs, showLog];

function requestSource(
  ctx: OperationsCtx,
  query: RequestFilter & { readonly since_seconds?: number | undefined },
): StreamSource {
  const { nodes } = ctx.deps;
  const isWanted = wants(query);
  const toFrame = (entry: RequestEntry, node: string, id: string | null): string =>
    frame("request", { type: "request", ...entry, node }, id);
  return tailSource(ctx, nodes.requests, {
    toFrame: (entry, node, id) => (isWanted(entry) ? toFrame(entry, node, id) : ""),
    async snapshot() {
      if (query.since_seconds === undefined) return "";
      const since = toInstant(ctx.now - query.since_seconds * 1000);
      const recent = await recentOfAll(ctx, { filter: query, since, limit: REQUESTS_MAX });
      return recent
        .toReversed()
        .map(({ entry, node }) => toFrame(entry, node, null))
        .join("");
    },
  });
}

/** Requests in memory of all nodes, newest first. */
async function recentOfAll(
  { deps: { nodes, requestLog } }: OperationsCtx,
  wanted: { filter: RequestFilter; since: string; limit: number },
): Promise<{ readonly entry: RequestEntry; readonly node: string }[]> {
  const { answers } = await nodes.requestsElsewhere(wanted);
  const own = { node: nodes.self, entries: recentRequests(requestLog, wanted.filter, wanted.since) };
  const lists = [own, ...answers.map(({ node, answer }) => ({ node: node.name, entries: answer.entries }))];
  return lists
    .flatMap(({ node, entries }) => entries.map((entry) => ({ node, entry })))
    .sort((one, other) => (one.entry.at < other.entry.at ? 1 : one.entry.at > other.entry.at ? -1 : 0))
    .slice(0, wanted.limit);
}

const PLACE = "logs";

const signPlace = ({ deps, tx }: OperationsCtx, { batchAt, batchId, passed }: StoredPlace): string =>
  deps.cursors.sign(PLACE, tx.part, [batchAt, batchId, passed].join(" "));

function openPlace({ deps, tx }: OperationsCtx, cursor: string): StoredPlace {
  const [batchAt = "", batchId = "", passed = "0"] = deps.cursors.open(PLACE, tx.part, cursor).split(" ");
  return { batchAt, batchId, passed: Number(passed) };
}
