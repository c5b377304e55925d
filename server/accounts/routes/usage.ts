import { z } from "zod";

import { list, values } from "../../core/route.ts";
import { withVersion } from "../../core/schema.ts";
import { defineAccountsRoute } from "../context.ts";
import { BudgetView, viewBudgets, viewStorage } from "../usage/budget-view.ts";
import { UsageDay } from "../usage/usage.ts";
import { pageUsage, usageExample, UsageQuery } from "../usage/usage-query.ts";
import { requirePrincipal } from "./principal.ts";

export const getUsage = defineAccountsRoute({
  id: "account.usage.list",
  method: "GET",
  path: "/usage",
  summary: "List usage by key, day and route, latest day first",
  description: "Counts are written every few seconds. The latest requests may not be included yet.",
  query: UsageQuery,
  data: z.array(withVersion(UsageDay)),
  example: { data: [{ ...usageExample, version: 1 }] },
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
