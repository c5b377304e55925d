import { z } from "zod";

import { defineMail, InlineText } from "../template.ts";
import { commonValues, footer, subscriptionExample, subscriptionFields, wrap } from "./subscription.ts";

/** Sent at once when a contract is cancelled, by either side. */
export const subscriptionCancelled = defineMail({
  name: "subscription-cancelled",
  summary: "Sent when a subscription is cancelled: when it ends and what is refunded.",
  reason: "you have a subscription at this store",
  schema: z.object({ ...subscriptionFields, ends_on: InlineText, refund: InlineText }),
  example: { ...subscriptionExample, ends_on: "30 June 2026", refund: "£12.40" },
  subject: "Your subscription is cancelled",
  values: (data, { baseUrl }) => ({
    ...commonValues(data, baseUrl),
    ends_on: data.ends_on,
    refund_note: data.refund === "" ? "You will not be charged again." : `${data.refund} will be refunded.`,
  }),
  text: (mail) => `Your subscription is cancelled
==============================

${mail.greeting}

${wrap(`This confirms that your subscription at ${mail.shop_name} is cancelled.`)}

${wrap(`What: ${mail.lines}`)}

${wrap(`It ends on ${mail.ends_on}. ${mail.refund_note}`)}

Changed your mind? Contact the store before that day to keep the
subscription.
${footer(mail)}`,
});
