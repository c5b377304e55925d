import type { z } from "zod";

import { ListQuery, LocalDate } from "../../core/schema.ts";
import type { Stored, StoredPage, Tx } from "../../core/tx.ts";
import { Ref } from "../ref.ts";
import { usageDays } from "./usage.ts";
import type { UsageDay } from "./usage.ts";

/** Query of the listings of usage. */
export const UsageQuery = ListQuery.extend({
  key_id: Ref.optional(),
  day: LocalDate.optional().meta({ description: "One day, UTC" }),
});

type UsageFilter = z.output<typeof UsageQuery> & { readonly customerId?: string };

/** Usage by key and day, latest day first, as narrow as the filter says. */
export async function pageUsage(tx: Tx, filter: UsageFilter): Promise<StoredPage<UsageDay>> {
  const { customerId, key_id, day, limit, cursor } = filter;
  const isWanted = ({ value }: Stored<UsageDay>): boolean =>
    (customerId === undefined || value.customer_id === customerId) &&
    (day === undefined || value.day === day);
  if (key_id !== undefined && day !== undefined) {
    const found = await tx.get(usageDays, `${key_id}.${day}`);
    return { items: found === null || !isWanted(found) ? [] : [found], limit, next: null };
  }
  const page = await tx.peekPage(usageDays, { ...indexFor(filter), limit, cursor });
  return { ...page, items: page.items.filter(isWanted) };
}

function indexFor({ customerId, key_id, day }: UsageFilter) {
  if (key_id !== undefined) return { index: "key", value: key_id };
  if (customerId !== undefined) return { index: "customer", value: customerId };
  return day === undefined ? {} : { index: "day", value: day };
}
