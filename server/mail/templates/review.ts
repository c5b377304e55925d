import { z } from "zod";

import { facts, link, quote } from "../blocks.ts";
import type { Block } from "../blocks.ts";
import { InlineText, MailLink, defineMail, greet, shopIn, typedText } from "../template.ts";
import type { MailContext } from "../template.ts";

const Body = typedText(2_000);
const LINK = "https://api.shop.example/api/public/reviews/Zm9yLXByZXZpZXctb25seQ.bm90LWEtcmVhbC10b2tlbg";

const Invite = z.object({
  review_url: MailLink,
  unsubscribe_url: MailLink,
  shop_name: InlineText,
  customer_name: InlineText,
  items: InlineText,
  incentive: z.enum(["none", "coupon", "points", "free_product", "sweepstake", "other"]),
});
const inviteExample = {
  review_url: LINK,
  unsubscribe_url: LINK.replace("/reviews/", "/reviews/unsubscribe/"),
  shop_name: "Demo Bakery & Roastery",
  customer_name: "Ada Byron",
  items: "Sourdough loaf; Oat bar",
  incentive: "none" as const,
};

const inviteBlocks =
  (name: "invitation" | "reminder") =>
  (data: z.output<typeof Invite>, { words }: MailContext): Block[] => {
    const { say } = words;
    const shop = shopIn(words, data.shop_name);
    return [
      greet(words, data.customer_name),
      say(`mail.review-${name}.text`, { shop }),
      facts([say("mail.review.bought"), data.items]),
      data.incentive === "none" ? "" : say(`mail.review.${data.incentive}`),
      link(data.review_url, say("mail.review.write"), `${say("mail.review.write")}:`),
      { kind: "stop", url: data.unsubscribe_url, why: say("mail.review.why", { shop }) },
    ];
  };

/** Some days after an order was delivered. */
export const reviewInvitation = defineMail({
  name: "review-invitation",
  summary: "Sent some days after an order is delivered: asks for a review, positive or negative.",
  reason: "bought",
  schema: Invite,
  example: inviteExample,
  blocks: inviteBlocks("invitation"),
});

/** A week later, once. */
export const reviewReminder = defineMail({
  name: "review-reminder",
  summary: "Sent once, a week after an invitation without a review.",
  reason: "bought",
  schema: Invite,
  example: inviteExample,
  blocks: inviteBlocks("reminder"),
});

const Review = z.object({ shop_name: InlineText, author_name: InlineText, product: InlineText });
const reviewExample = {
  shop_name: "Demo Bakery & Roastery",
  author_name: "Ada",
  product: "Sourdough loaf",
};
const namesIn = ({ product, shop_name: shop }: z.output<typeof Review>, { words }: MailContext) => ({
  product,
  shop: shopIn(words, shop),
});

/** To the author of a review who left an address. */
export const reviewConfirmation = defineMail({
  name: "review-confirmation",
  summary: "Sent when a visitor leaves a review with an email address: asks them to confirm it.",
  reason: "review",
  schema: Review.extend({ confirm_url: MailLink }),
  example: { ...reviewExample, confirm_url: LINK },
  blocks: (data, context) => [
    greet(context.words, data.author_name),
    link(
      data.confirm_url,
      context.words.say("mail.review-confirmation.button"),
      context.words.say("mail.review-confirmation.text", namesIn(data, context)),
    ),
    context.words.say("mail.review-confirmation.ignore"),
  ],
});

/** To an author whose words the shop changed. */
export const reviewEdited = defineMail({
  name: "review-edited",
  summary: "Sent to the author when the store edits the text of a review: they can restore the original.",
  reason: "review",
  schema: Review.extend({ review_url: MailLink, new_title: InlineText, new_body: Body }),
  example: {
    ...reviewExample,
    review_url: LINK,
    new_title: "Good crumb",
    new_body: "Gone by noon. (The address of a neighbour was removed.)",
  },
  blocks: (data, context) => [
    greet(context.words, data.author_name),
    context.words.say("mail.review-edited.text", namesIn(data, context)),
    quote(data.new_title === "" ? data.new_body : `${data.new_title} – ${data.new_body}`),
    link(
      data.review_url,
      context.words.say("mail.review-edited.button"),
      context.words.say("mail.review-edited.how"),
    ),
  ],
});

/** From the shop to an author, not published. */
export const reviewPrivateReply = defineMail({
  name: "review-private-reply",
  summary: "Sent to the author of a review when the store replies privately.",
  reason: "review",
  schema: Review.extend({ message: Body, by: InlineText, shop_url: InlineText }),
  example: {
    ...reviewExample,
    message: "We are sorry that the loaf was dry. May we send you another?",
    by: "Grace of Demo Bakery",
    shop_url: "https://api.shop.example/",
  },
  blocks: (data, context) => [
    greet(context.words, data.author_name),
    context.words.say("mail.review-private-reply.text", namesIn(data, context)),
    quote(data.message),
    data.by,
    data.shop_url,
  ],
});
