import { InlineText, MailLink, typedText } from "../template.ts";

/** What every mail about catering contains. Amounts and dates come written out. */
export const cateringFields = {
  page_url: MailLink,
  shop_name: InlineText,
  customer_name: InlineText,
};

export const cateringExample = {
  page_url: "https://api.shop.example/api/public/quotes/Zm9yLXByZXZpZXctb25seQ.bm90LWEtcmVhbC10b2tlbg",
  shop_name: "Demo Bakery & Roastery",
  customer_name: "Ada Byron",
};

/** What is quoted, ordered or asked for. */
export const occasionFields = { number: InlineText, title: InlineText, event: InlineText, heads: InlineText };
export const occasionExample = {
  number: "12",
  title: "Board lunch",
  event: "Friday, 19 June 2026, 12:30",
  heads: "30",
};

/** What the shop writes to the customer: one paragraph, in which no line break can forge another. */
export const Message = typedText(600);

export const greetingOf = (name: string): string => (name === "" ? "Hello," : `Hello ${name},`);

/** The link and the end of a text part. */
export const linkAndEnd = (asks: string, { link, base_url }: { link: string; base_url: string }): string => `
${asks}

${link}

--${" "}
Sent by ${base_url}
`;
