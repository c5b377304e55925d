import { z } from "zod";

import { byAll } from "../../../core/by-value.ts";
import { mapAll, readEach } from "../../../core/read-page.ts";
import { conflict, conflictWhen, invalidField } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";
import { created, ok } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { Currency, Id, listFields, LocalDate, Metadata, withVersion } from "../../../core/schema.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { resource } from "../../../core/resource.ts";
import { createInvoice, isInvoiceable, todayOf } from "../services/invoice-steps.ts";
import { accounts, invoices, orders } from "../repository.ts";
import { isOwed } from "../rules/invoice-state.ts";
import { AGEING_BUCKETS, ageingBucket, lateInterest } from "../rules/invoice-terms.ts";
import { Invoice, InvoiceStatus } from "../schema/invoice.ts";
import type { Order } from "../schema/order.ts";
import { CATERING_LIMITS, Code } from "../schema/parts.ts";
import { cateringWorkOf } from "./env.ts";
import { DEMO_IDS } from "../data/demo-ids.ts";

const InvoiceView = withVersion(Invoice);

export const invoiceResource = resource({
  id: "catering.invoices",
  collection: invoices,
  view: InvoiceView,
  example: DEMO_IDS.invoice,
});

const listInvoices = invoiceResource.list({
  summary: "Invoices, newest first",
  description: "Filters can be combined. `owed`: all that is not settled.",
  query: z.object({
    ...listFields,
    status: InvoiceStatus.optional(),
    account_id: Id.optional(),
    owed: z.stringbool().optional(),
  }),
  find: ({ account_id: account, cursor, limit, owed, status }) => {
    return byAll([account, owed && "owed", status && `status.${status}`], { limit, cursor });
  },
});

const Create = z.strictObject({
  account_id: Id.nullable().default(null),
  order_ids: z.array(Id).min(1).max(CATERING_LIMITS.invoiceOrders).optional().meta({
    description: "Default: all orders of the account that can be invoiced",
  }),
  period: z
    .strictObject({ from: LocalDate, to: LocalDate })
    .optional()
    .meta({ description: "Events of these days, both included" }),
  cost_centre: Code.optional(),
  draft: z.boolean().default(false).meta({ description: "Neither numbered nor mailed until it is issued" }),
  metadata: Metadata.default({}),
});

const createRoute = invoiceResource.custom.create({
  summary: "Invoice what was delivered, and what cancelled orders retain",
  description: `At most ${CATERING_LIMITS.invoiceOrders} orders at once. Deposits that were paid are taken off. The customer gets a mail with a page to print.`,
  body: Create,
  errors: [
    conflictWhen("nothing_to_invoice", "No order can be invoiced"),
    conflictWhen("not_invoiceable", "An order is not delivered, or was invoiced"),
  ],
  example: { body: { account_id: DEMO_IDS.account } },
  async handle({ body }, ctx) {
    const account = body.account_id === null ? null : await ctx.tx.get(accounts, body.account_id);
    if (body.account_id !== null && account === null) throw invalidField(["account_id"], "No such account.");
    const found = await ordersFor(ctx, body);
    const work = await cateringWorkOf(ctx);
    const wanted = { orders: found, account, is_draft: body.draft, metadata: body.metadata };
    const stored = await createInvoice(work, wanted);
    return created(stored, `/invoices/${stored.id}`);
  },
});

async function ordersFor({ tx }: Ctx, body: z.output<typeof Create>): Promise<Stored<Order>[]> {
  const { account_id: accountId, cost_centre: centre, order_ids: ids, period } = body;
  if (ids === undefined && accountId === null) {
    throw invalidField(["order_ids"], "Send `account_id` or `order_ids`.");
  }
  const listed = ids ?? (await listInvoiceable(tx, accountId ?? ""));
  const fits = ({ cost_centre: own, event }: Order): boolean =>
    (centre === undefined || own === centre) &&
    (period === undefined || (event.date >= period.from && event.date <= period.to));
  const found: Stored<Order>[] = [];
  for (const [at, id] of [...new Set(listed)].entries()) {
    // Read by its id, so that two invoices at once cannot both take it.
    const order = await tx.get(orders, id);
    if (ids !== undefined) refuseOrder(order, accountId, at);
    if (order !== null && isInvoiceable(order.value) && fits(order.value)) found.push(order);
    if (found.length === CATERING_LIMITS.invoiceOrders) break;
  }
  const [first] = found;
  if (first === undefined) {
    throw conflict("nothing_to_invoice", "Nothing was delivered that is not invoiced.");
  }
  if (accountId === null) refuseStrangers(found);
  if (ids !== undefined) refuseCurrencies(found);
  return found.filter(({ value }) => value.currency === first.value.currency);
}

