import { z } from "zod";

import { fail } from "../../lib/errors.ts";
import { created, item, list, raw } from "../../core/route.ts";
import type { Reply } from "../../core/route.ts";
import { Id, ListQuery, withVersion } from "../../core/schema.ts";
import type { RunTx } from "../../core/tx.ts";
import { defineOperationsRoute } from "../context.ts";
import { requirePersonalData } from "../data-scopes.ts";
import { archiveOf } from "./archive.ts";
import { ask, PrivacyWish, verified } from "./ask.ts";
import { closed } from "./job.ts";
import { PrivacyRequest, privacyRequests } from "./schema.ts";

export const PrivacyView = withVersion(PrivacyRequest);
const Params = z.object({ id: Id });
const NO_BODY = z.strictObject({}).default({});

export const exampleRequest: z.output<typeof PrivacyView> = {
  id: "prv_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  created_at: "2026-06-01T09:00:00.000Z",
  updated_at: "2026-06-01T09:00:00.000Z",
  type: "erase",
  status: "received",
  email: "ada@shop.example",
  customer_ids: [],
  verify: true,
  verified_at: null,
  verified_by: null,
  progress: null,
  shared_ids: 0,
  evidence: {
    subject_hash: "2f7pX1c0mQ3n5s8v0aB4dE6gH9jK2lM5oP8rS1tU4w0",
    found: 0,
    changed: 0,
    removed: 0,
    mails: 0,
    left: 0,
    collections: {},
    retained: [],
    compacted: false,
  },
  done_at: null,
  expires_at: "2026-06-15T09:00:00.000Z",
  parts: 0,
  version: 12,
};
const params = { id: exampleRequest.id };
const missing = { type: "not_found", when: "There is no such request" } as const;
const badState = {
  type: "conflict",
  code: "invalid_transition",
  when: "The request is in another state",
} as const;
const full = {
  type: "conflict",
  code: "limit_reached",
  when: "As many requests as may be are open",
} as const;
export const noExport = {
  type: "conflict",
  code: "no_export",
  when: "The request is no export, is not done, or its time is over",
} as const;

const listRequests = defineOperationsRoute({
  id: "account.privacy-requests.list",
  method: "GET",
  path: "/privacy-requests",
  summary: "List requests to export or erase a person's data, newest first",
  query: ListQuery,
  data: z.array(PrivacyView),
  example: { data: [exampleRequest] },
  handle: async ({ query }, { tx }) => list(await tx.page(privacyRequests, query)),
});

const createRequest = defineOperationsRoute({
  id: "account.privacy-requests.create",
  method: "POST",
  path: "/privacy-requests",
  status: 201,
  summary: "Export or erase all that the store keeps about a person",
  description:
    "By e-mail address, through all engines, live and test data; with a test key the test data alone. The address is followed to " +
    "the shop's own customer id and what hangs on it, unless others have that id as well. It begins within seconds. Erasing takes the person " +
    "out of what the books need and removes the rest; it cannot be undone. What a law wants kept, such as the name on an invoice, is " +
    "in evidence.retained with the reason and the day until which it stays. An export needs the scope `read` of every engine; " +
    "erasing needs `account:manage` and the scope `write` of every engine.",
  body: PrivacyWish,
  data: PrivacyView,
  errors: [full],
  example: {
    body: { type: "erase", email: "ada@shop.example", verify: true },
    data: exampleRequest,
  },
  async handle({ body }, ctx) {
    const { tx, now, newId, ports, store } = ctx;
    requirePersonalData(ctx, body.type);
    const by = { now, newId, ports, shopName: store.identifier, by: "shop" as const };
    const request = await ask(tx, body, by);
    return created(request, `/privacy-requests/${request.id}`);
  },
});

const getRequest = defineOperationsRoute({
  id: "account.privacy-requests.get",
  method: "GET",
  path: "/privacy-requests/:id",
  summary: "Show a request: how far it is, and what was done",
  params: Params,
  data: PrivacyView,
  errors: [missing],
  example: { params, data: exampleRequest },
  handle: async ({ params: { id } }, { tx }) => item(await tx.require(privacyRequests, id)),
});

const verifyRequest = defineOperationsRoute({
  id: "account.privacy-requests.verify",
  method: "POST",
  path: "/privacy-requests/:id/verify",
  summary: "Let a request begin without the person's answer: the shop has made sure who asks",
  params: Params,
  body: NO_BODY,
  data: PrivacyView,
  errors: [missing, badState],
  example: {
    params,
    body: {},
    data: {
      ...exampleRequest,
      status: "verified",
      verified_at: "2026-06-02T09:00:00.000Z",
      verified_by: "shop",
      expires_at: null,
    },
  },
  async handle({ params: { id } }, ctx) {
    const { tx, nowAt } = ctx;
    const stored = await tx.require(privacyRequests, id);
    requirePersonalData(ctx, stored.value.type);
    return item(tx.put(privacyRequests, stored, verified(stored.value, "shop", nowAt)));
  },
});

const rejectRequest = defineOperationsRoute({
  id: "account.privacy-requests.reject",
  method: "POST",
  path: "/privacy-requests/:id/reject",
  summary: "Refuse a request that has not begun",
  params: Params,
  body: NO_BODY,
  data: PrivacyView,
  errors: [missing, badState],
  example: {
    params,
    body: {},
    data: { ...exampleRequest, status: "rejected", email: null, expires_at: null },
  },
  async handle({ params: { id } }, { tx, nowAt }) {
    const stored = await tx.require(privacyRequests, id);
    if (stored.value.status !== "received") {
      throw fail("conflict", `The request is ${stored.value.status}.`, { code: "invalid_transition" });
    }
    return item(tx.put(privacyRequests, stored, closed(stored.value, "rejected", nowAt)));
  },
});

const exportRequest = defineOperationsRoute({
  id: "account.privacy-requests.export",
  method: "GET",
  path: "/privacy-requests/:id/export",
  scope: "write",
  summary: "Fetch the export as a zip: JSON and CSV for each kind of document",
  params: Params,
  data: z.string(),
  rawType: "application/zip",
  errors: [missing, noExport],
  example: { params },
  async handle({ params: { id } }, ctx) {
    const { value } = await ctx.tx.require(privacyRequests, id);
    requirePersonalData(ctx, "export");
    return zipReply(ctx.runTx, ctx.tx.part, value);
  },
});

/** The zip of a request that is done; 409 `no_export` otherwise. */
export async function zipReply(runTx: RunTx, part: string, request: PrivacyRequest): Promise<Reply<never>> {
  if (request.type !== "export" || request.status !== "done" || request.email === null) {
    throw fail("conflict", "There is no export to fetch.", { code: "no_export" });
  }
  return raw("application/zip", await archiveOf(runTx, part, request), {
    headers: {
      "Content-Disposition": `attachment; filename="${request.id}.zip"`,
      "Cache-Control": "no-store",
    },
  });
}

export const privacyRoutes = [
  listRequests,
  createRequest,
  getRequest,
  verifyRequest,
  rejectRequest,
  exportRequest,
];
