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

const schema = z.object({
  ...subscriptionFields,
  amount: InlineText,
  due: InlineText,
  retry: InlineText,
  consequence: InlineText,
});

const example = {
  ...subscriptionExample,
  amount: "£39.00",
  due: "30 June 2026",
  retry: "3 July 2026",
  consequence: "This delivery is left out. The subscription goes on with the next one.",
};

const values = (data: z.output<typeof schema>, { baseUrl }: { baseUrl: string }) => ({
  ...commonValues(data, baseUrl),
  amount: data.amount,
  due: data.due,
  consequence: data.consequence,
  retry_note:
    data.retry === ""
      ? "We do not try again with this way to pay: please give us another one."
      : `We try again on ${data.retry}.`,
});

/** The first stage: friendly, since most of it mends itself. */
export const subscriptionPaymentFailed = defineMail({
  name: "subscription-payment-failed",
  summary: "Sent at the first failure of a payment: what happens next.",
  reason: "you have a subscription at this shop",
  schema,
  example,
  subject: "A payment did not go through",
  values,
  text: (mail) => `A payment did not go through
============================

${mail.greeting}

${wrap(`A payment of ${mail.amount} to ${mail.shop_name}, due on ${mail.due}, did not go through.`)}

${wrap(`What: ${mail.lines}`)}
${paragraph(mail.retry_note)}
This happens, and is mostly mended by itself. If your card has changed,
tell us the new one.
${footer(mail)}`,
});

/** The second stage: several attempts have failed. */
export const subscriptionPaymentReminder = defineMail({
  name: "subscription-payment-reminder",
  summary: "Sent when several attempts of a payment have failed: asks to look after it.",
  reason: "you have a subscription at this shop",
  schema,
  example,
  subject: "Your payment is still open",
  values,
  text: (mail) => `Your payment is still open
==========================

${mail.greeting}

${wrap(`Several attempts to collect ${mail.amount} for ${mail.shop_name}, due on ${mail.due}, have failed.`)}

${wrap(`What: ${mail.lines}`)}
${paragraph(mail.retry_note)}
Please make sure that the payment can go through, or give us another way
to pay.
${footer(mail)}`,
});

/** The third stage: what the policy makes of it. */
export const subscriptionPaymentLast = defineMail({
  name: "subscription-payment-last",
  summary: "Sent when the last attempt of a payment has failed: what becomes of the subscription.",
  reason: "you have a subscription at this shop",
  schema,
  example: { ...example, retry: "" },
  subject: "The last attempt to collect your payment has failed",
  values,
  text: (mail) => `The last attempt has failed
===========================

${mail.greeting}

${wrap(`The last attempt to collect ${mail.amount} for ${mail.shop_name}, due on ${mail.due}, has failed. We do not try again.`)}

${wrap(`What: ${mail.lines}`)}
${paragraph(mail.consequence)}${footer(mail)}`,
});
