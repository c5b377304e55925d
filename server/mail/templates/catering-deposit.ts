import { z } from "zod";

import { defineMail, InlineText, MailLink } from "../template.ts";
import { cateringExample, greetingOf, linkAndEnd, Message, occasionExample } from "./catering.ts";
import { paragraph, wrap } from "./subscription.ts";

/** Sent on the day after a deposit was due and not paid. */
export const cateringDeposit = defineMail({
  name: "catering-deposit",
  summary: "Sent when the deposit of a catering order is overdue.",
  reason: "you ordered catering at this store",
  schema: z.object({
    page_url: MailLink,
    shop_name: InlineText,
    customer_name: InlineText,
    number: InlineText,
    title: InlineText,
    event: InlineText,
    amount: InlineText,
    due: InlineText,
    bank_details: Message,
  }),
  example: {
    page_url:
      "https://api.shop.example/api/public/calendars/order.Zm9yLXByZXZpZXc.bm90LWEtcmVhbC10b2tlbg.ics",
    shop_name: cateringExample.shop_name,
    customer_name: cateringExample.customer_name,
    number: "7",
    title: occasionExample.title,
    event: occasionExample.event,
    amount: "£194.25",
    due: "Monday, 1 June 2026",
    bank_details: "Demo Bank, sort code 00-00-00, account 12345678",
  },
  subject: "The deposit for your catering order is overdue",
  values: (data, { baseUrl }) => ({
    base_url: baseUrl,
    link: data.page_url,
    shop_name: data.shop_name,
    greeting: greetingOf(data.customer_name),
    number: data.number,
    title: data.title,
    event: data.event,
    amount: data.amount,
    due: data.due,
    bank_note: data.bank_details === "" ? "" : `Pay to: ${data.bank_details}`,
  }),
  text: (mail) => `The deposit for your order is overdue
=====================================

${mail.greeting}

${wrap(`The deposit of ${mail.amount} for order ${mail.number} of ${mail.shop_name} was due on ${mail.due} and has not been received. The order is not confirmed without it.`)}

${wrap(`What: ${mail.title}`)}
When: ${mail.event}
${paragraph(mail.bank_note)}
If you have already paid, please ignore this email.
${linkAndEnd("Add the order to your calendar:", mail)}`,
});
