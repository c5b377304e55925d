import { z } from "zod";

import { Instant, resourceFields } from "../../kernel/schema.ts";

export const Draft = z.strictObject({
  ...resourceFields,
  kind: z.enum(["post", "page", "product_copy", "category_copy", "recipe"]),
  status: z.enum([
    "draft",
    "in_review",
    "changes_requested",
    "approved",
    "scheduled",
    "published",
    "archived",
  ]),
  title: z.string().max(300),
  slug: z.string().max(75),
  /** BCP 47. */
  locale: z.string(),
  body_format: z.enum(["markdown", "html"]),
  body: z.string(),
  excerpt: z.string().max(500),
  tags: z.array(z.string()),
  scheduled_at: Instant.nullable(),
  published_at: Instant.nullable(),
  revision: z.int().positive(),
  word_count: z.int().nonnegative(),
});
export type Draft = z.output<typeof Draft>;
