import { z } from "zod";

import { defineRoute, list } from "../../../kernel/route.ts";
import { ListQuery, withVersion } from "../../../kernel/schema.ts";
import { quotes } from "../repository.ts";
import { Quote } from "../schema.ts";

const example: z.input<typeof Quote> = {
  id: "cqt_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  created_at: "2026-06-01T09:00:00.000Z",
  updated_at: "2026-06-01T09:00:00.000Z",
  number: 12,
  account_id: null,
  status: "sent",
  current_version: 2,
  currency: "GBP",
  total: 48_500,
  event: { date: "2026-06-19", start: "12:30", end: "14:00", timezone: "Europe/London", service: "drop_off" },
  headcount: { estimate: 30, min: 25, max: 40 },
  valid_until: "2026-06-12T16:00:00.000Z",
};

export const listQuotes = defineRoute({
  id: "catering.quotes.list",
  method: "GET",
  path: "/quotes",
  summary: "Catering quotes, newest first",
  query: ListQuery,
  data: z.array(withVersion(Quote)),
  example: { data: [{ ...example, version: 1 }] },
  handle: async ({ query }, { tx }) => list(await tx.page(quotes, query)),
});
