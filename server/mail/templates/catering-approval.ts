import { z } from "zod";

import { defineMail, InlineText, MailLink } from "../template.ts";
import { cateringExample, linkAndEnd, occasionExample, occasionFields } from "./catering.ts";
import { wrap } from "./subscription.ts";

/** Sent to who must approve what a colleague accepted. */
export const cateringApproval = defineMail({
  name: "catering-approval",
  summary: "Sent to the approver of a catering quote that a colleague accepted.",
  reason: "the store listed your address as an approver of catering orders",
  schema: z.object({
    ...occasionFields,
    page_url: MailLink,
    shop_name: InlineText,
    requested_by: InlineText,
    total: InlineText,
    over_budget: z.boolean(),
  }),
  example: {
    ...occasionExample,
    page_url: cateringExample.page_url,
    shop_name: cateringExample.shop_name,
    requested_by: "Ada Byron",
    total: "£388.50",
    over_budget: false,
  },
  subject: "A catering order needs your approval",
  values: (data, { baseUrl }) => ({
    base_url: baseUrl,
    link: data.page_url,
    shop_name: data.shop_name,
    requested_by: data.requested_by,
    number: data.number,
    title: data.title,
    event: data.event,
    heads: data.heads,
    total: data.total,
    reason: data.over_budget
      ? "It exceeds the budget of its cost centre."
      : "It exceeds the amount that requires approval.",
  }),
  text: (mail) => `A catering order needs your approval
====================================

${wrap(`${mail.requested_by} accepted quote ${mail.number} of ${mail.shop_name}. ${mail.reason}`)}

${wrap(`What: ${mail.title}`)}
When: ${mail.event}
Guests: ${mail.heads}
Total: ${mail.total}
${linkAndEnd("Approve or reject it here. The link can be used once.", mail)}`,
});
