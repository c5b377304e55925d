import { z } from "zod";

import { BUDGETS } from "../../core/budgets.ts";
import type { BudgetName, Budgets, Payer } from "../../core/budgets.ts";
import { toInstant } from "../../lib/instant.ts";
import { Instant } from "../../core/schema.ts";

const names: readonly BudgetName[] = ["mails", "new_recipients", "cpu", "background", "outgoing"];

/** A budget of a customer as it is now. */
export const BudgetView = z.strictObject({
  budget: z.enum(names),
  unit: z.string(),
  window_seconds: z.int(),
  limit: z.int().nullable().meta({ description: "Size of the budget; null is unlimited" }),
  used: z.number(),
  remaining: z.number().nullable(),
  renews_at: Instant.nullable().meta({ description: "End of the window; null while nothing was used" }),
});
export type BudgetView = z.output<typeof BudgetView>;

export const budgetExample: BudgetView = {
  budget: "new_recipients",
  unit: "mails to new recipients",
  window_seconds: 86_400,
  limit: 20,
  used: 3,
  remaining: 17,
  renews_at: "2026-06-02T09:00:00.000Z",
};

/** The budgets of a customer, none of them used by looking. */
export const viewBudgets = (budgets: Budgets, payer: Payer): Promise<BudgetView[]> =>
  Promise.all(
    names.map(async (name) => {
      const { limit, used, remaining, renewsAtMs } = await budgets.look(payer, name);
      const { unit, windowMs } = BUDGETS[name];
      return {
        budget: name,
        unit,
        window_seconds: windowMs / 1000,
        limit,
        used,
        remaining,
        renews_at: renewsAtMs === null ? null : toInstant(renewsAtMs),
      };
    }),
  );
