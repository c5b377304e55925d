import { DAY_MS } from "../../../lib/instant.ts";
import { z } from "zod";

import { invalidParameter } from "../../../lib/errors.ts";
import { giveWay } from "../../../lib/slices.ts";
import { list, ok } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { routesOf } from "../../../core/resource.ts";
import { Currency, Instant, listFields, Minor, withVersion } from "../../../core/schema.ts";
import type { Tx } from "../../../core/tx.ts";
import { timeOrder } from "../../../core/collection.ts";
import { carts, events, readSettings } from "../repository.ts";
import type { EventType } from "../schema.ts";
import { Cart } from "../schema/cart.ts";

const listRecoveries = routesOf({ id: "cart.recoveries", view: withVersion(Cart) }).list({
  summary: "Carts that mails were planned for, newest first",
  description: "Or those that were recovered, or assisted.",
  query: z.object({ ...listFields, state: z.enum(["recovered", "assisted"]).optional() }),
  async handle({ query: { limit, cursor, state } }, { tx }) {
    const value = state === undefined ? "recovery" : `attribution.${state}`;
    return list(await tx.peekPage(carts, { index: "by", value, limit, cursor }));
  },
});

const SPAN_MAX_MS = 92 * DAY_MS;

const metrics = defineRoute({
  id: "cart.recoveries.metrics",
  method: "GET",
  path: "/recoveries/metrics",
  summary: "What mails about abandoned carts brought",
  description:
    "recovered: orders up to five days after a click on a mail's link; assisted: up to five days after a mail, without a click. The two are separate and " +
    "never added; their revenue is that of orders in the shop's currency. Carts whose customer is not known are not counted. 92 days at most.",
  query: z.object({ from: Instant, to: Instant }),
  data: z.object({
    currency: Currency,
    abandoned: z.int(),
    sent: z.int(),
    skipped: z.int(),
    clicked: z.int(),
    recovered: z.int(),
    recovered_revenue: Minor,
    assisted: z.int(),
    assisted_revenue: Minor,
    lost: z.int(),
  }),
  example: {
    query: { from: "2026-05-01T00:00:00.000Z", to: "2026-06-01T00:00:00.000Z" },
  },
  async handle({ query: { from, to } }, { tx }) {
    if (to <= from) throw invalidParameter("to", "`to` must not be earlier than `from`.");
    if (Date.parse(to) - Date.parse(from) > SPAN_MAX_MS) throw invalidParameter("to", "92 days at most.");
    const { currency } = await readSettings(tx);
    const count = (type: EventType) => countEvents(tx, type, { from, to, currency });
    const recovered = await count("recovered");
    const assisted = await count("assisted");
    return ok({
      currency,
      abandoned: (await count("abandoned")).count,
      sent: (await count("recovery.sent")).count,
      skipped: (await count("recovery.skipped")).count,
      clicked: (await count("recovery.clicked")).count,
      recovered: recovered.count,
      recovered_revenue: recovered.total,
      assisted: assisted.count,
      assisted_revenue: assisted.total,
      lost: (await count("lost")).count,
    });
  },
});

async function countEvents(
  tx: Tx,
  type: EventType,
  { from, to, currency }: { readonly from: string; readonly to: string; readonly currency: string },
): Promise<{ count: number; total: number }> {
  const sums = { count: 0, total: 0 };
  let cursor: string | undefined;
  for (;;) {
    const start = cursor === undefined ? { from: timeOrder(from) } : { cursor };
    const page = await tx.peekPage(events, { index: "counted", value: type, limit: 500, ...start });
    for (const { value } of page.items) {
      await giveWay(tx.part);
      if (value.created_at >= to) return sums;
      sums.count += 1;
      const { total = 0, currency: own = currency } = value.data;
      if (own === currency) sums.total += Number(total);
    }
    if (page.next === null) return sums;
    cursor = page.next;
  }
}

export const recoveryRoutes = [metrics, listRecoveries];
