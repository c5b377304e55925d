import { z } from "zod";

import { defineMail, InlineText } from "../template.ts";
import { Message } from "./catering.ts";
import { paragraph, wrap } from "./subscription.ts";

const VALUE_CHARS_MAX = 1_000;

/** An answer of any length, as one line: a line break could forge another answer. */
const Value = z.string().transform((typed) => {
  const line = typed.replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\s]+/gu, " ").trim();
  return line.length <= VALUE_CHARS_MAX ? line : `${line.slice(0, VALUE_CHARS_MAX - 1)}…`;
});

const Answers = z.array(z.object({ label: InlineText, value: Value })).max(100);
type Answers = z.output<typeof Answers>;

/** A line each in the text part; the HTML part keeps the breaks. */
const written = (answers: Answers): string =>
  answers.map(({ label, value }) => `${label}: ${value}`).join("\n");

const wrapped = (lines: string): string => lines.split("\n").map(wrap).join("\n");

/** Sent to the shop for each submission that was accepted. */
export const formsNotification = defineMail({
  name: "forms-notification",
  summary: "Sent to a shop when somebody has filled in one of its forms.",
  schema: z.object({
    form_name: InlineText,
    title: InlineText,
    submission_id: InlineText,
    answers: Answers,
    files: z.int().nonnegative(),
    /** Whoever sent the form: an answer to the mail goes to them. */
    reply_to: z.string().max(254).optional(),
  }),
  example: {
    form_name: "Catering quote",
    title: "Somebody asks for a quote",
    submission_id: "fsb_01JD8Z5T9QK3M4N5P6R7S8T9V0",
    answers: [
      { label: "Your name", value: "Ada Byron" },
      { label: "Number of guests", value: "40" },
    ],
    files: 1,
  },
  subject: "A form was filled in",
  values: (data, { baseUrl }) => ({
    base_url: baseUrl,
    title: data.title === "" ? "A form was filled in" : data.title,
    form_name: data.form_name,
    submission_id: data.submission_id,
    answers: written(data.answers),
    files: data.files === 0 ? "" : `Files: ${data.files}`,
  }),
  text: (mail) => `${mail.title}
${"=".repeat(mail.title.length)}

${wrap(`Somebody has filled in "${mail.form_name}".`)}

${wrapped(mail.answers)}
${paragraph(mail.files)}
Submission: ${mail.submission_id}

--${" "}
Sent by ${mail.base_url}
`,
});

/** Sent to whoever filled in a form, at most once an hour: the shop's own words, and nothing that anybody typed. */
export const formsReceipt = defineMail({
  name: "forms-receipt",
  summary: "Sent to somebody who has filled in a form of a shop, where the shop answers by mail.",
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
    message: "Thank you for asking us. We answer within one working day.",
    answers: [{ label: "Number of guests", value: "40" }],
    reference: "rsp_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  },
  subject: "We have your message",
  values: (data, { baseUrl }) => ({
    base_url: baseUrl,
    shop_name: data.shop_name,
    form_name: data.form_name,
    message: data.message === "" ? "Thank you. We have your message." : data.message,
    answers: written(data.answers),
    reference: data.reference,
  }),
  text: (mail) => `We have your message
====================

Hello,

${wrap(mail.message)}

${wrap(`You filled in "${mail.form_name}" of ${mail.shop_name}.`)}
${mail.answers === "" ? "" : `\n${wrapped(mail.answers)}\n`}
${wrap(`Your reference is ${mail.reference}. Name it if you want to know what we keep, or have it erased. If this was not you, ignore this mail.`)}

--${" "}
Sent by ${mail.base_url}
`,
});
