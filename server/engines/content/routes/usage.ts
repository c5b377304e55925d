import { z } from "zod";

import { UsageDay, usageDays, UsageRecord, usageRecords } from "../../../core/ai-ledger.ts";
import { pageOf } from "../../../core/computed-page.ts";
import { mapPage } from "../../../core/map-page.ts";
import { invalidParameter } from "../../../lib/errors.ts";
import { addDays, daysBetween } from "../../../lib/local-time.ts";
import type { Ctx } from "../../../core/route.ts";
import { list, values } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { routesOf } from "../../../core/resource.ts";
import { Id, listFields, LocalDate, withVersion } from "../../../core/schema.ts";
import { GROUPS, sumUsage } from "../rules/sum-usage.ts";

const DAYS_MAX = 366;
const ROWS_MAX = 50_000;

const Sum = UsageDay.omit({
  id: true,
  day: true,
  engine: true,
  operation: true,
  provider: true,
  model: true,
  key_id: true,
}).extend({
  group: z.string().nullable().meta({ description: "Value of group_by; null for the total" }),
});

const sums = routesOf({ id: "content.usage", view: Sum }).list({
  summary: "Summarise AI usage",
  description:
    "Sums the records from `from` to `to` (UTC, both inclusive; default: the last thirty days), one row per value of " +
    "group_by and currency. Equals the sum of GET /usage/records.",
  query: z.object({
    ...listFields,
    from: LocalDate.optional(),
    to: LocalDate.optional(),
    group_by: z.enum(GROUPS).optional(),
  }),
  example: {
    query: { group_by: "model" },
  },
  handle: async ({ query }, ctx) => {
    const to = query.to ?? ctx.nowAt.slice(0, 10);
    const from = query.from ?? addDays(to, -29);
    if (daysBetween(from, to) < 0) throw invalidParameter("from", "`from` must not be later than `to`.");
    if (daysBetween(from, to) >= DAYS_MAX)
      throw invalidParameter("from", `The range must be at most ${DAYS_MAX} days.`);
    const rows = sumUsage(await daysOf(ctx, from, to), query.group_by ?? null);
    const place = { part: ctx.tx.part, list: `content.usage.${from}.${to}.${query.group_by ?? ""}` };
    const page = pageOf(rows, ({ group, currency }) => `${group ?? ""} ${currency}`, place, query);
    return values(page.items, page);
  },
});

async function daysOf({ tx }: Ctx, from: string, to: string): Promise<UsageDay[]> {
  const days: UsageDay[] = [];
  let cursor: string | undefined;
  do {
    const query = { index: "day", limit: 500, cursor, from };
    const page = await mapPage(tx, usageDays, query, ({ value }) => value);
    const within = page.items.filter(({ day }) => day <= to);
    days.push(...within);
    if (days.length > ROWS_MAX)
      throw invalidParameter("from", "The range contains too many calls. Request fewer days.");
    cursor = within.length < page.items.length ? undefined : (page.next ?? undefined);
  } while (cursor !== undefined);
  return days;
}

const records = defineRoute({
  id: "content.usage.records.list",
  method: "GET",
  path: "/usage/records",
  summary: "List AI calls, newest first",
  description: "Filter by one of key_id and resource.",
  query: z.object({
    ...listFields,
    key_id: Id.optional(),
    resource: Id.regex(/^[A-Za-z0-9_.-]+$/)
      .optional()
      .meta({ description: "For example, the id of a draft" }),
  }),
  data: z.array(withVersion(UsageRecord)),
  handle: async ({ query }, { tx }) => {
    const { key_id: key, resource } = query;
    if (key !== undefined && resource !== undefined) {
      throw invalidParameter("resource", "Specify only one of key_id and resource.");
    }
    const filter =
      key !== undefined
        ? { index: "key", value: key }
        : resource !== undefined
          ? { index: "resource", value: resource }
          : {};
    return list(await tx.peekPage(usageRecords, { ...query, ...filter }));
  },
});

export const usageRoutes = [sums, records];
