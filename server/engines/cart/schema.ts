import { z } from "zod";

import { Instant, resourceFields } from "../../kernel/schema.ts";

export const Bundle = z.strictObject({
  ...resourceFields,
  title: z.string().min(1).max(150),
  type: z.enum(["fixed", "mix_match", "tiered"]),
  components: z.array(z.strictObject({ ref: z.string(), qty: z.int().positive() })),
  pricing: z.strictObject({
    kind: z.enum(["fixed_price", "percent_off", "amount_off", "sum"]),
    value: z.int().nonnegative(),
  }),
  auto_apply: z.boolean(),
  subscribable: z.boolean(),
  starts_at: Instant.nullable(),
  ends_at: Instant.nullable(),
  status: z.enum(["draft", "active", "scheduled", "paused", "archived"]),
});
export type Bundle = z.output<typeof Bundle>;