/** Without an account an invoice is for one person, and lists orders that are no one else's. */
function refuseStrangers(found: readonly Stored<Order>[]): void {
  const [first, ...others] = found.map(({ value }) => value.contact.email.toLowerCase());
  const at = others.findIndex((email) => email !== first);
  if (at >= 0) throw invalidField(["order_ids", at + 1], "The order is of another customer than the first.");
}

/** An invoice is in one currency: an order that was asked for is not left out of it. */
function refuseCurrencies(found: readonly Stored<Order>[]): void {
  const [first, ...others] = found.map(({ value }) => value.currency);
  const at = others.findIndex((currency) => currency !== first);
  if (at >= 0)
    throw invalidField(
      ["order_ids", at + 1],
      `The order is in ${others[at]}, the first in ${first}. Invoice it separately.`,
    );
}

/** An account has any number of orders: none is ever deleted. */
async function listInvoiceable(tx: Tx, accountId: string): Promise<string[]> {
  const ids: string[] = [];
  const page: Tx["peekPage"] = (collection, query) => tx.peekPage(collection, query);
  for await (const { id, value } of readEach(tx.part, orders, { index: "by", value: accountId }, page))
    if (isInvoiceable(value)) ids.push(id);
  return ids;
}

function refuseOrder(order: Stored<Order> | null, accountId: string | null, at: number): void {
  if (order === null || order.value.account_id !== accountId) {
    throw invalidField(["order_ids", at], "No such order of this account.");
  }
  if (!isInvoiceable(order.value)) {
    throw conflict("not_invoiceable", `Order ${order.value.number} is not delivered, or was invoiced.`);
  }
}

const getInvoice = invoiceResource.get({ summary: "Show an invoice" });

const interest = invoiceResource.read("interest", {
  summary: "Work out statutory interest on an overdue invoice",
  description:
    "Simple interest from the day after it was due, at 8% above the base rate of the settings, as gov.uk works it out. For debts between businesses; " +
    "`applies` says whether the settings ask for it and the account is a business.",
  query: z.object({ on: LocalDate.optional() }),
  data: z.strictObject({
    applies: z.boolean(),
    principal: z.int(),
    days: z.int(),
    rate_bps: z.int(),
    daily: z.int(),
    interest: z.int(),
    fixed_sum: z.int(),
  }),
  example: { query: { on: "2026-08-08" } },
  async handle({ params: { id }, query }, ctx) {
    const { value } = await ctx.tx.require(invoices, id);
    const work = await cateringWorkOf(ctx);
    const { base_rate_bps: base, enabled } = work.settings.late_interest;
    const account = value.account_id === null ? null : await ctx.tx.get(accounts, value.account_id);
    const principal = isOwed(value) ? Math.max(0, value.balance) : 0;
    const span = { due_on: value.due_on, on: query.on ?? todayOf(work) };
    return ok({
      applies: enabled && account?.value.business === true,
      principal,
      ...lateInterest(principal, span, base),
    });
  },
});

const Buckets = z.strictObject({
  current: z.int(),
  days_1_30: z.int(),
  days_31_60: z.int(),
  days_61_90: z.int(),
  days_over_90: z.int(),
});

const ageing = defineRoute({
  id: "catering.invoices.ageing",
  cost: 10,
  method: "GET",
  path: "/invoices/ageing",
  summary: "Ageing report of open invoices",
  query: z.object({ account_id: Id.optional() }),
  data: z.strictObject({
    on: LocalDate,
    currencies: z.array(z.strictObject({ currency: Currency, total: z.int(), buckets: Buckets })),
  }),
  async handle({ query }, ctx) {
    const work = await cateringWorkOf(ctx);
    const on = todayOf(work);
    const due = { index: "due", value: query.account_id ?? "" };
    const known = await mapAll(ctx.tx, invoices, due, ({ balance, currency, due_on }) => ({
      balance,
      currency,
      due_on,
    }));
    const currencies = [...new Set(known.map(({ currency }) => currency))].sort();
    return ok({
      on,
      currencies: currencies.map((currency) => {
        const buckets = Object.fromEntries(AGEING_BUCKETS.map((bucket) => [bucket, 0]));
        const own = known.filter((invoice) => invoice.currency === currency);
        for (const { balance, due_on: due } of own) {
          const bucket = ageingBucket(due, on);
          buckets[bucket] = (buckets[bucket] ?? 0) + balance;
        }
        return {
          currency,
          total: own.reduce((all, { balance }) => all + balance, 0),
          buckets: Buckets.parse(buckets),
        };
      }),
    });
  },
});

export const invoiceRoutes = [listInvoices, ageing, createRoute, getInvoice, interest];
