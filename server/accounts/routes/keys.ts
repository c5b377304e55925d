import { z } from "zod";

import { conflictWhen, fail, tooManyRequests } from "../../lib/errors.ts";
import { made, ok } from "../../core/reply.ts";
import { ListQuery } from "../../core/schema.ts";
import type { Stored } from "../../core/tx.ts";
import { changeOf } from "../change.ts";
import { customers, keys, stores } from "../collections.ts";
import type { Key } from "../collections.ts";
import { defineAccountsRoute } from "../context.ts";
import type { AccountsCtx } from "../context.ts";
import { toInstant } from "../../lib/instant.ts";
import { freeText } from "../free-text.ts";
import { chooseScopes } from "../keys/key-order.ts";
import { revokeRoute, rotateAndShow, rotateRoute } from "../keys/key-routes.ts";
import { EXAMPLE_KEY, IssuedView, KeyView, toKeyView } from "../keys/key-view.ts";
import { issueKey, revokeKey } from "../keys/keys.ts";
import { toViews } from "../paging.ts";
import { standingOf } from "../plans/plans.ts";
import { requirePrincipal } from "./principal.ts";

export const listKeys = defineAccountsRoute({
  id: "account.keys.list",
  method: "GET",
  path: "/keys",
  summary: "List API keys, newest first. Secrets are never returned",
  query: ListQuery,
  data: z.array(KeyView),
  example: {},
  async handle({ query }, ctx) {
    const value = requirePrincipal(ctx).customerId;
    const page = await ctx.tx.peekPage(keys, { index: "customer", value, ...query });
    return toViews(page, (key) => toKeyView(ctx.deps, ctx.tx, key, ctx.now));
  },
});

const TEN_YEARS_SECONDS = 10 * 365 * 86_400;
export const createPublicKey = defineAccountsRoute({
  id: "account.keys.create",
  method: "POST",
  path: "/keys",
  summary: "Create a publishable key for web pages",
  description:
    "The key belongs to the store and mode of the calling key. Its scopes are limited to reading published data (`…:public`) and submitting forms and reviews (`…:submit`). It can be retrieved again later. `PATCH /v1/account/browser` sets the origins that may use it. Secret keys are issued by the operator or by rotation. At most ten keys per hour, or two per key of a larger plan, can be created; further requests fail with 429.",
  body: z
    .strictObject({
      name: freeText(100).default("Publishable key"),
      scopes: z.array(z.string().max(60)).min(1).max(50).optional(),
      preset: z
        .enum(["read-only", "full"])
        .optional()
        .meta({ description: "Instead of `scopes`: all read scopes, or all scopes, of publishable keys" }),
      expires_in_seconds: z.int().min(1).max(TEN_YEARS_SECONDS).optional(),
    })
    .refine((body) => (body.scopes === undefined) !== (body.preset === undefined), {
      path: ["scopes"],
      error: "Specify either `scopes` or `preset`.",
    }),
  data: IssuedView,
  status: 201,
  errors: [
    conflictWhen("active_key_limit", "The limit of active publishable keys of the plan has been reached."),
  ],
  example: { body: { name: "Shop pages", preset: "full" } },
  async handle({ body }, ctx) {
    const { deps, tx, now } = ctx;
    const change = await changeOf(ctx);
    const { customerId, mode, store } = requirePrincipal(ctx);
    await requireNewKey(ctx, "creations");
    const expires = body.expires_in_seconds;
    const { key, plaintext } = await issueKey(change, {
      customer: (await tx.require(customers, customerId)).value,
      store: (await tx.require(stores, store.id)).value,
      name: body.name,
      kind: "publishable",
      scopes: chooseScopes(deps.openScopes, body),
      mode,
      tier: null,
      expires_at: expires === undefined ? null : toInstant(now + expires * 1000),
      pending: false,
      activates_at: null,
      replaces: null,
    });
    return made({ ...(await toKeyView(deps, tx, key, now)), api_key: plaintext }, `/keys/${key.id}`);
  },
});

export const getKey = defineAccountsRoute({
  id: "account.keys.get",
  method: "GET",
  path: "/keys/:id",
  summary: "Retrieve an API key. The response includes the key itself only if it is publishable",
  data: KeyView,
  example: { params: { id: EXAMPLE_KEY } },
  handle: async ({ params: { id } }, ctx) =>
    ok(await toKeyView(ctx.deps, ctx.tx, await requireOwnKey(ctx, id), ctx.now)),
});

