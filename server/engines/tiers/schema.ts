import { z } from "zod";

import { Currency, Id, Instant, LocalDate, Minor, resourceFields } from "../../kernel/schema.ts";

export const CustomerAggregate = z.strictObject({
  ...resourceFields,
  customer_id: z.string(),
  tier: z.strictObject({
    level_id: Id,
    name: z.string(),
    rank: z.int().nonnegative(),
    since: Instant,
    expires_on: LocalDate.nullable(),
    state: z.enum(["held", "grace", "protected", "manual"]),
  }),
  totals: z.strictObject({ orders: z.int().nonnegative(), spend: Minor, refunds: Minor }),
  currency: Currency,
  first_order_at: Instant.nullable(),
  last_order_at: Instant.nullable(),
  as_of: Instant,
});
export type CustomerAggregate = z.output<typeof CustomerAggregate>;
