import { z } from "zod";

import { defineMail, InlineText } from "../template.ts";
import { cateringExample, cateringFields, greetingOf, linkAndEnd } from "./catering.ts";
import { wrap } from "./subscription.ts";

/** Sent with an invoice, and once more when it is overdue. */
export const cateringInvoice = defineMail({
  name: "catering-invoice",
  summary:
    "Sent with a catering invoice and again when it is overdue: links to the page to view and print it.",
  reason: "you ordered catering at this store",
  schema: z.object({
    ...cateringFields,
    number: InlineText,
    total: InlineText,
    balance: InlineText,
    due: InlineText,
    overdue: z.boolean(),
  }),
  example: {
    ...cateringExample,
    page_url: cateringExample.page_url.replace("/quotes/", "/invoices/"),
    number: "3",
    total: "£388.50",
    balance: "£194.25",
    due: "Friday, 19 June 2026",
    overdue: false,
  },
  subject: "Your catering invoice",
  values: (data, { baseUrl }) => ({
    base_url: baseUrl,
    link: data.page_url,
    shop_name: data.shop_name,
    greeting: greetingOf(data.customer_name),
    number: data.number,
    total: data.total,
    balance: data.balance,
    due: data.due,
    opening: data.overdue
      ? `Invoice ${data.number} of ${data.shop_name} was due on ${data.due}, and ${data.balance} is still outstanding. If you have already paid, please ignore this email.`
      : `Here is invoice ${data.number} of ${data.shop_name}.`,
  }),
  text: (mail) => `Your catering invoice
=====================

${mail.greeting}

${wrap(mail.opening)}

Total: ${mail.total}
To pay: ${mail.balance}
Due: ${mail.due}
${linkAndEnd("View or print the invoice here.", mail)}`,
});
