import { z } from "zod";

import { link } from "../blocks.ts";
import { InlineText, MailLink, defineMail, typedText } from "../template.ts";

/** A text in which a blank line begins a paragraph. */
const Paragraphs = z
  .string()
  .transform((text) => text.split(/\n\s*\n/).filter((part) => part.trim() !== ""))
  .pipe(z.array(typedText(1_000)).min(1).max(20));

/** Sent by engines of other packages, in words of their own. */
export const engineMessage = defineMail({
  name: "engine-message",
  summary: "Sent by an engine that the configuration adds, with its own subject and text.",
  reason: "store",
  schema: z.object({
    subject: InlineText.optional(),
    text: Paragraphs,
    url: MailLink.optional(),
    label: InlineText.optional(),
  }),
  example: {
    text: "Your gift card has 15 pounds left. It can be redeemed until the end of May.",
    url: "https://api.shop.example/api/public/gift-cards/Zm9yLXByZXZpZXctb25seQ",
    label: "Gift card",
  },
  subject: ({ subject }) => (subject === "" ? undefined : subject),
  blocks({ text, url, label: given }, { words }) {
    const label = given ?? words.say("mail.engine-message.open");
    return [...text, ...(url === undefined ? [] : [link(url, label, label)])];
  },
});
