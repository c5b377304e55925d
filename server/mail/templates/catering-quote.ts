import { z } from "zod";

import { defineMail, InlineText } from "../template.ts";
import {
  cateringExample,
  cateringFields,
  greetingOf,
  linkAndEnd,
  Message,
  occasionExample,
  occasionFields,
} from "./catering.ts";
import { quoted, wrap } from "./subscription.ts";

const fields = { ...cateringFields, ...occasionFields, total: InlineText, valid_until: InlineText };
const example = {
  ...cateringExample,
  ...occasionExample,
  total: "£388.50",
  valid_until: "12 June 2026 at 17:00",
};
const YOURS = "Keep this link private: anyone who has it can accept the quote.";

/** Sent with each version of a quote: its link is where it is read and accepted. */
export const cateringQuote = defineMail({
  name: "catering-quote",
  summary: "Sent with each version of a catering quote: links to the page to view and accept it.",
  reason: "you requested catering from this store",
  schema: z.object({ ...fields, message: Message }),
  example: { ...example, message: "As we spoke on the phone, with four vegan lunches." },
  subject: "Your catering quote",
  values: (data, { baseUrl }) => ({
    base_url: baseUrl,
    link: data.page_url,
    shop_name: data.shop_name,
    greeting: greetingOf(data.customer_name),
    number: data.number,
    title: data.title,
    event: data.event,
    heads: data.heads,
    total: data.total,
    valid_until: data.valid_until,
    message: data.message,
  }),
  text: (mail) => `Your catering quote
===================

${mail.greeting}

${wrap(`Here is quote ${mail.number} of ${mail.shop_name}.`)}
${mail.message === "" ? "" : `\n${quoted(mail.message)}\n`}
${wrap(`What: ${mail.title}`)}
When: ${mail.event}
Guests: ${mail.heads}
Total: ${mail.total}
Valid until: ${mail.valid_until}
${linkAndEnd(wrap(`View it in full, and accept or decline it, here. ${YOURS}`), mail)}`,
});

/** Sent three days and one day before an unanswered quote expires. */
export const cateringQuoteReminder = defineMail({
  name: "catering-quote-reminder",
  summary: "Sent before a catering quote without a response expires.",
  reason: "you requested catering from this store",
  schema: z.object(fields),
  example,
  subject: "Your catering quote expires soon",
  values: (data, { baseUrl }) => ({
    base_url: baseUrl,
    link: data.page_url,
    shop_name: data.shop_name,
    greeting: greetingOf(data.customer_name),
    number: data.number,
    title: data.title,
    event: data.event,
    heads: data.heads,
    total: data.total,
    valid_until: data.valid_until,
  }),
  text: (mail) => `Your catering quote expires soon
================================

${mail.greeting}

${wrap(`Quote ${mail.number} of ${mail.shop_name} is valid until ${mail.valid_until}. You have not responded yet.`)}

${wrap(`What: ${mail.title}`)}
When: ${mail.event}
Guests: ${mail.heads}
Total: ${mail.total}
${linkAndEnd(wrap(`Accept or decline it here. ${YOURS}`), mail)}`,
});
