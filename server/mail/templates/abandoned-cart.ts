import { z } from "zod";

import { defineMail, InlineText, MailLink } from "../template.ts";
import { paragraph, wrap } from "./subscription.ts";

const schema = z.object({
  cart_url: MailLink,
  unsubscribe_url: MailLink,
  shop_name: InlineText,
  customer_name: InlineText,
  lines: InlineText,
  total: InlineText,
  coupon: InlineText,
});

const example = {
  cart_url: "https://api.shop.example/api/public/carts/Zm9yLXByZXZpZXctb25seQ.bm90LWEtcmVhbC10b2tlbg",
  unsubscribe_url:
    "https://api.shop.example/api/public/unsubscribe/Zm9yLXByZXZpZXctb25seQ.bm90LWEtcmVhbC10b2tlbg",
  shop_name: "Demo Bakery & Roastery",
  customer_name: "Ada Byron",
  lines: "2 × Sourdough loaf; Butter",
  total: "£11.40",
  coupon: "",
};

type Data = z.output<typeof schema>;

const valuesOf = (data: Data, baseUrl: string, opening: string) => ({
  base_url: baseUrl,
  link: data.cart_url,
  unsubscribe_url: data.unsubscribe_url,
  shop_name: data.shop_name,
  lines: data.lines,
  total: data.total,
  greeting: data.customer_name === "" ? "Hello," : `Hello ${data.customer_name},`,
  opening,
  coupon_note: data.coupon === "" ? "" : `Use the code ${data.coupon} once at checkout.`,
});

type Values = ReturnType<typeof valuesOf>;

/** Marketing mail must offer a way out each time, and say why it came. */
const textOf = (title: string, mail: Values): string => `${title}
${"=".repeat(title.length)}

${mail.greeting}

${wrap(mail.opening)}

${wrap(`In it: ${mail.lines}`)}
Total: ${mail.total}
${paragraph(mail.coupon_note)}
Back to your cart:

${mail.link}

You receive this email because you left a cart at ${mail.shop_name}.
Unsubscribe: ${mail.unsubscribe_url}

--${" "}
Sent by ${mail.base_url}
`;

/** The first word after a cart was left. */
export const abandonedCartFirst = defineMail({
  name: "abandoned-cart-first",
  summary: "Sent some hours after a cart is abandoned, to people who consented to such mail.",
  reason: "you left a cart at this store and consented to such mail",
  schema,
  example,
  subject: "Your cart is still here",
  values: (data, { baseUrl }) =>
    valuesOf(data, baseUrl, `You left items in your cart at ${data.shop_name}. We have saved them for you.`),
  text: (mail) => textOf("Your cart is still here", mail),
});

/** The second, a day later. */
export const abandonedCartSecond = defineMail({
  name: "abandoned-cart-second",
  summary: "Sent a day after a cart is abandoned: a reminder.",
  reason: "you left a cart at this store and consented to such mail",
  schema,
  example,
  subject: "Still thinking it over?",
  values: (data, { baseUrl }) =>
    valuesOf(data, baseUrl, `Your cart at ${data.shop_name} is as you left it. Return to it with one click.`),
  text: (mail) => textOf("Still thinking it over?", mail),
});

/** The last. */
export const abandonedCartLast = defineMail({
  name: "abandoned-cart-last",
  summary: "Sent three days after a cart is abandoned, often with a code: the last reminder.",
  reason: "you left a cart at this store and consented to such mail",
  schema,
  example: { ...example, coupon: "BACK-4F7Q2M9XKD3P" },
  subject: "Last reminder about your cart",
  values: (data, { baseUrl }) =>
    valuesOf(data, baseUrl, `This is our last email about the cart that you left at ${data.shop_name}.`),
  text: (mail) => textOf("Last reminder about your cart", mail),
});
