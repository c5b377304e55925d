import { z } from "zod";

import { fail } from "../../kernel/errors.ts";
import { ok } from "../../kernel/route.ts";
import { Id, ListQuery } from "../../kernel/schema.ts";
import type { Stored } from "../../kernel/tx.ts";
import { changeOf } from "../change.ts";
import { customers, keys } from "../collections.ts";
import type { Key } from "../collections.ts";
import { definePlatformRoute } from "../context.ts";
import type { PlatformCtx } from "../context.ts";
import {
  RevokeBody,
  RotateBody,
  rotateAndShow,
  rotatedExample,
  RotatedView,
  rotateErrors,
} from "../key-routes.ts";
import { keyExample, KeyView, toKeyView } from "../key-view.ts";
import { revokeKey } from "../keys.ts";
import { toViews } from "../paging.ts";
import { standingOf } from "../plans.ts";
import { requirePrincipal } from "./principal.ts";

const params = z.object({ id: Id });

export const listKeys = definePlatformRoute({
  id: "account.keys.list",
  method: "GET",
  path: "/keys",
  summary: "The customer's keys, newest first; never their secrets",
  query: ListQuery,
  data: z.array(KeyView),
  example: { data: [keyExample] },
  async handle({ query }, ctx) {
    const value = requirePrincipal(ctx).customerId;
    const page = await ctx.tx.page(keys, { index: "customer", value, ...query });
    return toViews(page, (key) => toKeyView(ctx.deps, ctx.tx, key, ctx.now));
  },
});

export const rotate = definePlatformRoute({
  id: "account.keys.rotate",
  method: "POST",
  path: "/keys/:id/rotate",
  summary: "Replace a key of the customer; the old one works on during the overlap",
  description:
    "The new key is shown once and has the store, scopes, tier, mode, name and end of life of the old one. A key may rotate itself, and others that may do no more than it may. After ten rotations in an hour, or two for each key of a larger plan, the answer is 429.",
  params,
  body: RotateBody,
  data: RotatedView,
  sensitive: true,
  errors: rotateErrors,
  example: { params: { id: keyExample.id }, body: { overlap_seconds: 86_400 }, data: rotatedExample },
  async handle({ params: { id }, body }, ctx) {
    const change = await changeOf(ctx);
    const key = await requireOwnKey(ctx, id);
    await requireMastery(ctx, key.value);
    await takeRotation(ctx);
    return ok(await rotateAndShow(change, key, body.overlap_seconds));
  },
});

export const revoke = definePlatformRoute({
  id: "account.keys.revoke",
  method: "POST",
  path: "/keys/:id/revoke",
  summary: "End a key of the customer for good, from the next request on",
  description: "A key that ended before is left as it is. A key may end itself.",
  params,
  body: RevokeBody,
  data: KeyView,
  example: {
    params: { id: keyExample.id },
    body: { reason: "leaked" },
    data: {
      ...keyExample,
      status: "revoked",
      accepted: false,
      revoked_at: "2026-06-02T09:00:00.000Z",
      revoked_reason: "leaked",
    },
  },
  async handle({ params: { id }, body }, ctx) {
    const change = await changeOf(ctx);
    const key = await requireOwnKey(ctx, id);
    await requireMastery(ctx, key.value);
    return ok(await toKeyView(ctx.deps, ctx.tx, revokeKey(change, key, body.reason), ctx.now));
  },
});

/** A key of the caller's customer; every other one does not exist for it. */
async function requireOwnKey(ctx: PlatformCtx, id: string): Promise<Stored<Key>> {
  const key = await ctx.tx.get(keys, id);
  if (key?.value.customer_id === requirePrincipal(ctx).customerId) return key;
  throw fail("not_found", "No such resource.");
}

const HOUR_MS = 3_600_000;
const ROTATIONS_MIN = 10;

/**
 * Throws 429 past as many rotations in an hour as would renew every key of the plan twice. A new key begins a window of
 * its own, so without a limit a key could escape its limit by rotating itself again and again.
 */
async function takeRotation(ctx: PlatformCtx): Promise<void> {
  const { deps, tx, now } = ctx;
  const { value: customer } = await tx.require(customers, requirePrincipal(ctx).customerId);
  const { plan } = standingOf(customer, deps.config.plans, now);
  const limit = Math.max(ROTATIONS_MIN, 2 * plan.activeKeys);
  const taken = await deps.store.take(`rotate.${customer.id}`, limit, HOUR_MS);
  if (taken.allowed) return;
  const wait = Math.max(1, Math.ceil((taken.resetAtMs - now) / 1000));
  throw fail("too_many_requests", `Too many keys were rotated within an hour. Retry in ${wait} seconds.`, {
    headers: { "Retry-After": String(wait) },
  });
}

/** 403 unless the caller may do all that the key may do: else a weak key could obtain a strong one. */
async function requireMastery(ctx: PlatformCtx, key: Key): Promise<void> {
  const principal = requirePrincipal(ctx);
  if (key.id === principal.keyId) return;
  const missing = key.scopes.find((scope) => !principal.scopes.has(scope));
  const store = await ctx.deps.accounts.resolveStore(principal, key.store_id, ctx.now);
  if (missing === undefined && store !== null && key.mode === principal.mode) return;
  throw fail("forbidden", "That key may do what this API key may not: another scope, store or mode.");
}
