import type { PlatformConfig } from "../config/schema.ts";
import type { StoreOwner, Tenant } from "../core/budgets.ts";
import type { Clock } from "../core/clock.ts";
import { fromText } from "../core/collection.ts";
import type { Collection } from "../core/collection.ts";
import type { StoreDriver } from "../storage/contract.ts";
import type { Plan } from "../config/plans.ts";
import { PLATFORM_PART } from "../core/partitions.ts";
import { customers, stores } from "./collections.ts";
import type { Customer } from "./collections.ts";
import { standingOf } from "./plans/plans.ts";

/** The customer that a store's partition belongs to, as far as its budgets and its mail depend on it. */
export interface Owner extends Tenant, StoreOwner {
  /** As typed at the signup. */
  readonly email: string;
  /** The store's identifier. */
  readonly store: string;
  readonly plan: Plan;
}

/** Finds the owner of a partition, at the plan of this moment; null for the platform's own and for a removed store. */
export type FindOwner = (part: string) => Promise<Owner | null>;

export function createFindOwner(deps: {
  readonly store: Pick<StoreDriver, "get">;
  readonly clock: Clock;
  readonly config: Pick<PlatformConfig, "plans">;
}): FindOwner {
  const read = async <T>(collection: Collection<T>, id: string): Promise<T | null> => {
    const doc = await deps.store.get(`${PLATFORM_PART}:${collection.name}:${id}`);
    return doc === null ? null : fromText(collection, doc.value);
  };
  return async (part) => {
    if (part === PLATFORM_PART) return null;
    const store = await read(stores, storeIdOfPart(part));
    const customer = store === null ? null : await read(customers, store.customer_id);
    if (store === null || customer === null) return null;
    const { plan } = standingOf(customer, deps.config.plans, deps.clock.now());
    return {
      ...payerOf(customer, plan),
      email: customer.email,
      store: store.identifier,
      plan,
      isActive: customer.status === "active",
    };
  };
}

/** The budgets of a customer on a plan; one that the operator trusts may write to new recipients as to all others. */
export const payerOf = (customer: Pick<Customer, "id" | "trusted_at">, plan: Plan): Tenant => ({
  customerId: customer.id,
  limits: {
    mails: plan.mailsPerDay,
    new_recipients: customer.trusted_at === null ? plan.newRecipientsPerDay : null,
    cpu: plan.cpuSecondsPerHour,
    background: plan.backgroundSecondsPerHour,
    outgoing: plan.outgoingPerHour,
    ai: plan.aiTokensPerDay,
  },
  storage: {
    documents: plan.documentsPerStore,
    bytes: plan.megabytesPerStore === null ? null : plan.megabytesPerStore * 1_000_000,
  },
});

/** The store whose data a partition holds, live or test. */
export const storeIdOfPart = (part: string): string =>
  part.replace(/_test$/, "").replace(/^sto_(.*)$/, (_, ulid: string) => `sto_${ulid.toUpperCase()}`);
