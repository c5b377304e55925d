import { z } from "zod";

import { Instant, resourceFields } from "../../kernel/schema.ts";

export const Review = z.strictObject({
  ...resourceFields,
  target: z.strictObject({
    type: z.enum(["product", "variant", "store", "menu", "menu_item", "service"]),
    id: z.string(),
  }),
  rating: z.int().min(1).max(5),
  title: z.string().max(150),
  body: z.string().max(5000),
  author: z.strictObject({ display_name: z.string().max(100), is_anonymous: z.boolean() }),
  locale: z.string(),
  status: z.enum(["pending", "published", "rejected", "quarantined", "withdrawn"]),
  verification: z.enum(["none", "email_confirmed", "verified_buyer", "verified_purchase"]),
  published_at: Instant.nullable(),
});
export type Review = z.output<typeof Review>;
