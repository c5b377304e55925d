import { z } from "zod";

import { defineRoute, list } from "../../../kernel/route.ts";
import { ListQuery, withVersion } from "../../../kernel/schema.ts";
import { reviews } from "../repository.ts";
import { Review } from "../schema.ts";

const example: z.input<typeof Review> = {
  id: "rev_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  created_at: "2026-06-01T09:00:00.000Z",
  updated_at: "2026-06-01T09:00:00.000Z",
  target: { type: "product", id: "oat-bar" },
  rating: 5,
  title: "Good crumb",
  body: "Gone by noon.",
  author: { display_name: "Ada", is_anonymous: false },
  locale: "en-GB",
  status: "published",
  verification: "verified_purchase",
  published_at: "2026-06-01T09:00:00.000Z",
};

export const listReviews = defineRoute({
  id: "reviews.reviews.list",
  method: "GET",
  path: "",
  summary: "Reviews, newest first",
  query: ListQuery,
  data: z.array(withVersion(Review)),
  example: { data: [{ ...example, version: 1 }] },
  handle: async ({ query }, { tx }) => list(await tx.page(reviews, query)),
});
