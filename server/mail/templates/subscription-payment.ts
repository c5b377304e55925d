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
  /** What the customer can do: confirm the payment at the bank, use another card, or wait. */
  step: z.enum(["confirm", "replace", "wait"]).default("wait"),
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
  retry_note: noteOf(data),
});

/** The one thing that comes next; the link below it leads to where it is done. */
function noteOf({ step, retry }: Pick<z.output<typeof schema>, "step" | "retry">): string {
  if (step === "confirm")
    return "Your bank asks you to confirm this payment. Confirm it with the link below.";
  if (step === "replace" || retry === "")
    return "This card cannot be charged again. Add another one with the link below.";
  return `We will try again on ${retry}. To pay with another card instead, use the link below.`;
}

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
${paragraph(mail.retry_note)}${footer(mail)}`,
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
${paragraph(mail.retry_note)}${footer(mail)}`,
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
