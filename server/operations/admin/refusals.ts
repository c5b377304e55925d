import { z } from "zod";

import { values } from "../../core/reply.ts";
import { ListQuery, LocalDate } from "../../core/schema.ts";
import { usageDays } from "../../accounts/usage/usage.ts";
import { defineOperationsRoute } from "../context.ts";

const Count = z.int().nonnegative();
const RefusedKey = z.strictObject({
  key_id: z.string(),
  customer_id: z.string(),
  day: LocalDate,
  rate_limited: Count.meta({ description: "Requests refused with 429 on this day" }),
  by_hour: z.array(Count).length(24).meta({ description: "The same by hour, UTC" }),
  routes: z
    .array(z.strictObject({ route: z.string().nullable(), rate_limited: Count }))
    .meta({ description: "The same by route, the most refused first" }),
});

const listRefusals = defineOperationsRoute({
  id: "admin.limits.refusals",
  method: "GET",
  path: "/limits/refusals",
  summary: "List the keys that exceeded their rate limit on a day, by hour and route",
  query: ListQuery.extend({ day: LocalDate.optional().meta({ description: "UTC. Default: today" }) }),
  data: z.array(RefusedKey),
  example: {
    query: { day: "2026-06-01" },
    data: [
      {
        key_id: "key_01JD8Z5T9QK3M4N5P6R7S8T9V0",
        customer_id: "cus_7C0Q2J5W8ZB4N6R9T3V1X5Y8A2",
        day: "2026-06-01",
        rate_limited: 7,
        by_hour: Array.from({ length: 24 }, (_, hour) => (hour === 16 ? 7 : 0)),
        routes: [{ route: "reviews.reviews.list", rate_limited: 7 }],
      },
    ],
  },
  async handle({ query: { day, limit, cursor } }, { deps, tx, nowAt }) {
    // The operator looks at what is, not at what was a few seconds ago.
    await deps.usage.flush();
    const value = day ?? nowAt.slice(0, 10);
    const page = await tx.peekPage(usageDays, { index: "refused", value, limit, cursor });
    const items = page.items.map(({ value: usage }) => ({
      key_id: usage.key_id,
      customer_id: usage.customer_id,
      day: usage.day,
      rate_limited: usage.rate_limited,
      by_hour: usage.refused_by_hour,
      routes: usage.routes
        .filter((counted) => counted.rate_limited > 0)
        .map(({ route, rate_limited }) => ({ route, rate_limited }))
        .sort((one, other) => other.rate_limited - one.rate_limited),
    }));
    return values(items, { limit, next: page.next });
  },
});

export const refusalRoutes = [listRefusals];
