import { z } from "zod";

import { defineMail, InlineText, MailLink, typedText } from "../template.ts";
import { paragraph, quoted, wrap } from "./subscription.ts";

const Block = typedText(2_000);

const LINK = "https://api.shop.example/api/public/reviews/Zm9yLXByZXZpZXctb25seQ.bm90LWEtcmVhbC10b2tlbg";
const greetingOf = (name: string): string => (name === "" ? "Hello," : `Hello ${name},`);

const inviteSchema = z.object({
  review_url: MailLink,
  unsubscribe_url: MailLink,
  shop_name: InlineText,
  customer_name: InlineText,
  items: InlineText,
  incentive: InlineText,
});
const inviteExample = {
  review_url: LINK,
  unsubscribe_url:
    "https://api.shop.example/api/public/reviews/unsubscribe/Zm9yLXByZXZpZXctb25seQ.bm90LWEtcmVhbC10b2tlbg",
  shop_name: "Demo Bakery & Roastery",
  customer_name: "Ada Byron",
  items: "Sourdough loaf; Oat bar",
  incentive: "",
};
type Invite = z.output<typeof inviteSchema>;

const inviteValues = (data: Invite, baseUrl: string, opening: string) => ({
  base_url: baseUrl,
  link: data.review_url,
  unsubscribe_url: data.unsubscribe_url,
  shop_name: data.shop_name,
  items: data.items,
  greeting: greetingOf(data.customer_name),
  opening,
  incentive_note: data.incentive,
});

const inviteText = (title: string, mail: ReturnType<typeof inviteValues>): string => `${title}
${"=".repeat(title.length)}

${mail.greeting}

${wrap(mail.opening)}

${wrap(`You bought: ${mail.items}`)}
${paragraph(mail.incentive_note)}
Write a review:

${mail.link}

You receive this email because you ordered at ${mail.shop_name}.
Unsubscribe: ${mail.unsubscribe_url}

--${" "}
Sent by ${mail.base_url}
`;

/** Some days after an order was delivered. */
export const reviewInvitation = defineMail({
  name: "review-invitation",
  summary: "Sent some days after an order is delivered: asks for a review, positive or negative.",
  reason: "you ordered at this store",
  schema: inviteSchema,
  example: inviteExample,
  subject: "How was your order?",
  values: (data, { baseUrl }) =>
    inviteValues(
      data,
      baseUrl,
      `Thank you for your order at ${data.shop_name}. What did you think of it? Good or bad, your review helps others.`,
    ),
  text: (mail) => inviteText("How was your order?", mail),
});

/** A week later, once. */
export const reviewReminder = defineMail({
  name: "review-reminder",
  summary: "Sent once, a week after an invitation without a review.",
  reason: "you ordered at this store",
  schema: inviteSchema,
  example: inviteExample,
  subject: "Do you have a moment for a review?",
  values: (data, { baseUrl }) =>
    inviteValues(
      data,
      baseUrl,
      `A while ago we asked what you thought of your order at ${data.shop_name}. This is the only reminder.`,
    ),
  text: (mail) => inviteText("Do you have a moment for a review?", mail),
});

/** To the author of a review who left an address. */
export const reviewConfirmation = defineMail({
  name: "review-confirmation",
  summary: "Sent when a visitor leaves a review with an email address: asks them to confirm it.",
  reason: "a review was submitted with this address",
  schema: z.object({
    confirm_url: MailLink,
    shop_name: InlineText,
    author_name: InlineText,
    product: InlineText,
  }),
  example: {
    confirm_url: LINK,
    shop_name: "Demo Bakery & Roastery",
    author_name: "Ada",
    product: "Sourdough loaf",
  },
  subject: "Confirm your review",
  values: (data, { baseUrl }) => ({
    base_url: baseUrl,
    link: data.confirm_url,
    greeting: greetingOf(data.author_name),
    opening: `A review of ${data.product} at ${data.shop_name} was submitted with this email address. If you wrote it, please confirm it.`,
    closing: "If you did not write it, no action is needed. The review will not be published.",
  }),
  text: (mail) => `Confirm your review
===================

${mail.greeting}

${wrap(mail.opening)}

${mail.link}

${wrap(mail.closing)}

--${" "}
Sent by ${mail.base_url}
`,
});

/** To an author whose words the shop changed. */
export const reviewEdited = defineMail({
  name: "review-edited",
  summary: "Sent to the author when the store edits the text of a review: they can restore the original.",
  reason: "a review was submitted with this address",
  schema: z.object({
    review_url: MailLink,
    shop_name: InlineText,
    author_name: InlineText,
    product: InlineText,
    new_title: InlineText,
    new_body: Block,
  }),
  example: {
    review_url: LINK,
    shop_name: "Demo Bakery & Roastery",
    author_name: "Ada",
    product: "Sourdough loaf",
    new_title: "Good crumb",
    new_body: "Gone by noon. (The address of a neighbour was removed.)",
  },
  subject: "Your review was edited",
  values: (data, { baseUrl }) => ({
    base_url: baseUrl,
    link: data.review_url,
    greeting: greetingOf(data.author_name),
    opening: `${data.shop_name} edited the text of your review of ${data.product}. Your rating has not changed. The review now reads:`,
    new_title: data.new_title,
    new_body: data.new_body,
    closing: "If you do not agree, you can restore your original text:",
  }),
  text: (mail) => `Your review was edited
======================

${mail.greeting}

${wrap(mail.opening)}

${quoted(mail.new_title === "" ? mail.new_body : `${mail.new_title} – ${mail.new_body}`)}

${wrap(mail.closing)}

${mail.link}

--${" "}
Sent by ${mail.base_url}
`,
});

/** From the shop to an author, not published. */
export const reviewPrivateReply = defineMail({
  name: "review-private-reply",
  summary: "Sent to the author of a review when the store replies privately.",
  reason: "a review was submitted with this address",
  schema: z.object({
    shop_name: InlineText,
    author_name: InlineText,
    product: InlineText,
    message: Block,
    by: InlineText,
    shop_url: InlineText,
  }),
  example: {
    shop_name: "Demo Bakery & Roastery",
    author_name: "Ada",
    product: "Sourdough loaf",
    message: "We are sorry that the loaf was dry. May we send you another?",
    by: "Grace of Demo Bakery",
    shop_url: "https://api.shop.example/",
  },
  subject: "A reply to your review",
  values: (data, { baseUrl }) => ({
    base_url: baseUrl,
    greeting: greetingOf(data.author_name),
    opening: `${data.shop_name} replied to your review of ${data.product}. Only you can see this reply:`,
    message: data.message,
    by: data.by,
    shop_url: data.shop_url,
  }),
  text: (mail) => `A reply to your review
======================

${mail.greeting}

${wrap(mail.opening)}

${quoted(mail.message)}

${mail.by}
${paragraph(mail.shop_url)}
--${" "}
Sent by ${mail.base_url}
`,
});
