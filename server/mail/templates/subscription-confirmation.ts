import { z } from "zod";

import { defineMail, InlineText } from "../template.ts";
import {
  commonValues,
  footer,
  paragraph,
  subscriptionExample,
  subscriptionFields,
  wrap,
} from "./subscription.ts";

/** Sent when a contract begins: what was agreed, on a durable medium. */
export const subscriptionConfirmation = defineMail({
  name: "subscription-confirmation",
  summary: "Sent when a subscription starts: what it contains, what it costs, how to withdraw.",
  reason: "you have a subscription at this store",
  schema: z.object({
    ...subscriptionFields,
    amount: InlineText,
    interval: InlineText,
    first_payment: InlineText,
    trial: InlineText,
    cooling_off: InlineText,
  }),
  example: {
    ...subscriptionExample,
    amount: "£39.00",
    interval: "every month",
    first_payment: "30 June 2026",
    trial: "",
    cooling_off: "14 July 2026",
  },
  subject: "Your subscription",
  values: (data, { baseUrl }) => ({
    ...commonValues(data, baseUrl),
    amount: data.amount,
    interval: data.interval,
    first_payment: data.first_payment,
    trial_note: data.trial === "" ? "" : `It is free of charge until ${data.trial}.`,
    cooling_off_note:
      data.cooling_off === ""
        ? ""
        : `You can cancel for any reason and receive a refund until ${data.cooling_off}.`,
  }),
  text: (mail) => `Your subscription
=================

${mail.greeting}

${wrap(`Thank you for subscribing at ${mail.shop_name}.`)}

${wrap(`What: ${mail.lines}`)}
Price: ${mail.amount} ${mail.interval}
First payment: ${mail.first_payment}
${paragraph(mail.trial_note)}${paragraph(mail.cooling_off_note)}${footer(mail)}`,
});
