import { z } from "zod";

import { shorten } from "../../lib/shorten.ts";
import { facts, link, quote } from "../blocks.ts";
import type { Block } from "../blocks.ts";
import { InlineText, MailLink, defineMail, greet, shopIn, typedText } from "../template.ts";
import type { MailContext } from "../template.ts";
import { Message } from "./catering.ts";

const Cart = z.object({
  cart_url: MailLink,
  unsubscribe_url: MailLink,
  shop_name: InlineText,
  customer_name: InlineText,
  lines: InlineText,
  total: InlineText,
  coupon: InlineText,
});

const cartExample = {
  cart_url: "https://api.shop.example/api/public/carts/Zm9yLXByZXZpZXctb25seQ.bm90LWEtcmVhbC10b2tlbg",
  unsubscribe_url:
    "https://api.shop.example/api/public/unsubscribe/Zm9yLXByZXZpZXctb25seQ.bm90LWEtcmVhbC10b2tlbg",
  shop_name: "Demo Bakery & Roastery",
  customer_name: "Ada Byron",
  lines: "2 × Sourdough loaf; Butter",
  total: "£11.40",
  coupon: "",
};

/** Marketing mail must offer a way out each time, and say why it came. */
const cartBlocks =
  (step: "first" | "second" | "last") =>
  (data: z.output<typeof Cart>, { words }: MailContext): Block[] => {
    const { say } = words;
    const shop = shopIn(words, data.shop_name);
    return [
      greet(words, data.customer_name),
      say(`mail.abandoned-cart-${step}.text`, { shop }),
      facts([say("mail.cart.in_it"), data.lines], [say("mail.cart.total"), data.total]),
      data.coupon === "" ? "" : say("mail.cart.coupon", { code: data.coupon }),
      link(data.cart_url, say("mail.cart.back"), `${say("mail.cart.back")}:`),
      { kind: "stop", url: data.unsubscribe_url, why: say("mail.cart.why", { shop }) },
    ];
  };

/** The first word after a cart was left. */
export const abandonedCartFirst = defineMail({
  name: "abandoned-cart-first",
  summary: "Sent some hours after a cart is abandoned, to people who consented to such mail.",
  reason: "cart",
  schema: Cart,
  example: cartExample,
  blocks: cartBlocks("first"),
});

/** The second, a day later. */
export const abandonedCartSecond = defineMail({
  name: "abandoned-cart-second",
  summary: "Sent a day after a cart is abandoned: a reminder.",
  reason: "cart",
  schema: Cart,
  example: cartExample,
  blocks: cartBlocks("second"),
});

/** The last. */
export const abandonedCartLast = defineMail({
  name: "abandoned-cart-last",
  summary: "Sent three days after a cart is abandoned, often with a code: the last reminder.",
  reason: "cart",
  schema: Cart,
  example: { ...cartExample, coupon: "BACK-4F7Q2M9XKD3P" },
  blocks: cartBlocks("last"),
});

/** An answer of any length, as one line: a line break could forge another answer. */
const Value = typedText(1_000);
/** Of a hundred fields and ten consents. */
const Answers = z.array(z.object({ label: InlineText, value: Value })).max(110);

/** Characters of all answers of one mail: it is stored with each of them twice, as text and as HTML, where one takes up to eight bytes. */
const ANSWERS_CHARS = 20_000;

const written = (answers: z.output<typeof Answers>): string =>
  shorten(answers.map(({ label, value }) => `${label}: ${value}`).join("\n"), ANSWERS_CHARS);

/** Sent to the shop for each submission that was accepted. */
export const formsNotification = defineMail({
  name: "forms-notification",
  summary: "Sent to a store when a visitor submits one of its forms.",
  reason: "form_shop",
  schema: z.object({
    form_name: InlineText,
    title: InlineText,
    submission_id: InlineText,
    answers: Answers,
    files: z.int().nonnegative(),
    /** The answers take the place of others. */
    edited: z.boolean().optional(),
    /** The sender of the form: an answer to the mail goes to them. */
    reply_to: z.string().max(254).optional(),
  }),
  example: {
    form_name: "Catering quote",
    title: "New quote request",
    submission_id: "fsb_01JD8Z5T9QK3M4N5P6R7S8T9V0",
    answers: [
      { label: "Your name", value: "Ada Byron" },
      { label: "Number of guests", value: "40" },
    ],
    files: 1,
  },
  blocks: ({ answers, edited, files, form_name: form, submission_id: id, title }, { words: { say } }) => [
    title,
    say(edited === true ? "mail.forms-notification.edited" : "mail.forms-notification.form", { form }),
    quote(written(answers)),
    files === 0 ? "" : say("mail.forms-notification.files", { count: files }),
    say("mail.forms-notification.submission", { id }),
  ],
});

