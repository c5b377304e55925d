import { z } from "zod";

import { defineMail, InlineText } from "../template.ts";
import { paragraph, wrap } from "./subscription.ts";

/** What every mail about a tier contains. Dates and amounts come written out. */
const tierFields = {
  shop_name: InlineText,
  shop_url: InlineText,
  customer_name: InlineText,
  programme: InlineText,
  level: InlineText,
};

const tierExample = {
  shop_name: "Demo Bakery & Roastery",
  shop_url: "https://api.shop.example/",
  customer_name: "Ada Byron",
  programme: "Bakery Club",
  level: "Gold",
};

type Common = z.output<z.ZodObject<typeof tierFields>>;

const commonValues = (data: Common, baseUrl: string) => ({
  base_url: baseUrl,
  shop_url: data.shop_url,
  shop_name: data.shop_name,
  level: data.level,
  greeting: data.customer_name === "" ? "Hello," : `Hello ${data.customer_name},`,
});

const footer = ({
  shop_url: url,
  base_url,
}: {
  shop_url: string;
  base_url: string;
}): string => `${paragraph(url)}
--${" "}
Sent by ${base_url}
`;

const BENEFITS_MAX = 12;

/** Sent when a member reaches a higher level. */
export const tierUp = defineMail({
  name: "tier-up",
  summary: "Sent when a customer reaches a higher level: its benefits and how long it lasts.",
  reason: "you are a member of a programme of this store",
  schema: z.object({
    ...tierFields,
    benefits: z.array(InlineText).max(BENEFITS_MAX),
    held_through: InlineText,
  }),
  example: {
    ...tierExample,
    benefits: ["Free delivery", "A loaf on your birthday"],
    held_through: "31 May 2027",
  },
  subject: "You have reached a new level",
  values: (data, { baseUrl }) => ({
    ...commonValues(data, baseUrl),
    opening: `You have reached ${data.level} in ${data.programme} at ${data.shop_name}. Thank you!`,
    benefits_note: data.benefits.length === 0 ? "" : `Your benefits: ${data.benefits.join("; ")}.`,
    held_note: data.held_through === "" ? "" : `It is valid through ${data.held_through}.`,
  }),
  text: (mail) => `You have reached a new level
============================

${mail.greeting}

${wrap(mail.opening)}

Your level: ${mail.level}
${paragraph(mail.benefits_note)}${paragraph(mail.held_note)}${footer(mail)}`,
});

/** Sent before the end of a term that would not be renewed, and when grace begins. */
export const tierAtRisk = defineMail({
  name: "tier-at-risk",
  summary: "Sent to a customer who is about to lose a level: what is still needed and the last day for it.",
  reason: "you are a member of a programme of this store",
  schema: z.object({
    ...tierFields,
    missing: InlineText,
    last_day: InlineText,
    in_grace: z.boolean(),
  }),
  example: {
    ...tierExample,
    missing: "£40.00 more of spend",
    last_day: "31 May 2027",
    in_grace: false,
  },
  subject: "Keep your level",
  values: (data, { baseUrl }) => ({
    ...commonValues(data, baseUrl),
    missing: data.missing === "" ? "nothing more" : data.missing,
    last_day: data.last_day,
    opening: data.in_grace
      ? `Your ${data.level} level in ${data.programme} at ${data.shop_name} has expired, but we are extending it for a short time.`
      : `Your ${data.level} level in ${data.programme} at ${data.shop_name} expires soon.`,
    closing: `Reach this by then to keep ${data.level}.`,
  }),
  text: (mail) => `Keep your level
===============

${mail.greeting}

${wrap(mail.opening)}

Your level: ${mail.level}
${wrap(`Still needed: ${mail.missing}`)}
Last day: ${mail.last_day}
${paragraph(mail.closing)}${footer(mail)}`,
});

/** Sent when a term, and its grace, ended and a level was lost. */
export const tierDown = defineMail({
  name: "tier-down",
  summary: "Sent to a customer who lost a level at the end of its term: the current level.",
  reason: "you are a member of a programme of this store",
  schema: z.object({ ...tierFields, level_before: InlineText }),
  example: { ...tierExample, level: "Silver", level_before: "Gold" },
  subject: "Your level has changed",
  values: (data, { baseUrl }) => ({
    ...commonValues(data, baseUrl),
    opening: `Your ${data.level_before} level in ${data.programme} at ${data.shop_name} has expired.`,
    closing: "New purchases count towards reaching it again.",
  }),
  text: (mail) => `Your level has changed
======================

${mail.greeting}

${wrap(mail.opening)}

Your current level: ${mail.level}
${paragraph(mail.closing)}${footer(mail)}`,
});
