import { z } from "zod";

import { timeOrder } from "../../../core/collection.ts";
import { invalidParameter } from "../../../lib/errors.ts";
import { addDays, addMonths, localDateAt } from "../../../lib/local-time.ts";
import { readEach } from "../../../core/read-page.ts";
import { ok } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { Instant, LocalDate } from "../../../core/schema.ts";
import type { Tx } from "../../../core/tx.ts";
import { inSlices } from "../../../lib/slices.ts";
import { contracts, events } from "../repository.ts";
import { monthlyValue } from "../rules/monthly-value.ts";
import type { Contract } from "../schema.ts";
import type { EngineEvent } from "../schema/event.ts";

/** Documents that one answer counts; beyond it says so. */
const COUNTED_MAX = 10_000;
const PAGE = 500;
const SPAN_MONTHS = 13;

const Money = z.array(z.object({ currency: z.string(), amount: z.int() }));
const Metrics = z.object({
  as_of: Instant,
  from: LocalDate,
  to: LocalDate,
  active: z.int().meta({ description: "Contracts that are active or in dunning now" }),
  trialing: z.int(),
  paused: z.int(),
  mrr: Money.meta({ description: "What the active ones bring in a month, by currency" }),
  created: z.int(),
  churned: z.int().meta({ description: "Ended from from to to" }),
  recovered_in_dunning: z.int().meta({ description: "Charges paid after they had failed" }),
  recovered: Money,
  complete: z
    .boolean()
    .meta({ description: `False when there is more than ${COUNTED_MAX} of something to count` }),
});

const getMetrics = defineRoute({
  id: "subscriptions.metrics.get",
  method: "GET",
  path: "/metrics",
  summary: "Active contracts, monthly revenue, churn, and what dunning recovered",
  description:
    "Counted when it is asked for. from and to are days in UTC, both included; the default is the last 30.",
  query: z.object({ from: LocalDate.optional(), to: LocalDate.optional() }),
  data: Metrics,
  example: {
    query: { from: "2026-05-01", to: "2026-05-31" },
  },
  async handle({ query }, ctx) {
    const to = query.to ?? localDateAt(ctx.now, "UTC");
    const from = query.from ?? addDays(to, -29);
    if (from > to) throw invalidParameter("from", "`from` must not be later than `to`.");
    if (addMonths(from, SPAN_MONTHS) < to) throw invalidParameter("from", `At most ${SPAN_MONTHS} months.`);
    const live = await liveContracts(ctx.tx);
    const inSpan = (type: EngineEvent["type"]) => eventsOf(ctx.tx, type, from, to);
    const [created, cancelled, expired, paid] = await Promise.all([
      inSpan("contract.created"),
      inSpan("contract.cancelled"),
      inSpan("contract.expired"),
      inSpan("charge.succeeded"),
    ]);
    const recovered = paid.items.filter(({ data }) => data["recovered"] === true);
    const isActive = ({ status }: { status: string }): boolean =>
      status === "active" || status === "past_due";
    return ok({
      as_of: ctx.nowAt,
      from,
      to,
      active: live.items.filter(isActive).length,
      trialing: live.items.filter(({ status }) => status === "trialing").length,
      paused: live.items.filter(({ status }) => status === "paused").length,
      mrr: byCurrency(live.items.filter(isActive).map(({ currency, monthly }) => [currency, monthly])),
      created: created.items.length,
      churned: cancelled.items.length + expired.items.length,
      recovered_in_dunning: recovered.length,
      recovered: byCurrency(recovered.map(({ data }) => [String(data["currency"]), Number(data["amount"])])),
      complete: [live, created, cancelled, expired, paid].every(({ isWhole }) => isWhole),
    });
  },
});

function byCurrency(amounts: readonly (readonly [string, number])[]): z.output<typeof Money> {
  const totals = new Map<string, number>();
  for (const [currency, amount] of amounts) totals.set(currency, (totals.get(currency) ?? 0) + amount);
  return [...totals].sort(([a], [b]) => (a < b ? -1 : 1)).map(([currency, amount]) => ({ currency, amount }));
}

/** What is counted of a contract, which with its lines and overrides is large. */
interface LiveContract extends Pick<Contract, "status" | "currency"> {
  readonly monthly: number;
}

async function liveContracts(tx: Tx) {
  const items: LiveContract[] = [];
  const page: Tx["peekPage"] = (collection, query) => tx.peekPage(collection, query);
  for await (const { value } of readEach(tx.part, contracts, { index: "by", value: "live" }, page)) {
    if (items.length === COUNTED_MAX) return { items, isWhole: false };
    items.push({ currency: value.currency, status: value.status, monthly: monthlyValue(value) });
  }
  return { items, isWhole: true };
}

async function eventsOf(tx: Tx, type: EngineEvent["type"], from: string, to: string) {
  const items: EngineEvent[] = [];
  let cursor: string | undefined;
  do {
    const page = await tx.peekPage(events, { index: "counted", value: type, limit: PAGE, cursor, from });
    let isPast = false;
    for await (const { value: event } of inSlices(page.items, tx.part)) {
      if (timeOrder(event.created_at).slice(0, 10) <= to) items.push(event);
      else isPast = true;
    }
    cursor = isPast ? undefined : (page.next ?? undefined);
  } while (cursor !== undefined && items.length < COUNTED_MAX);
  return { items, isWhole: cursor === undefined };
}

export const metricsRoutes = [getMetrics];
