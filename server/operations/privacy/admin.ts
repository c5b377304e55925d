import { z } from "zod";

import { conflictWhen } from "../../lib/errors.ts";
import { storePartition } from "../../core/partitions.ts";
import { item, made } from "../../core/reply.ts";
import { Id } from "../../core/schema.ts";
import { runChange, actorOf } from "../../accounts/change.ts";
import { stores } from "../../accounts/collections.ts";
import { defineOperationsRoute } from "../context.ts";
import type { OperationsCtx } from "../context.ts";
import { ask, PrivacyWish } from "./ask.ts";
import { EXAMPLE_REQUEST, noExport, PrivacyView, zipReply } from "./routes.ts";
import { PrivacyRequest, privacyRequests } from "./schema.ts";

const storeId = "sto_01JD8Z5T9QK3M4N5P6R7S8T9V1";
const params = { store_id: storeId, id: EXAMPLE_REQUEST };
const missing = { type: "not_found", when: "No store or request has this id" } as const;

const createRequest = defineOperationsRoute({
  id: "admin.privacy.create",
  method: "POST",
  path: "/privacy-requests",
  status: 201,
  summary: "Create a request to export or erase the data of a person in a store",
  body: PrivacyWish.extend({ store_id: Id }),
  data: PrivacyRequest,
  errors: [missing, conflictWhen("limit_reached", "The limit of open requests has been reached")],
  example: { body: { store_id: storeId, type: "export", email: "ada@shop.example" } },
  async handle({ body: { store_id, ...wish } }, ctx) {
    const { now, newId, ports, deps } = ctx;
    const store = await ctx.tx.require(stores, store_id);
    const part = storePartition(store_id, "live");
    const by = { now, newId, ports, shopName: store.value.identifier, by: "operator" as const };
    const { value } = await deps.runTx(part, (tx) => ask(tx, wish, by));
    // What was asked for, never about whom.
    await runChange(deps, actorOf(ctx), async ({ record }) =>
      record({
        action: `privacy.${wish.type}_asked`,
        subject: value.id,
        customer_id: store.value.customer_id,
      }),
    );
    return made(value, `/privacy-requests/${store_id}/${value.id}`);
  },
});

const getRequest = defineOperationsRoute({
  id: "admin.privacy.get",
  method: "GET",
  path: "/privacy-requests/:store_id/:id",
  summary: "Retrieve the status and result of a privacy request",
  data: PrivacyView,
  errors: [missing],
  example: { params },
  handle: async ({ params: { store_id, id } }, ctx) => {
    const part = await requirePart(ctx, store_id);
    return item(await ctx.deps.runTx(part, (tx) => tx.require(privacyRequests, id)));
  },
});

const exportRequest = defineOperationsRoute({
  id: "admin.privacy.export",
  role: "owner",
  method: "GET",
  path: "/privacy-requests/:store_id/:id/export",
  summary: "Download an export as a zip file",
  data: z.string(),
  rawType: "application/zip",
  errors: [missing, noExport],
  example: { params },
  async handle({ params: { store_id, id } }, ctx) {
    const { deps } = ctx;
    const part = await requirePart(ctx, store_id);
    const request = await deps.runTx(part, (tx) => tx.require(privacyRequests, id));
    return zipReply(deps.runTx, part, request.value);
  },
});

/** The partition of a store that exists: 404 for any other text, which may be no name of a partition at all. */
const requirePart = async ({ tx }: OperationsCtx, storeId: string): Promise<string> =>
  storePartition((await tx.require(stores, storeId)).id, "live");

export const privacyAdminRoutes = [createRequest, getRequest, exportRequest];
