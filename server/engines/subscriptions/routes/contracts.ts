import { z } from "zod";

import { defineRoute, list } from "../../../kernel/route.ts";
import { ListQuery, withVersion } from "../../../kernel/schema.ts";
import { contracts } from "../repository.ts";
import { Contract } from "../schema.ts";

const example: z.input<typeof Contract> = {
  id: "sub_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  created_at: "2026-06-01T09:00:00.000Z",
  updated_at: "2026-06-01T09:00:00.000Z",
  customer: { id: "ada", email: "ada@shop.example", name: "Ada" },
  status: "active",
  currency: "GBP",
  timezone: "Europe/London",
  lines: [
    {
      id: "lin_1",
      product_ref: "coffee-1kg",
      title: "Coffee, 1 kg",
      quantity: 1,
      unit_price: 1800,
      tax_rate_bps: 0,
    },
  ],
  billing: { interval_unit: "month", interval_count: 1, anchor_date: "2026-01-31" },
  shipping_price: 300,
  start_date: "2026-01-31",
  current_cycle: 4,
  next_billing_date: "2026-05-31",
};

export const listContracts = defineRoute({
  id: "subscriptions.contracts.list",
  method: "GET",
  path: "/contracts",
  summary: "Subscription contracts, newest first",
  query: ListQuery,
  data: z.array(withVersion(Contract)),
  example: { data: [{ ...example, version: 1 }] },
  handle: async ({ query }, { tx }) => list(await tx.page(contracts, query)),
});
