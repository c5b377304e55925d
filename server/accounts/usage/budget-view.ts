import { z } from "zod";

import { BUDGETS } from "../../core/budgets.ts";
import type { BudgetName, Budgets, Payer, Tenant } from "../../core/budgets.ts";
import { toInstant } from "../../lib/instant.ts";
import { storePartition } from "../../core/partitions.ts";
import { Id, Instant } from "../../core/schema.ts";
import type { StoreDriver } from "../../storage/contract.ts";

const names: readonly BudgetName[] = ["mails", "new_recipients", "cpu", "background", "outgoing", "ai"];

/** A budget of a customer, or a quota of one of its stores, as it is now. */
export const BudgetView = z.strictObject({
  budget: z.enum([...names, "documents", "storage"]),
  unit: z.string(),
  store_id: Id.nullable().meta({ description: "Store of a storage quota; null for what all stores share" }),
  mode: z
    .enum(["live", "test"])
    .nullable()
    .meta({ description: "Whether a quota is of live or of test data" }),
  window_seconds: z.int().nullable().meta({ description: "null for a storage quota, which does not renew" }),
  limit: z.int().nullable().meta({ description: "Size of the budget or quota; null is unlimited" }),
  used: z.number(),
  remaining: z.number().nullable(),
  renews_at: Instant.nullable().meta({ description: "End of the window; null while nothing was used" }),
});
export type BudgetView = z.output<typeof BudgetView>;

/** The budgets of a customer, none of them used by looking. */
export const viewBudgets = (budgets: Budgets, payer: Payer): Promise<BudgetView[]> =>
  Promise.all(
    names.map(async (name) => {
      const { limit, used, remaining, renewsAtMs } = await budgets.look(payer, name);
      const { unit, windowMs } = BUDGETS[name];
      return {
        budget: name,
        unit,
        store_id: null,
        mode: null,
        window_seconds: windowMs / 1000,
        limit,
        used,
        remaining,
        renews_at: renewsAtMs === null ? null : toInstant(renewsAtMs),
      };
    }),
  );

/** The data of a store that a quota is for. */
export interface Holding {
  readonly storeId: string;
  readonly mode: "live" | "test";
}

/** The storage quotas of a customer's stores. */
export async function viewStorage(
  store: Pick<StoreDriver, "usage">,
  { storage }: Pick<Tenant, "storage">,
  holdings: readonly Holding[],
): Promise<BudgetView[]> {
  const views = holdings.map(async ({ storeId, mode }): Promise<BudgetView[]> => {
    const { documents, bytes } = await store.usage(storePartition(storeId, mode));
    const view = (budget: "documents" | "storage", unit: string, used: number): BudgetView => {
      const limit = budget === "documents" ? storage.documents : storage.bytes;
      const remaining = limit === null ? null : Math.max(0, limit - used);
      return {
        budget,
        unit,
        store_id: storeId,
        mode,
        window_seconds: null,
        limit,
        used,
        remaining,
        renews_at: null,
      };
    };
    return [view("documents", "documents", documents), view("storage", "bytes", bytes)];
  });
  return (await Promise.all(views)).flat();
}
