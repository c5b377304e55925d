import { z } from "zod";

import { facts, link, quote } from "../blocks.ts";
import type { Block } from "../blocks.ts";
import type { Words } from "../../core/words.ts";
import { InlineText, MailLink, defineMail, greet, shopIn, typedText } from "../template.ts";

/** What every mail about catering contains. Amounts and dates come written out. */
const Common = z.object({ page_url: MailLink, shop_name: InlineText, customer_name: InlineText });
const common = {
  page_url: "https://api.shop.example/api/public/quotes/Zm9yLXByZXZpZXctb25seQ.bm90LWEtcmVhbC10b2tlbg",
  shop_name: "Demo Bakery & Roastery",
  customer_name: "Ada Byron",
};

/** What is quoted, ordered or asked for. */
const occasion = { number: InlineText, title: InlineText, event: InlineText, heads: InlineText };
const occasionExample = {
  number: "12",
  title: "Board lunch",
  event: "Friday, 19 June 2026, 12:30",
  heads: "30",
};

/** What the shop writes to the customer: one paragraph, in which no line break can forge another. */
export const Message = typedText(600);

interface Occasion {
  readonly title: string;
  readonly event: string;
  readonly heads: string;
  readonly total: string;
  readonly until: string;
}

const occasionFacts = ({ say }: Words, { title, event, heads, total, until }: Occasion): Block =>
  facts(
    [say("subscription.what"), title],
    [say("catering.when"), event],
    [say("catering.guests"), heads],
    [say("table.total"), total],
    [say("catering.valid_until"), until],
  );

const Quote = Common.extend({ ...occasion, total: InlineText, valid_until: InlineText });
const quoteExample = {
  ...common,
  ...occasionExample,
  total: "£388.50",
  valid_until: "12 June 2026 at 17:00",
};

/** Sent with each version of a quote: its link is where it is read and accepted. */
export const cateringQuote = defineMail({
  name: "catering-quote",
  summary: "Sent with each version of a catering quote: links to the page to view and accept it.",
  reason: "quote",
  schema: Quote.extend({ message: Message }),
  example: { ...quoteExample, message: "As we spoke on the phone, with four vegan lunches." },
  blocks: (data, { words }) => [
    greet(words, data.customer_name),
    words.say("mail.catering-quote.here", { number: data.number, shop: shopIn(words, data.shop_name) }),
    quote(data.message),
    occasionFacts(words, { ...data, until: data.valid_until }),
    link(data.page_url, words.say("mail.catering-quote.button"), words.say("mail.catering-quote.how")),
  ],
});

/** Sent three days and one day before an unanswered quote expires. */
export const cateringQuoteReminder = defineMail({
  name: "catering-quote-reminder",
  summary: "Sent before a catering quote without a response expires.",
  reason: "quote",
  schema: Quote,
  example: quoteExample,
  blocks: (data, { words }) => [
    greet(words, data.customer_name),
    words.say("mail.catering-quote-reminder.text", {
      number: data.number,
      shop: shopIn(words, data.shop_name),
      until: data.valid_until,
    }),
    occasionFacts(words, { ...data, until: "" }),
    link(
      data.page_url,
      words.say("mail.catering-quote.button"),
      words.say("mail.catering-quote-reminder.how"),
    ),
  ],
});

/** Sent to who must approve what a colleague accepted. */
export const cateringApproval = defineMail({
  name: "catering-approval",
  summary: "Sent to the approver of a catering quote that a colleague accepted.",
  reason: "approver",
  schema: z.object({
    ...occasion,
    page_url: MailLink,
    shop_name: InlineText,
    requested_by: InlineText,
    total: InlineText,
    over_budget: z.boolean(),
  }),
  example: {
    ...occasionExample,
    page_url: common.page_url,
    shop_name: common.shop_name,
    requested_by: "Ada Byron",
    total: "£388.50",
    over_budget: false,
  },
  blocks: (data, { words }) => [
    words.say(
      data.over_budget ? "mail.catering-approval.over_budget" : "mail.catering-approval.over_amount",
      {
        name: data.requested_by,
        number: data.number,
        shop: shopIn(words, data.shop_name),
      },
    ),
    occasionFacts(words, { ...data, until: "" }),
    link(data.page_url, words.say("mail.catering-approval.button"), words.say("mail.catering-approval.how")),
  ],
});

