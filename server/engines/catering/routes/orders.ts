import { z } from "zod";

import { byAll, pageWhile } from "../../../core/by-value.ts";
import { conflictWhen, invalidField } from "../../../lib/errors.ts";
import { created, item, list } from "../../../core/reply.ts";
import { Id, LocalDate, Metadata, withVersion, listFields } from "../../../core/schema.ts";
import { resource } from "../../../core/resource.ts";
import { requireOrder } from "../services/order-steps.ts";
import { saveOrder } from "../services/save-order.ts";
import { refused } from "../services/work.ts";
import type { CateringWork } from "../services/work.ts";
import { policyOf, toEvent, withIds } from "../services/write-quote.ts";
import { accounts, nextNumber, orders } from "../repository.ts";
import { localDateAt } from "../../../lib/local-time.ts";
import { acceptedSchedule, movedSchedule } from "../rules/deposit-schedule.ts";
import { draftFault, fillDraft, linesFault, overCapacity, tooManyDiets } from "../rules/draft-quote.ts";
import { isSecured, newOrder } from "../rules/new-order.ts";
import { Order, OrderStatus } from "../schema/order.ts";
import { Dietary, Heads, NewLines, OrderDietary, Party, Text } from "../schema/parts.ts";
import { NewEvent } from "../schema/requests.ts";
import { badState, mayManage, cateringWorkOf, creditErrors, poErrors } from "./env.ts";
import { DEMO_ORDER, DEMO_IDS } from "../data/demo-ids.ts";

const OrderView = withVersion(Order);

const Query = z.object({
  ...listFields,
  status: OrderStatus.optional(),
  account_id: Id.optional(),
  quote_id: Id.optional(),
  recurring_order_id: Id.optional(),
  event_from: LocalDate.optional().meta({ description: "In order of the event, from this day" }),
  event_to: LocalDate.optional().meta({ description: "Last day" }),
});

export const orderResource = resource({
  id: "catering.orders",
  collection: orders,
  view: OrderView,
  example: DEMO_ORDER,
});

const listOrders = orderResource.custom.list({
  summary: "Orders, newest first",
  description: "All filters can be combined. With a span of days, in order of the event's day.",
  query: Query,
  async handle({ query }, { tx }) {
    const { cursor, event_from: from, event_to: to, limit, status } = query;
    const { account_id: account, quote_id: quote, recurring_order_id: recurring } = query;
    const filters = [quote, recurring, account, status && `status.${status}`];
    if (from === undefined && to === undefined)
      return list(await tx.peekPage(orders, byAll(filters, { limit, cursor })));
    const span = byAll(filters, { index: "event", limit, cursor, from });
    return list(await pageWhile(tx, orders, span, ({ event }) => to === undefined || event.date <= to));
  },
});

const force = z
  .boolean()
  .default(false)
  .meta({ description: "Also beyond the credit limit; needs catering:manage" });
const po = z.string().trim().min(1).max(60).nullable();
const centre = z.string().trim().min(1).max(40).nullable();

const NewOrder = z.strictObject({
  account_id: Id.nullable().default(null),
  contact: Party.optional().meta({ description: "Default: the first contact of the account" }),
  title: Text,
  lines: NewLines.min(1),
  event: NewEvent,
  heads: Heads.min(1),
  dietary: Dietary.default([]),
  policy_id: Id.nullable().optional(),
  po_number: po.default(null),
  cost_centre: centre.default(null),
  notes: z.string().trim().max(2000).default(""),
  metadata: Metadata.default({}),
  force,
});

const createOrder = orderResource.custom.create({
  summary: "Take an order without a quote",
  description: "On credit it is confirmed at once; otherwise it is tentative until what is due is paid.",
  body: NewOrder,
  errors: [conflictWhen("over_capacity", "More than can be catered for"), ...creditErrors, ...poErrors],
  example: {
    body: {
      account_id: DEMO_IDS.account,
      title: "Board lunch",
      lines: [{ type: "per_head", title: "Working lunch", unit_price: 1295, tax_rate_bps: 2000 }],
      event: { date: "2026-06-19", start: "12:30", end: "14:00" },
      heads: 30,
    },
  },
  async handle({ body }, ctx) {
    const work = await cateringWorkOf(ctx);
    const order = await orderFrom(work, body);
    const stored = await saveOrder(work, null, order, { force: body.force && mayManage(ctx) });
    return created(stored, `/orders/${order.id}`);
  },
});

