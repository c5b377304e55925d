import { z } from "zod";

import { Currency, Id, Instant, LocalDate, LocalTime, Minor, resourceFields } from "../../kernel/schema.ts";

export const Quote = z.strictObject({
  ...resourceFields,
  /** Runs per store, as printed on the quote. */
  number: z.int().positive(),
  account_id: Id.nullable(),
  status: z.enum(["draft", "sent", "accepted", "declined", "expired", "withdrawn", "converted"]),
  current_version: z.int().nonnegative(),
  currency: Currency,
  total: Minor,
  event: z.strictObject({
    date: LocalDate,
    start: LocalTime,
    end: LocalTime,
    timezone: z.string(),
    service: z.enum(["drop_off", "set_up", "full_service", "collection"]),
  }),
  headcount: z.strictObject({
    estimate: z.int().nonnegative(),
    min: z.int().nonnegative(),
    max: z.int().nonnegative(),
  }),
  valid_until: Instant,
});
export type Quote = z.output<typeof Quote>;
