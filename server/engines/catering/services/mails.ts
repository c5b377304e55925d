import type { Quote } from "../schema.ts";
import type { Invoice } from "../schema/invoice.ts";
import type { Order } from "../schema/order.ts";
import { makeToken } from "../../../core/link-token.ts";
import type { Mail, CateringWork } from "./work.ts";

/** A mail without whom it goes to. */
type Text = Pick<Mail, "template" | "data">;

const PATHS = {
  quote: "quotes",
  approval: "approvals",
  rsvp: "rsvp",
  group: "group-rsvp",
  invoice: "invoices",
  order: "calendars",
  feed: "calendars",
} as const;

/** What a signed link is for; a link of one kind passes for no other. */
export type LinkKind = keyof typeof PATHS;

/** A signed link to a page of this store, or to a calendar. */
export function linkTo(
  { part, ports }: Pick<CateringWork, "part" | "ports">,
  kind: LinkKind,
  names: readonly string[],
): string {
  const isCalendar = kind === "order" || kind === "feed";
  const token = makeToken(ports, `catering.${kind}`, part, ...names);
  const base = `${ports.baseUrl}/api/public/${PATHS[kind]}`;
  return isCalendar ? `${base}/${kind}.${token}.ics` : `${base}/${token}`;
}

const about = ({ words }: CateringWork, quote: Pick<Quote, "event" | "headcount" | "title">) => ({
  title: quote.title,
  event: `${words.date(quote.event.date, "full")}, ${quote.event.start}`,
  heads: String(quote.headcount.estimate),
});

/** Identifies one version of a quote: a link to it says so when there is a newer one. */
const quoteNames = (quote: Pick<Quote, "id" | "current_version">): string[] => [
  quote.id,
  String(quote.current_version),
];

const quoteData = (work: CateringWork, quote: Quote, name: string) => ({
  page_url: linkTo(work, "quote", quoteNames(quote)),
  shop_name: work.settings.shop_name,
  customer_name: name,
  number: String(quote.number),
  ...about(work, quote),
  total: work.words.money(quote.total, quote.currency),
  valid_until: work.words.instant(quote.valid_until, quote.event.timezone),
});

export const quoteMail = (work: CateringWork, quote: Quote, name: string, message: string): Text => ({
  template: "catering-quote",
  data: { ...quoteData(work, quote, name), message },
});

export const reminderMail = (work: CateringWork, quote: Quote, name: string): Text => ({
  template: "catering-quote-reminder",
  data: quoteData(work, quote, name),
});

export const approvalMail = (work: CateringWork, quote: Quote): Text => ({
  template: "catering-approval",
  data: {
    page_url: linkTo(work, "approval", quoteNames(quote)),
    shop_name: work.settings.shop_name,
    requested_by: quote.acceptance?.name ?? "",
    number: String(quote.number),
    ...about(work, quote),
    total: work.words.money(quote.total, quote.currency),
    over_budget: quote.approval?.reason === "over_budget",
  },
});

export const depositMail = (
  work: CateringWork,
  order: Order,
  due: { readonly amount: number; readonly on: string | null },
): Text => ({
  template: "catering-deposit",
  data: {
    page_url: linkTo(work, "order", [order.id]),
    shop_name: work.settings.shop_name,
    customer_name: order.contact.name,
    number: String(order.number),
    title: order.title,
    event: `${work.words.date(order.event.date, "full")}, ${order.event.start}`,
    amount: work.words.money(due.amount, order.currency),
    due: due.on === null ? "" : work.words.date(due.on, "full"),
    bank_details: work.settings.bank_details,
  },
});

export const invoiceMail = (work: CateringWork, invoice: Invoice, isReminder: boolean): Text => ({
  template: "catering-invoice",
  data: {
    page_url: linkTo(work, "invoice", [invoice.id]),
    shop_name: work.settings.shop_name,
    customer_name: invoice.bill_to.name,
    number: String(invoice.number),
    total: work.words.money(invoice.total, invoice.currency),
    balance: work.words.money(invoice.balance, invoice.currency),
    due: work.words.date(invoice.due_on, "full"),
    overdue: isReminder,
  },
});

export const rsvpMail = (
  work: CateringWork,
  invited: { readonly link: string; readonly name: string; readonly title: string; readonly date: string },
): Text => ({
  template: "catering-rsvp",
  data: {
    page_url: invited.link,
    shop_name: work.settings.shop_name,
    name: invited.name,
    title: invited.title,
    date: work.words.date(invited.date, "full"),
  },
});
