import { z } from "zod";

import { conflictWhen } from "../../lib/errors.ts";
import { DAY_MS } from "../../lib/instant.ts";
import { made, ok } from "../../core/reply.ts";
import { ListQuery } from "../../core/schema.ts";
import { changeOf } from "../../accounts/change.ts";
import { Key, keys } from "../../accounts/collections.ts";
import { defineOperationsRoute } from "../context.ts";
import { expireDueKeys } from "../../accounts/jobs.ts";
import { issueByHand, NewKeyBody } from "../../accounts/keys/key-order.ts";
import { revokeRoute, rotateAndShow, rotateRoute } from "../../accounts/keys/key-routes.ts";
import { endsAtMs } from "../../accounts/collections.ts";
import { EXAMPLE_KEY, IssuedView, KeyView, toKeyView } from "../../accounts/keys/key-view.ts";
import { activateKey, revokeKey } from "../../accounts/keys/keys.ts";
import { toViews } from "../../accounts/paging.ts";
import { Ref } from "../../accounts/ref.ts";

const example = { params: { id: EXAMPLE_KEY } };

const listKeys = defineOperationsRoute({
  id: "admin.keys.list",
  method: "GET",
  path: "/keys",
  summary: "List API keys, newest first, or by expiry with `expiring_within_days`",
  description:
    "Secrets and their hashes are never returned. With two filters a page can contain fewer items than `limit`.",
  query: ListQuery.extend({
    customer_id: Ref.optional(),
    status: Key.shape.status.optional(),
    expiring_days: z.coerce
      .number()
      .pipe(z.int().min(1).max(3650))
      .optional()
      .meta({ description: "Only keys that expire within this number of days" }),
  }),
  data: z.array(KeyView),
  example: {},
  async handle({ query: { customer_id, status, expiring_days, ...page } }, { deps, tx, now, signal }) {
    // So that the listing by state holds what expired just now.
    await expireDueKeys(deps, { now, signal: signal() });
    const until = expiring_days === undefined ? null : now + expiring_days * DAY_MS;
    const found = await tx.peekPage(keys, { ...indexFor(until, customer_id, status), ...page });
    const items = found.items.filter(({ value }) => until === null || (endsAtMs(value) ?? Infinity) <= until);
    // In the order of their end nothing more can follow the first that ends later.
    const next = items.length < found.items.length ? null : found.next;
    return toViews(
      { items, limit: found.limit, next },
      (key) => toKeyView(deps, tx, key, now),
      (key) =>
        (customer_id === undefined || key.customer_id === customer_id) &&
        (status === undefined || key.status === status),
    );
  },
});

function indexFor(until: number | null, customerId: string | undefined, status: string | undefined) {
  if (until !== null) return { index: "expiry" };
  if (customerId !== undefined) return { index: "customer", value: customerId };
  return status === undefined ? {} : { index: "status", value: status };
}

const getKey = defineOperationsRoute({
  id: "admin.keys.get",
  method: "GET",
  path: "/keys/:id",
  summary: "Retrieve an API key",
  data: KeyView,
  example,
  handle: async ({ params: { id } }, { deps, tx, now }) =>
    ok(await toKeyView(deps, tx, await tx.require(keys, id), now)),
});

const createKey = defineOperationsRoute({
  id: "admin.keys.create",
  role: "support",
  method: "POST",
  path: "/keys",
  summary: "Issue an API key, shown once",
  body: NewKeyBody,
  data: IssuedView,
  status: 201,
  sensitive: true,
  errors: [
    { type: "not_found", when: "No customer has this id." },
    conflictWhen("customer_ambiguous", "Several customers have this address. Specify the store too."),
    conflictWhen(
      "customer_not_active",
      "The customer is not active. Pending customers can only have pending keys.",
    ),
    conflictWhen("active_key_limit", "The limit of active keys of the plan has been reached."),
  ],
  example: {
    body: { email: "dev@bakery.example", store: "demo-bakery", preset: "read-only", name: "Dashboard" },
  },
  async handle({ body }, ctx) {
    const change = await changeOf(ctx);
    const { key, plaintext } = await issueByHand(change, body);
    const view = await toKeyView(ctx.deps, ctx.tx, key, ctx.now);
    return made({ ...view, api_key: plaintext }, `/keys/${key.id}`);
  },
});

const rotate = defineOperationsRoute({
  id: "admin.keys.rotate",
  role: "support",
  ...rotateRoute,
  summary: "Rotate an active API key. The old key stays valid during the overlap",
  async handle({ params: { id }, body }, ctx) {
    const change = await changeOf(ctx);
    return ok(await rotateAndShow(change, await ctx.tx.require(keys, id), body.overlap_seconds));
  },
});

const revoke = defineOperationsRoute({
  id: "admin.keys.revoke",
  role: "support",
  ...revokeRoute,
  summary: "Revoke an API key with immediate effect. Expired and revoked keys do not change",
  async handle({ params: { id }, body }, ctx) {
    const change = await changeOf(ctx);
    const key = revokeKey(change, await ctx.tx.require(keys, id), body.reason);
    return ok(await toKeyView(ctx.deps, ctx.tx, key, ctx.now));
  },
});

const activate = defineOperationsRoute({
  id: "admin.keys.activate",
  role: "support",
  method: "POST",
  path: "/keys/:id/activate",
  summary: "Activate a pending API key",
  data: KeyView,
  errors: [
    conflictWhen("key_not_pending", "The key is not pending."),
    conflictWhen("customer_not_active", "The customer is not active."),
    conflictWhen("active_key_limit", "The limit of active keys of the plan has been reached."),
  ],
  example,
  async handle({ params: { id } }, ctx) {
    const change = await changeOf(ctx);
    const key = await activateKey(change, await ctx.tx.require(keys, id));
    return ok(await toKeyView(ctx.deps, ctx.tx, key, ctx.now));
  },
});

export const keyRoutes = [listKeys, createKey, getKey, rotate, revoke, activate];