/** Sent to the sender of a form, at most once an hour: the shop's own words, and nothing that was typed in. */
export const formsReceipt = defineMail({
  name: "forms-receipt",
  summary: "Sent to a visitor who submitted a form, where the store confirms submissions by mail.",
  reason: "form_sender",
  schema: z.object({
    shop_name: InlineText,
    form_name: InlineText,
    message: Message,
    answers: Answers,
    reference: InlineText,
  }),
  example: {
    shop_name: "Demo Bakery & Roastery",
    form_name: "Catering quote",
    message: "Thank you for your request. We will reply within one working day.",
    answers: [{ label: "Number of guests", value: "40" }],
    reference: "rsp_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  },
  blocks: (data, { words }) => [
    greet(words, ""),
    quote(data.message === "" ? words.say("mail.forms-receipt.thanks") : data.message),
    words.say("mail.forms-receipt.form", { form: data.form_name, shop: shopIn(words, data.shop_name) }),
    quote(written(data.answers)),
    words.say("mail.forms-receipt.reference", { reference: data.reference }),
  ],
});

/** What every mail about a tier contains. Dates and amounts come written out. */
const Tier = z.object({
  shop_name: InlineText,
  shop_url: InlineText,
  customer_name: InlineText,
  programme: InlineText,
  level: InlineText,
});

const tierExample = {
  shop_name: "Demo Bakery & Roastery",
  shop_url: "https://api.shop.example/",
  customer_name: "Ada Byron",
  programme: "Bakery Club",
  level: "Gold",
};

const tierNames = (data: z.output<typeof Tier>, { words }: MailContext) => ({
  level: data.level,
  programme: data.programme,
  shop: shopIn(words, data.shop_name),
});

const BENEFITS_MAX = 12;

/** Sent when a member reaches a higher level. */
export const tierUp = defineMail({
  name: "tier-up",
  summary: "Sent when a customer reaches a higher level: its benefits and how long it lasts.",
  reason: "tier",
  schema: Tier.extend({ benefits: z.array(InlineText).max(BENEFITS_MAX), held_through: InlineText }),
  example: {
    ...tierExample,
    benefits: ["Free delivery", "A loaf on your birthday"],
    held_through: "31 May 2027",
  },
  blocks: (data, context) => [
    greet(context.words, data.customer_name),
    context.words.say("mail.tier-up.text", tierNames(data, context)),
    facts([context.words.say("mail.tier.level"), data.level]),
    data.benefits.length === 0
      ? ""
      : context.words.say("mail.tier-up.benefits", { benefits: data.benefits.join("; ") }),
    data.held_through === "" ? "" : context.words.say("mail.tier-up.held", { date: data.held_through }),
    data.shop_url,
  ],
});

/** Sent before the end of a term that would not be renewed, and when grace begins. */
export const tierAtRisk = defineMail({
  name: "tier-at-risk",
  summary: "Sent to a customer who is about to lose a level: what is still needed and the last day for it.",
  reason: "tier",
  schema: Tier.extend({ missing: InlineText, last_day: InlineText, in_grace: z.boolean() }),
  example: { ...tierExample, missing: "£40.00 more of spend", last_day: "31 May 2027", in_grace: false },
  blocks(data, context) {
    const { say } = context.words;
    return [
      greet(context.words, data.customer_name),
      say(data.in_grace ? "mail.tier-at-risk.grace" : "mail.tier-at-risk.soon", tierNames(data, context)),
      facts(
        [say("mail.tier.level"), data.level],
        [
          say("mail.tier-at-risk.needed"),
          data.missing === "" ? say("mail.tier-at-risk.nothing") : data.missing,
        ],
        [say("mail.tier-at-risk.last_day"), data.last_day],
      ),
      say("mail.tier-at-risk.reach", { level: data.level }),
      data.shop_url,
    ];
  },
});

/** Sent when a term, and its grace, ended and a level was lost. */
export const tierDown = defineMail({
  name: "tier-down",
  summary: "Sent to a customer who lost a level at the end of its term: the current level.",
  reason: "tier",
  schema: Tier.extend({ level_before: InlineText }),
  example: { ...tierExample, level: "Silver", level_before: "Gold" },
  blocks: (data, context) => [
    greet(context.words, data.customer_name),
    context.words.say("mail.tier-down.text", { ...tierNames(data, context), before: data.level_before }),
    facts([context.words.say("mail.tier-down.current"), data.level]),
    context.words.say("mail.tier-down.again"),
    data.shop_url,
  ],
});
