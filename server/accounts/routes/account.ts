import { z } from "zod";

import { ok } from "../../core/route.ts";
import { Instant } from "../../core/schema.ts";
import { Customer, customers, keys, Store, stores } from "../collections.ts";
import { defineAccountsRoute } from "../context.ts";
import { standingFields, toCustomerView } from "../customers/customer-view.ts";
import type { CustomerView } from "../customers/customer-view.ts";
import { KeyView, toKeyView } from "../keys/key-view.ts";
import { requirePrincipal } from "./principal.ts";

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