export const rotate = defineAccountsRoute({
  id: "account.keys.rotate",
  ...rotateRoute,
  summary: "Rotate an API key. The old key stays valid during the overlap",
  description:
    "The new key is shown once and has the same store, scopes, tier, mode, name and expiry as the old one. A key can rotate itself and keys with the same or fewer permissions. At most ten rotations per hour, or two per key of a larger plan, are allowed; further requests fail with 429.",
  async handle({ params: { id }, body }, ctx) {
    const change = await changeOf(ctx);
    const key = await requireOwnKey(ctx, id);
    await requireMastery(ctx, key.value);
    await requireNewKey(ctx, "rotations");
    return ok(await rotateAndShow(change, key, body.overlap_seconds));
  },
});

export const revoke = defineAccountsRoute({
  id: "account.keys.revoke",
  ...revokeRoute,
  summary: "Revoke an API key with immediate effect",
  description: "Keys that have already expired or been revoked do not change. A key can revoke itself.",
  async handle({ params: { id }, body }, ctx) {
    const change = await changeOf(ctx);
    const key = await requireOwnKey(ctx, id);
    await requireMastery(ctx, key.value);
    return ok(await toKeyView(ctx.deps, ctx.tx, revokeKey(change, key, body.reason), ctx.now));
  },
});

/** A key of the caller's customer; every other one does not exist for it. */
async function requireOwnKey(ctx: AccountsCtx, id: string): Promise<Stored<Key>> {
  const key = await ctx.tx.get(keys, id);
  if (key?.value.customer_id === requirePrincipal(ctx).customerId) return key;
  throw fail("not_found", "No resource with this id.");
}

const HOUR_MS = 3_600_000;
const NEW_KEYS_MIN = 10;

/**
 * Throws 429 past as many new keys in an hour as would renew every key of the plan twice. A new key begins a window of
 * its own, so without a limit a key could escape its limit by rotating itself again and again; and what is recorded of each key
 * outlives it, in no quota.
 */
async function requireNewKey(ctx: AccountsCtx, what: "rotations" | "creations"): Promise<void> {
  const { deps, tx, now } = ctx;
  const { value: customer } = await tx.require(customers, requirePrincipal(ctx).customerId);
  const { plan } = standingOf(customer, deps.config.plans, now);
  const limit = Math.max(NEW_KEYS_MIN, 2 * plan.activeKeys);
  // Keys are counted and not requests: a transaction that lost a race runs again.
  const recent = await newKeysOf(tx, customer.id, now - HOUR_MS);
  const alike = recent.filter(({ replaces, kind }) =>
    what === "rotations" ? replaces !== null : replaces === null && kind === "publishable",
  );
  const oldest = alike[limit - 1];
  if (oldest === undefined) return;
  const endsAtMs = Date.parse(oldest.created_at) + HOUR_MS;
  throw tooManyRequests(`Limit of ${limit} key ${what} per hour exceeded.`, endsAtMs - now);
}

/** Keys of a customer that were created after an instant, the newest first. */
async function newKeysOf(tx: AccountsCtx["tx"], customerId: string, afterMs: number): Promise<Key[]> {
  const found: Key[] = [];
  let cursor: string | undefined;
  do {
    const page = await tx.peekPage(keys, { index: "customer", value: customerId, limit: 100, cursor });
    const recent = page.items.filter(({ value }) => Date.parse(value.created_at) > afterMs);
    found.push(...recent.map(({ value }) => value));
    cursor = recent.length < page.items.length ? undefined : (page.next ?? undefined);
  } while (cursor !== undefined);
  return found;
}

/** 403 unless the caller may do all that the key may do: else a weak key could obtain a strong one. */
async function requireMastery(ctx: AccountsCtx, key: Key): Promise<void> {
  const principal = requirePrincipal(ctx);
  if (key.id === principal.keyId) return;
  // A publishable key does only what anybody may, and no secret key holds its scopes.
  const needed = key.kind === "publishable" ? [] : key.scopes;
  const missing = needed.find((scope) => !principal.scopes.has(scope));
  const store = await ctx.deps.accounts.resolveStore(principal, key.store_id, ctx.now);
  if (missing === undefined && store !== null && key.mode === principal.mode) return;
  throw fail(
    "forbidden",
    "The calling API key lacks a scope, store or mode of that key. Use a key with at least the same permissions.",
  );
}
