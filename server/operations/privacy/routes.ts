import { z } from "zod";

import { conflict, conflictWhen } from "../../lib/errors.ts";
import { resource } from "../../core/resource.ts";
import { created, item, raw } from "../../core/reply.ts";
import type { Reply } from "../../core/reply.ts";
import { withVersion } from "../../core/schema.ts";
import type { RunTx } from "../../core/tx.ts";
import { defineOperationsRoute } from "../context.ts";
import { requirePersonalData } from "../data-scopes.ts";
import { archiveOf } from "./archive.ts";
import { ask, PrivacyWish, requireReceived, verified } from "./ask.ts";
import { closed } from "./job.ts";
import { PrivacyRequest, privacyRequests } from "./schema.ts";

export const PrivacyView = withVersion(PrivacyRequest);
const NO_BODY = z.strictObject({}).default({});

export const EXAMPLE_REQUEST = "prv_01JD8Z5T9QK3M4N5P6R7S8T9V0";
const params = { id: EXAMPLE_REQUEST };
const missing = { type: "not_found", when: "No request has this id" } as const;
const badState = conflictWhen("invalid_transition", "The status of the request does not allow this");
const full = conflictWhen("limit_reached", "The limit of open requests has been reached");
export const noExport = conflictWhen(
  "no_export",
  "The request is not an export, is not complete, or has expired",
);

const requests = resource({
  id: "account.privacy-requests",
  collection: privacyRequests,
  view: PrivacyView,
  example: EXAMPLE_REQUEST,
});
const listRequests = requests.list({ summary: "List privacy requests, newest first" });

const createRequest = defineOperationsRoute({
  id: "account.privacy-requests.create",
  method: "POST",
  path: "/privacy-requests",
  status: 201,
  summary: "Create a privacy request to export or erase the data of a person",
  description:
    "Finds the data by e-mail address in all engines, in live and test data; with a test key in test data only. The store's own " +
    "customer id of the address and its data are included, unless other addresses share that id. Processing starts within seconds. Erasing anonymises " +
    "the data that accounting needs and deletes the rest; it cannot be undone. Data that must be retained by law, such as the name on an invoice, is listed " +
    "in `evidence.retained` with the reason and the date until which it is retained. An export requires the scope `read` of every engine; " +
    "an erasure requires `account:manage` and the scope `write` of every engine.",
  body: PrivacyWish,
  data: PrivacyView,
  errors: [full],
  example: { body: { type: "erase", email: "ada@shop.example", verify: true } },
  async handle({ body }, ctx) {
    const { tx, now, newId, ports, store } = ctx;
    requirePersonalData(ctx, body.type);
    const by = { now, newId, ports, shopName: store.identifier, by: "shop" as const };
    const request = await ask(tx, body, by);
    return created(request, `/privacy-requests/${request.id}`);
  },
});

const getRequest = requests.get({
  summary: "Retrieve a privacy request with its status and result",
  errors: [missing],
});

const verifyRequest = defineOperationsRoute({
  id: "account.privacy-requests.verify",
  method: "POST",
  path: "/privacy-requests/:id/verify",
  summary: "Verify a privacy request on behalf of the person",
  body: NO_BODY,
  data: PrivacyView,
  errors: [missing, badState],
  example: { params, body: {} },
  async handle({ params: { id } }, ctx) {
    const { tx, nowAt } = ctx;
    const stored = await tx.require(privacyRequests, id);
    requirePersonalData(ctx, stored.value.type);
    return item(tx.put(privacyRequests, stored, verified(stored.value, "shop", nowAt)));
  },
});

const rejectRequest = requests.action("reject", {
  summary: "Reject a privacy request that has not started",
  body: NO_BODY,
  errors: [missing, badState],
  example: { body: {} },
  async handle({ params: { id } }, { tx, nowAt }) {
    const stored = await tx.require(privacyRequests, id);
    requireReceived(stored.value);
    return item(tx.put(privacyRequests, stored, closed(stored.value, "rejected", nowAt)));
  },
});

const exportRequest = defineOperationsRoute({
  id: "account.privacy-requests.export",
  cost: 10,
  method: "GET",
  path: "/privacy-requests/:id/export",
  scope: "write",
  summary: "Download the export as a zip file with JSON and CSV per collection",
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
    throw conflict(
      "no_export",
      "No export is available for this request. Exports can be downloaded once the status is completed and until they expire.",
    );
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
