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
  consequence: "This delivery is skipped. The subscription continues with the next one.",
};

const values = (data: z.output<typeof schema>, { baseUrl }: { baseUrl: string }) => ({
  ...commonValues(data, baseUrl),
  amount: data.amount,
  due: data.due,
  consequence: data.consequence,
  retry_note:
    data.retry === ""
      ? "We will not retry this payment method. Please add another one."
      : `We will try again on ${data.retry}.`,
});

/** The first stage: friendly, since most failures resolve themselves. */
export const subscriptionPaymentFailed = defineMail({
  name: "subscription-payment-failed",
  summary: "Sent when a payment fails for the first time: what happens next.",
  reason: "you have a subscription at this store",
  schema,
  example,
  subject: "Your payment failed",
  values,
  text: (mail) => `Your payment failed
===================

${mail.greeting}

${wrap(`A payment of ${mail.amount} to ${mail.shop_name}, due on ${mail.due}, failed.`)}

${wrap(`What: ${mail.lines}`)}
${paragraph(mail.retry_note)}
Most failed payments succeed at the next attempt. If your card has
changed, please update your payment method.
${footer(mail)}`,
});

/** The second stage: several attempts have failed. */
export const subscriptionPaymentReminder = defineMail({
  name: "subscription-payment-reminder",
  summary: "Sent when several payment attempts failed: asks to check the payment method.",
  reason: "you have a subscription at this store",
  schema,
  example,
  subject: "Your payment is still outstanding",
  values,
  text: (mail) => `Your payment is still outstanding
=================================

${mail.greeting}

${wrap(`Several attempts to collect ${mail.amount} for ${mail.shop_name}, due on ${mail.due}, failed.`)}

${wrap(`What: ${mail.lines}`)}
${paragraph(mail.retry_note)}
Please check your payment method or add another one.
${footer(mail)}`,
});

/** The third stage: what the policy makes of it. */
export const subscriptionPaymentLast = defineMail({
  name: "subscription-payment-last",
  summary: "Sent when the last payment attempt failed: what happens to the subscription.",
  reason: "you have a subscription at this store",
  schema,
  example: { ...example, retry: "" },
  subject: "The last attempt to collect your payment failed",
  values,
  text: (mail) => `The last payment attempt failed
===============================

${mail.greeting}

${wrap(`The last attempt to collect ${mail.amount} for ${mail.shop_name}, due on ${mail.due}, failed. There will be no further attempts.`)}

${wrap(`What: ${mail.lines}`)}
${paragraph(mail.consequence)}${footer(mail)}`,
});
