import { z } from "zod";

import { defineMail, InlineText, MailLink } from "../template.ts";
import { cateringExample, greetingOf, linkAndEnd } from "./catering.ts";
import { wrap } from "./subscription.ts";

/** Asks a guest whether they come, so that enough is ordered. */
export const cateringRsvp = defineMail({
  name: "catering-rsvp",
  summary: "Asks a guest whether they will attend a catered meal, with a personal link to respond.",
  reason: "the store invited you to respond to a catered meal",
  schema: z.object({
    page_url: MailLink,
    shop_name: InlineText,
    name: InlineText,
    title: InlineText,
    date: InlineText,
  }),
  example: {
    page_url: cateringExample.page_url.replace("/quotes/", "/rsvp/"),
    shop_name: cateringExample.shop_name,
    name: "Ada Byron",
    title: "Tuesday lunch",
    date: "Tuesday, 9 June 2026",
  },
  subject: "Will you be there?",
  values: (data, { baseUrl }) => ({
    base_url: baseUrl,
    link: data.page_url,
    shop_name: data.shop_name,
    greeting: greetingOf(data.name),
    title: data.title,
    date: data.date,
  }),
  text: (mail) => `Will you be there?
==================

${mail.greeting}

${wrap(`${mail.shop_name} is catering for "${mail.title}" on ${mail.date} and needs to know who is coming.`)}
${linkAndEnd("Respond here, with guests and dietary requirements. You can change your\nresponse until that day.", mail)}`,
});
