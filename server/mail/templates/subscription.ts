import type { z } from "zod";

import { InlineText, MailLink } from "../template.ts";

/** What every mail about a subscription contains. Amounts and dates come written out. */
export const subscriptionFields = {
  manage_url: MailLink,
  shop_name: InlineText,
  customer_name: InlineText,
  lines: InlineText,
};

export const subscriptionExample = {
  manage_url:
    "https://api.shop.example/api/public/subscriptions/Zm9yLXByZXZpZXctb25seQ.bm90LWEtcmVhbC10b2tlbg",
  shop_name: "Demo Bakery & Roastery",
  customer_name: "Ada Byron",
  lines: "2 × Coffee, 1 kg",
};

type Common = z.output<z.ZodObject<typeof subscriptionFields>>;

/** Values of every mail about a subscription. */
export const commonValues = (data: Common, baseUrl: string) => ({
  base_url: baseUrl,
  link: data.manage_url,
  shop_name: data.shop_name,
  lines: data.lines,
  greeting: data.customer_name === "" ? "Hello," : `Hello ${data.customer_name},`,
});

/** The end of every text part. */
export const footer = ({ link, base_url }: { link: string; base_url: string }): string => `
Manage the subscription here. Keep this link private: anyone who has it
can skip the next delivery, pause or cancel.

${link}

--${" "}
Sent by ${base_url}
`;

/** A sentence that may be missing, as a paragraph of a text part. */
export const paragraph = (text: string): string => (text === "" ? "" : `\n${wrap(text)}\n`);

/** Text of a person, marked so that it cannot be taken for words of the mail itself. */
export const quoted = (text: string): string =>
  text === ""
    ? ""
    : text
        .split("\n")
        .flatMap((line) => wrap(line).split("\n"))
        .map((line) => `> ${line}`)
        .join("\n");

const WIDTH = 72;

/** Breaks a sentence at blanks, so that no line is too long to read. */
export function wrap(text: string): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].join("\n");
}
