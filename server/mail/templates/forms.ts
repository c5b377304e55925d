import { z } from "zod";

import { defineMail, InlineText, typedText } from "../template.ts";
import { Message } from "./catering.ts";
import { paragraph, quoted, wrap } from "./subscription.ts";

/** An answer of any length, as one line: a line break could forge another answer. */
const Value = typedText(1_000);

const Answers = z.array(z.object({ label: InlineText, value: Value })).max(100);
type Answers = z.output<typeof Answers>;

/** A line each in the text part; the HTML part keeps the breaks. */
const written = (answers: Answers): string =>
  answers.map(({ label, value }) => `${label}: ${value}`).join("\n");

/** Sent to the shop for each submission that was accepted. */
export const formsNotification = defineMail({
  name: "forms-notification",
  summary: "Sent to a store when a visitor submits one of its forms.",
  reason: "the store notifies your address about form submissions",
  schema: z.object({
    form_name: InlineText,
    title: InlineText,
    submission_id: InlineText,
    answers: Answers,
    files: z.int().nonnegative(),
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
  subject: "New form submission",
  values: (data, { baseUrl }) => ({
    base_url: baseUrl,
    title: data.title === "" ? "New form submission" : data.title,
    form_name: data.form_name,
    submission_id: data.submission_id,
    answers: written(data.answers),
    files: data.files === 0 ? "" : `Files: ${data.files}`,
  }),
  text: (mail) => `${mail.title}
${"=".repeat(mail.title.length)}

${wrap(`New submission of the form "${mail.form_name}".`)}

${quoted(mail.answers)}
${paragraph(mail.files)}
Submission: ${mail.submission_id}

--${" "}
Sent by ${mail.base_url}
`,
});

/** Sent to the sender of a form, at most once an hour: the shop's own words, and nothing that was typed in. */
export const formsReceipt = defineMail({
  name: "forms-receipt",
  summary: "Sent to a visitor who submitted a form, where the store confirms submissions by mail.",
  reason: "this address was submitted with a form of this store",
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
  subject: "We have received your message",
  values: (data, { baseUrl }) => ({
    base_url: baseUrl,
    shop_name: data.shop_name,
    form_name: data.form_name,
    message: data.message === "" ? "Thank you. We have received your message." : data.message,
    answers: written(data.answers),
    reference: data.reference,
  }),
  text: (mail) => `We have received your message
=============================

Hello,

${quoted(mail.message)}

${wrap(`You submitted the form "${mail.form_name}" of ${mail.shop_name}.`)}
${mail.answers === "" ? "" : `\n${quoted(mail.answers)}\n`}
${wrap(`Your reference is ${mail.reference}. Include it if you want to access or erase the data that we store. If this was not you, please ignore this email.`)}

--${" "}
Sent by ${mail.base_url}
`,
});
