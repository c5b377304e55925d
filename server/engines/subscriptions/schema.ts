import { z } from "zod";

import { Currency, LocalDate, Minor, resourceFields } from "../../kernel/schema.ts";

export const Contract = z.strictObject({
  ...resourceFields,
  customer: z.strictObject({ id: z.string(), email: z.string(), name: z.string() }),
  status: z.enum(["draft", "pending", "active", "paused", "past_due", "unpaid", "cancelled", "expired"]),
  currency: Currency,
  timezone: z.string(),
  lines: z.array(
    z.strictObject({
      id: z.string(),
      product_ref: z.string(),
      title: z.string(),
      quantity: z.int().positive(),
      unit_price: Minor,
      tax_rate_bps: z.int().nonnegative(),
    }),
  ),
  billing: z.strictObject({
    interval_unit: z.enum(["day", "week", "month", "year"]),
    interval_count: z.int().positive(),
    anchor_date: LocalDate,
  }),
  shipping_price: Minor,
  start_date: LocalDate,
  current_cycle: z.int().nonnegative(),
  next_billing_date: LocalDate.nullable(),
});
export type Contract = z.output<typeof Contract>;
