import { byAll, oneValue } from "../../../core/by-value.ts";
import { z } from "zod";

import { fail, invalidParameter } from "../../../lib/errors.ts";
import { list } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { LocalDate, listFields, ListQuery, withVersion } from "../../../core/schema.ts";
import type { PageQuery, StoredPage, Tx } from "../../../core/tx.ts";
import { resource } from "../../../core/resource.ts";
import { customers, events, filedCustomer, moves } from "../repository.ts";
import { TierEvent } from "../schema/event.ts";
import { LevelId } from "../schema/programme.ts";
import { CustomerAggregate, Segment, Tier, TierMove } from "../schema.ts";

export const CustomerView = withVersion(CustomerAggregate);
const params = { id: "tcu_01JD8Z5T9QK3M4N5P6R7S8T9V0" };

const filters = {
  level_id: LevelId.optional(),
  state: Tier.shape.state.optional(),
  segment: Segment.optional(),
  customer_id: z.string().max(120).optional().meta({ description: "The store's own id of the customer" }),
  expiring_before: LocalDate.optional().meta({
    description: "Customers whose tier ends before this day, soonest first",
  }),
  min_spend: z.coerce
    .number()
    .pipe(z.int().nonnegative())
    .optional()
    .meta({ description: "Customers who spent at least this much in total, highest first" }),
  near_upgrade_bps: z.coerce.number().pipe(z.int().min(0).max(10_000)).optional().meta({
    description:
      "Customers with at least this progress to the next level (`next_level.progress_bps`), nearest first",
  }),
};
const Query = z.object({
  ...listFields,
  ...filters,
  sort: z.enum(["newest", "expiry", "spend", "progress"]).default("newest"),
});
type Query = z.output<typeof Query>;

export const customerResource = resource({
  id: "tiers.customers",
  collection: customers,
  view: CustomerView,
  example: "tcu_01JD8Z5T9QK3M4N5P6R7S8T9V0",
});

const listCustomers = customerResource.custom.list({
  summary: "List tier aggregates per customer, newest first",
  description:
    "level_id, state, segment and customer_id can be combined with each other and with one of expiring_before, min_spend and near_upgrade_bps, which " +
    "determine the order.",
  query: Query,
  handle: async ({ query }, { tx }) => list(await pageOfCustomers(tx, query)),
});

async function pageOfCustomers(tx: Tx, query: Query): Promise<StoredPage<CustomerAggregate>> {
  const { limit, cursor, sort, ...filters } = query;
  const { expiring_before: before, min_spend: spend, near_upgrade_bps: near } = filters;
  const ranges = {
    expiring_before: before,
    min_spend: spend?.toString(),
    near_upgrade_bps: near?.toString(),
  };
  // Each of them reads an index in its own order.
  if (oneValue(ranges) !== undefined && sort !== "newest")
    throw invalidParameter("sort", "Specify either a filter that determines the order, or an order.");
  const page = (more: Partial<PageQuery>) =>
    tx.peekPage(customers, byAll(filedUnder(query), { limit, cursor, ...more }));
  if (before !== undefined) {
    return until(await page({ index: "expiring" }), ({ tier }) => (tier.expires_on ?? "") < before);
  }
  if (spend !== undefined)
    return until(await page({ index: "spend" }), ({ totals }) => totals.spend >= spend);
  if (near !== undefined) {
    return until(await page({ index: "near" }), ({ next_level: next }) => (next?.progress_bps ?? 0) >= near);
  }
  return page(ORDERS[sort]);
}

const ORDERS = {
  newest: {},
  expiry: { index: "expiring" },
  spend: { index: "spend" },
  progress: { index: "near" },
} as const;

const filedUnder = ({ level_id: level, state, segment, customer_id: customer }: Query) => [
  customer && filedCustomer(customer),
  segment && `segment.${segment}`,
  level,
  state && `state.${state}`,
];

/** A page of an ordered index up to the first entry out of range: all later entries are out of range too. */
function until(
  page: StoredPage<CustomerAggregate>,
  belongs: (value: CustomerAggregate) => boolean,
): StoredPage<CustomerAggregate> {
  const end = page.items.findIndex(({ value }) => !belongs(value));
  return end < 0 ? page : { items: page.items.slice(0, end), limit: page.limit, next: null };
}

const getCustomer = customerResource.get({
  summary: "Show a customer's tier, metrics and requirements for the next level",
});

const listMoves = defineRoute({
  id: "tiers.customers.moves.list",
  method: "GET",
  path: "/customers/:id/moves",
  summary: "List the tier changes of a customer, newest first",
  query: ListQuery,
  data: z.array(withVersion(TierMove)),
  example: {
    params,
  },
  async handle({ params: { id }, query }, { tx }) {
    await requireCustomer(tx, id);
    return list(await tx.peekPage(moves, { index: "by", value: id, ...query }));
  },
});

const listEvents = defineRoute({
  id: "tiers.customers.events.list",
  method: "GET",
  path: "/customers/:id/events",
  summary: "List the recorded events of a customer, newest first",
  query: ListQuery,
  data: z.array(withVersion(TierEvent)),
  example: {
    params,
  },
  async handle({ params: { id }, query }, { tx }) {
    await requireCustomer(tx, id);
    return list(await tx.peekPage(events, { index: "by", value: id, ...query }));
  },
});

async function requireCustomer(tx: Tx, id: string): Promise<void> {
  if ((await tx.get(customers, id)) === null) throw fail("not_found", "No customer with this id.");
}

export const customerRoutes = [listCustomers, getCustomer, listMoves, listEvents];
