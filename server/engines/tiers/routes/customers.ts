import { z } from "zod";

import { defineRoute, list } from "../../../kernel/route.ts";
import { ListQuery, withVersion } from "../../../kernel/schema.ts";
import { customers } from "../repository.ts";
import { CustomerAggregate } from "../schema.ts";

const example: z.input<typeof CustomerAggregate> = {
  id: "tcu_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  created_at: "2026-06-01T09:00:00.000Z",
  updated_at: "2026-06-01T09:00:00.000Z",
  customer_id: "ada",
  tier: {
    level_id: "lvl_gold",
    name: "Gold",
    rank: 3,
    since: "2026-02-01T00:00:00.000Z",
    expires_on: "2027-01-31",
    state: "held",
  },
  totals: { orders: 14, spend: 61_250, refunds: 0 },
  currency: "GBP",
  first_order_at: "2025-03-02T10:15:00.000Z",
  last_order_at: "2026-05-28T16:40:00.000Z",
  as_of: "2026-06-01T00:00:00.000Z",
};

export const listCustomers = defineRoute({
  id: "tiers.customers.list",
  method: "GET",
  path: "/customers",
  summary: "Per-customer tier aggregates, newest first",
  query: ListQuery,
  data: z.array(withVersion(CustomerAggregate)),
  example: { data: [{ ...example, version: 1 }] },
  handle: async ({ query }, { tx }) => list(await tx.page(customers, query)),
});
