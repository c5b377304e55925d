import { z } from "zod";

import { ok, list, values } from "../../core/reply.ts";
import { Instant, withVersion } from "../../core/schema.ts";
import { Customer, customers, keys, Store, stores } from "../collections.ts";
import { defineAccountsRoute } from "../context.ts";
import { standingFields, toCustomerView } from "../customers/customer-view.ts";
import type { CustomerView } from "../customers/customer-view.ts";
import { KeyView, toKeyView } from "../keys/key-view.ts";
import { requirePrincipal } from "./principal.ts";
import { toRateState } from "../../http/headers.ts";
import { BudgetView, viewBudgets, viewStorage } from "../usage/budget-view.ts";
import { UsageDay } from "../usage/usage.ts";
import { pageUsage, UsageQuery } from "../usage/usage-query.ts";

const STORES_SHOWN = 100;

const AccountView = z.object({
  customer: z.object({
    id: z.string(),
    email: z.string(),
    status: Customer.shape.status,
    created_at: Instant,
    ...standingFields,
    trial_ends_at: Instant.nullable(),
    plan_ends_at: Instant.nullable().meta({ description: "Time at which a cancelled plan ends" }),
  }),
  stores: z
    .array(Store.pick({ id: true, identifier: true, primary: true }))
    .meta({ description: `Newest first, at most ${STORES_SHOWN}` }),
  store: Store.pick({ id: true, identifier: true }).meta({
    description: "The store that this request applies to",
  }),
  key: KeyView.pick({
    id: true,
    prefix: true,
    last4: true,
    name: true,
    mode: true,
    status: true,
    tier: true,
    requests_per_minute: true,
    scopes: true,
    expires_at: true,
    replaced_by: true,
    last_used_at: true,
  }),
});
type AccountView = z.output<typeof AccountView>;

export const getAccount = defineAccountsRoute({
  id: "account.account.get",
  method: "GET",
  path: "",
  summary: "Retrieve the account: customer, plan, trial, stores and the calling key",
  data: AccountView,
  example: {},
  async handle(_, ctx) {
    const { deps, tx, now } = ctx;
    const { customerId, keyId } = requirePrincipal(ctx);
    const found = await tx.require(customers, customerId);
    const owned = await tx.peekPage(stores, { index: "customer", value: customerId, limit: STORES_SHOWN });
    const key = await toKeyView(deps, tx, await tx.require(keys, keyId), now);
    return ok<AccountView>({
      customer: toAccountCustomer(toCustomerView(found, deps.config.plans, now)),
      stores: owned.items.map(({ value: { id, identifier, primary } }) => ({ id, identifier, primary })),
      store: ctx.store,
      key: toAccountKey(key),
    });
  },
});

function toAccountCustomer(view: CustomerView): AccountView["customer"] {
  const { id, email, status, created_at, trial_ends_at, plan_ends_at } = view;
  const { plan, plan_state, base_plan, trial_days_left, requests_per_minute } = view;
  const standing = { plan, plan_state, base_plan, trial_days_left, requests_per_minute };
  return { id, email, status, created_at, ...standing, trial_ends_at, plan_ends_at };
}

function toAccountKey(view: KeyView): AccountView["key"] {
  const { id, prefix, last4, name, mode, status, tier, requests_per_minute, scopes } = view;
  const { expires_at, replaced_by, last_used_at } = view;
  const own = { id, prefix, last4, name, mode, status, tier, requests_per_minute, scopes };
  return { ...own, expires_at, replaced_by, last_used_at };
}

const RateLimitView = z.object({
  limit: z.int().meta({ description: "Requests allowed per window" }),
  remaining: z.int(),
  used: z.int(),
  reset: z.int().meta({ description: "When the window resets, Unix time in seconds" }),
  window_seconds: z.int(),
});

export const getRateLimit = defineAccountsRoute({
  id: "account.rate-limit.get",
  method: "GET",
  path: "/rate-limit",
  summary: "Retrieve the current rate limit window without consuming a request",
  data: RateLimitView,
  cost: 0,
  example: {},
  async handle(_, { rate, now }) {
    if (rate === null) throw new Error("Account route called without a rate limit.");
    const { limit, remaining, reset } = toRateState(rate, now);
    return ok({ limit, remaining, used: limit - remaining, reset, window_seconds: 60 });
  },
});

export const getUsage = defineAccountsRoute({
  id: "account.usage.list",
  method: "GET",
  path: "/usage",
  summary: "List usage by key, day and route, latest day first",
  description:
    "Counts are written every few seconds, those of a key that has called more than 50 routes on the day every minute. The latest requests may not be included yet.",
  query: UsageQuery,
  data: z.array(withVersion(UsageDay)),
  example: {},
  handle: async ({ query }, ctx) =>
    list(await pageUsage(ctx.tx, { ...query, customerId: requirePrincipal(ctx).customerId })),
});

export const getBudgets = defineAccountsRoute({
  id: "account.budgets.list",
  method: "GET",
  path: "/usage/budgets",
  summary: "What the customer has used of its budgets, when they renew, and what the store contains",
  description:
    "Budgets are shared by all stores and keys of the customer. `documents` and `storage` are the quotas of the store, of live or test data like the key. Looking at them uses none.",
  data: z.array(BudgetView),
  cost: 0,
  example: {},
  async handle(_, ctx) {
    const { payer, store, mode } = requirePrincipal(ctx);
    const budgets = await viewBudgets(ctx.deps.budgets, payer);
    return values([...budgets, ...(await viewStorage(ctx.deps.store, payer, [{ storeId: store.id, mode }]))]);
  },
});
