import { z } from "zod";

import { conflictWhen } from "../../lib/errors.ts";
import { resource } from "../../core/resource.ts";
import { created, empty } from "../../core/reply.ts";
import { Id, ListQuery, withVersion } from "../../core/schema.ts";
import { actorOf, changeOf, runChange } from "../../accounts/change.ts";
import { customers, nameValue, Store, stores } from "../../accounts/collections.ts";
import { defineOperationsRoute } from "../context.ts";
import { revokeKeysOf } from "../../accounts/keys/keys.ts";
import { Ref } from "../../accounts/ref.ts";
import { StoreIdentifier } from "../../accounts/stores/store-identifier.ts";
import { addStore, removeStore } from "../../accounts/stores/stores.ts";

const StoreView = withVersion(Store);
const EXAMPLE_STORE = "sto_01JD8Z5T9QK3M4N5P6R7S8T9V1";

const storeResource = resource({
  id: "admin.stores",
  collection: stores,
  view: StoreView,
  example: EXAMPLE_STORE,
});
const listStores = storeResource.list({
  summary: "List stores, newest first",
  query: ListQuery.extend({ customer_id: Ref.optional(), identifier: StoreIdentifier.optional() }),
  find: ({ customer_id, identifier, ...page }) => ({ ...indexFor(customer_id, identifier), ...page }),
});
const getStore = storeResource.get({ summary: "Retrieve a store" });

function indexFor(customerId: string | undefined, identifier: string | undefined) {
  if (identifier !== undefined) return { index: "name", value: nameValue(identifier, customerId) };
  return customerId === undefined ? {} : { index: "customer", value: customerId };
}

const createStore = defineOperationsRoute({
  id: "admin.stores.create",
  method: "POST",
  path: "/stores",
  summary: "Create an additional store for a customer",
  body: z.strictObject({ customer_id: Id, identifier: StoreIdentifier }),
  data: StoreView,
  status: 201,
  errors: [
    { type: "not_found", when: "No customer has this id." },
    conflictWhen("customer_not_active", "The customer is not active."),
    conflictWhen("store_exists", "The customer already has a store with this identifier."),
    conflictWhen("store_limit", "The limit of stores of the plan has been reached."),
  ],
  example: { body: { customer_id: "cus_7C0Q2J5W8ZB4N6R9T3V1X5Y8A2", identifier: "demo-bakery-2" } },
  async handle({ body: { customer_id, identifier } }, ctx) {
    const change = await changeOf(ctx);
    const customer = await ctx.tx.require(customers, customer_id);
    const store = await addStore(change, customer.value, identifier);
    return created(store, `/stores/${store.id}`);
  },
});

const deleteStore = defineOperationsRoute({
  id: "admin.stores.delete",
  method: "DELETE",
  path: "/stores/:id",
  summary: "Delete an additional store",
  description: "Its keys are revoked immediately and its data is erased after 30 days.",
  data: z.null(),
  errors: [conflictWhen("store_primary", "The store was created at signup. Close the customer instead.")],
  example: { params: { id: EXAMPLE_STORE } },
  async handle({ params: { id } }, ctx) {
    const { deps } = ctx;
    const by = actorOf(ctx);
    const customerId = await runChange(deps, by, async (change) => {
      const store = await change.tx.require(stores, id);
      await removeStore(change, store);
      return store.value.customer_id;
    });
    // Its keys are refused since that commit, because their store was removed; here they are revoked.
    await revokeKeysOf(deps, by, customerId, {
      which: (key) => key.store_id === id,
      reason: "store removed",
    });
    return empty();
  },
});

export const storeRoutes = [listStores, createStore, getStore, deleteStore];
