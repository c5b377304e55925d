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

/** Sent before a renewal, before a trial ends, and as the reminder that some contracts need. */
export const subscriptionRenewal = defineMail({
  name: "subscription-renewal",
  summary: "Sent before a payment is due: when, how much, and how to cancel.",
  reason: "you have a subscription at this store",
  schema: z.object({
    ...subscriptionFields,
    amount: InlineText,
    interval: InlineText,
    date: InlineText,
    trial_ends: z.boolean(),
    cooling_off: InlineText,
  }),
  example: {
    ...subscriptionExample,
    amount: "£39.00",
    interval: "every month",
    date: "30 June 2026",
    trial_ends: false,
    cooling_off: "",
  },
  subject: "Your subscription renews soon",
  values: (data, { baseUrl }) => ({
    ...commonValues(data, baseUrl),
    amount: data.amount,
    interval: data.interval,
    date: data.date,
    opening: data.trial_ends
      ? `Your free trial at ${data.shop_name} ends soon. After that, the subscription costs the price below.`
      : `Your subscription at ${data.shop_name} renews soon.`,
    cooling_off_note:
      data.cooling_off === ""
        ? ""
        : `You can cancel for any reason and receive a refund until ${data.cooling_off}.`,
  }),
  text: (mail) => `Your subscription renews soon
=============================

${mail.greeting}

${wrap(mail.opening)}

${wrap(`What: ${mail.lines}`)}
Price: ${mail.amount} ${mail.interval}
Next payment: ${mail.date}
${paragraph(mail.cooling_off_note)}${footer(mail)}`,
});