/** Sent on the day after a deposit was due and not paid. */
export const cateringDeposit = defineMail({
  name: "catering-deposit",
  summary: "Sent when the deposit of a catering order is overdue.",
  reason: "order",
  schema: Common.extend({
    number: InlineText,
    title: InlineText,
    event: InlineText,
    amount: InlineText,
    /** Empty: since the order was accepted. */
    due: InlineText,
    bank_details: Message,
  }),
  example: {
    ...common,
    page_url:
      "https://api.shop.example/api/public/calendars/order.Zm9yLXByZXZpZXc.bm90LWEtcmVhbC10b2tlbg.ics",
    number: "7",
    title: occasionExample.title,
    event: occasionExample.event,
    amount: "£194.25",
    due: "Monday, 1 June 2026",
    bank_details: "Demo Bank, sort code 00-00-00, account 12345678",
  },
  title: "mail.catering-deposit.title",
  blocks: (data, { words }) => [
    greet(words, data.customer_name),
    words.say(data.due === "" ? "mail.catering-deposit.text_now" : "mail.catering-deposit.text", {
      amount: data.amount,
      number: data.number,
      shop: shopIn(words, data.shop_name),
      date: data.due,
    }),
    facts([words.say("subscription.what"), data.title], [words.say("catering.when"), data.event]),
    data.bank_details === "" ? "" : words.say("mail.catering-deposit.pay_to", { details: data.bank_details }),
    words.say("mail.catering-deposit.paid"),
    link(
      data.page_url,
      words.say("mail.catering-deposit.button"),
      words.say("mail.catering-deposit.calendar"),
    ),
  ],
});

/** Asks a guest whether they come, so that enough is ordered. */
export const cateringRsvp = defineMail({
  name: "catering-rsvp",
  summary: "Asks a guest whether they will attend a catered meal, with a personal link to respond.",
  reason: "rsvp",
  schema: z.object({
    page_url: MailLink,
    shop_name: InlineText,
    name: InlineText,
    title: InlineText,
    date: InlineText,
  }),
  example: {
    page_url: common.page_url.replace("/quotes/", "/rsvp/"),
    shop_name: common.shop_name,
    name: "Ada Byron",
    title: "Tuesday lunch",
    date: "Tuesday, 9 June 2026",
  },
  blocks: ({ date, name, page_url: url, shop_name: shop, title }, { words }) => [
    greet(words, name),
    words.say("mail.catering-rsvp.text", { shop: shopIn(words, shop), title, date }),
    link(url, words.say("mail.catering-rsvp.button"), words.say("mail.catering-rsvp.how")),
  ],
});

/** Sent with an invoice, and once more when it is overdue. */
export const cateringInvoice = defineMail({
  name: "catering-invoice",
  summary:
    "Sent with a catering invoice and again when it is overdue: links to the page to view and print it.",
  reason: "order",
  schema: Common.extend({
    number: InlineText,
    total: InlineText,
    balance: InlineText,
    due: InlineText,
    overdue: z.boolean(),
  }),
  example: {
    ...common,
    page_url: common.page_url.replace("/quotes/", "/invoices/"),
    number: "3",
    total: "£388.50",
    balance: "£194.25",
    due: "Friday, 19 June 2026",
    overdue: false,
  },
  blocks: (data, { words }) => [
    greet(words, data.customer_name),
    words.say(data.overdue ? "mail.catering-invoice.overdue" : "mail.catering-invoice.here", {
      number: data.number,
      shop: shopIn(words, data.shop_name),
      date: data.due,
      balance: data.balance,
    }),
    facts(
      [words.say("table.total"), data.total],
      [words.say("invoice.to_pay"), data.balance],
      [words.say("invoice.due"), data.due],
    ),
    link(data.page_url, words.say("mail.catering-invoice.button"), words.say("mail.catering-invoice.how")),
  ],
});