async function orderFrom(work: CateringWork, body: z.output<typeof NewOrder>): Promise<Order> {
  const { settings, tx, newId } = work;
  const account = body.account_id === null ? null : await tx.get(accounts, body.account_id);
  if (body.account_id !== null && account === null) throw invalidField(["account_id"], "No such account.");
  const first = account?.value.billing_contacts[0];
  const contact = body.contact ?? (first && { ...first, company: account.value.legal_name });
  if (contact === undefined) throw invalidField(["contact"], "Send `account_id` or `contact`.");
  const lines = withIds(body.lines, newId);
  const event = toEvent(body.event, work);
  const headcount = { estimate: body.heads, min: body.heads, max: body.heads };
  const fault = draftFault(headcount, body.dietary, lines);
  if (fault !== null) throw invalidField(fault.path, fault.detail);
  const policy = await policyOf(work, body.policy_id === undefined ? settings.policy_id : body.policy_id);
  const over = overCapacity(policy, body.heads);
  if (over !== null) throw refused(over);
  const base = { lines, event, headcount, tax_included: settings.tax_included, policy };
  const today = localDateAt(work.now, event.timezone);
  const { deposit_schedule: deposits } = fillDraft({
    ...base,
    deposits: null,
    account: account?.value ?? null,
  });
  const order = newOrder(
    {
      id: newId("cor"),
      number: await nextNumber(tx, "orders"),
      account_id: body.account_id,
      contact,
      title: body.title,
      currency: account?.value.currency ?? settings.currency,
      tax_included: settings.tax_included,
      lines,
      deposit_schedule: acceptedSchedule(deposits, today),
      policy,
      payment_terms: account?.value.terms ?? { kind: "prepay", days: 0 },
      event,
      dietary: body.dietary.length === 0 ? (account?.value.dietary_defaults ?? []) : body.dietary,
      po_number: body.po_number,
      cost_centre: body.cost_centre,
      notes: body.notes,
      metadata: body.metadata,
      heads: body.heads,
    },
    work,
  );
  return { ...order, status: isSecured(order, today) ? "confirmed" : "tentative" };
}

const getOrder = orderResource.get({ summary: "Show an order" });

const Patch = z
  .strictObject({
    title: Text,
    lines: NewLines.min(1),
    event: NewEvent,
    dietary: OrderDietary,
    po_number: po,
    cost_centre: centre,
    notes: z.string().trim().max(2000),
    metadata: Metadata,
  })
  .partial();

/** Members that do not change what the order costs. */
const LATE: ReadonlySet<string> = new Set(["dietary", "notes", "metadata"]);

const updateOrder = orderResource.custom.update({
  summary: "Change an order before its guarantee deadline",
  description:
    "The headcount has a route of its own, because changing it may cost a fee. Dietary needs can be changed until it is dispatched, notes and metadata always.",
  body: Patch,
  errors: [badState, ...creditErrors, ...poErrors],
  example: { body: { notes: "Ring at the back." } },
  async handle({ params: { id }, body }, ctx) {
    const before = await ctx.current(orders, id);
    const { event, lines, ...plain } = body;
    const order = before.value;
    const isTouched = Object.keys(body).some((name) => !LATE.has(name));
    if (isTouched) requireOrder(order, "edit", "changed");
    else if (body.dietary !== undefined) requireOrder(order, "diet", "changed");
    const work = await cateringWorkOf(ctx);
    const named = Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined));
    const next: Order = {
      ...order,
      ...named,
      ...(event === undefined ? {} : movedTo(order, toEvent(event, work), work.now)),
      ...(lines === undefined ? {} : { lines: withIds(lines, ctx.newId) }),
    };
    const fault =
      (body.dietary === undefined ? null : tooManyDiets(body.dietary, order.headcount.guaranteed)) ??
      (lines === undefined ? null : linesFault(next.lines));
    if (fault !== null) throw invalidField(fault.path, fault.detail);
    return item(await saveOrder(work, before, next, { check: isTouched }));
  },
});

/** The event, and the deposits that are due by its day; of one on another day nothing was reminded yet. */
const movedTo = (
  { deposit_reminded_on: on, deposit_schedule: deposits, event: before }: Order,
  event: Order["event"],
  now: number,
) => ({
  event,
  deposit_schedule: movedSchedule(deposits, event.date, localDateAt(now, event.timezone)),
  deposit_reminded_on: event.date === before.date ? on : null,
});

export const orderRoutes = [listOrders, createOrder, getOrder, updateOrder];
