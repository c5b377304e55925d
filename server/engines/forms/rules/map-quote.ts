import { LocalDate, LocalTime } from "../../../core/schema.ts";
import type { Currency } from "../../../core/schema.ts";
import type { z } from "zod";

import { Email } from "../schema.ts";
import type { FormContent } from "../schema.ts";
import type { Answer, Answers, Field } from "../schema/field.ts";
import type { NewQuoteRequest } from "../schema/quote-request.ts";
import type { Contact } from "../schema/submission.ts";
import { shorten } from "../../../lib/shorten.ts";
import { FORMS_LIMITS } from "../data/limits.ts";
import { showAnswer } from "./write-export.ts";

type Code = z.output<typeof Currency>;

interface Mapped extends Pick<FormContent["quote"], "mapping" | "currency"> {
  /** Those whose options have labels. */
  readonly fields?: readonly Field[];
}

/** A quote request from the answers of a form, by the form's mapping. Unparsable values are left empty. */
export function mapQuote(
  { currency, fields = [], mapping }: Mapped,
  data: Answers,
  contact: Contact,
): Omit<NewQuoteRequest, "assignee" | "deadline_at"> {
  const of = (key: string | undefined): Answer | undefined => (key === undefined ? undefined : data[key]);
  const text = (key: string | undefined, chars: number): string | null => textOf(of(key), chars);
  /** What people read: labels in place of the values of options. */
  const read = (key: string | undefined): Answer | undefined =>
    labelled(
      fields.find((field) => field.key === key),
      of(key),
    );
  return {
    customer: {
      name: text(mapping.name, 300) ?? contact.name ?? "",
      email: Email.safeParse(text(mapping.email, 254) ?? contact.email).data ?? null,
      phone: text(mapping.phone, 40) ?? contact.phone,
      company: textOf(read(mapping.company), 300),
    },
    event: {
      date: dateOf(text(mapping.date, 40)),
      time:
        timeOf(textOf(read(mapping.time), 40)) ?? timeOf(text(mapping.time, 40) ?? text(mapping.date, 40)),
      guests: countOf(read(mapping.guests)) ?? countOf(of(mapping.guests)),
      postcode: text(mapping.postcode, 20) ?? postcodeIn(of(mapping.address)),
      address: textOf(read(mapping.address), 500),
    },
    items: listOf(read(mapping.items)).map((name) => ({ ref: null, name: shorten(name, 199), qty: 1 })),
    dietary: needsOf(read(mapping.dietary)),
    allergens: needsOf(read(mapping.allergens)),
    budget: budgetOf(of(mapping.budget), currency),
    message: textOf(read(mapping.message), FORMS_LIMITS.textChars) ?? "",
  };
}

function textOf(answer: Answer | undefined, chars: number): string | null {
  const shown = showAnswer(answer).trim();
  return shown === "" ? null : shown.slice(0, chars);
}

/** An answer with the labels of the options that were selected; as a list, since a label can have commas. */
function labelled(field: Field | undefined, answer: Answer | undefined): Answer | undefined {
  const labels = new Map((field?.options ?? []).map(({ label, value }) => [value, label]));
  if (Array.isArray(answer)) return answer.map((value) => labels.get(value) ?? value);
  const label = typeof answer === "string" ? labels.get(answer) : undefined;
  return label === undefined ? answer : [label];
}

/** Value of a date or time field; a text field may contain an invalid one, such as 31 February. */
const dateOf = (text: string | null): string | null => LocalDate.safeParse(text?.slice(0, 10)).data ?? null;
const timeOf = (text: string | null): string | null =>
  LocalTime.safeParse(/(?:^|T)(\d\d:\d\d)$/.exec(text ?? "")?.[1]).data ?? null;

function countOf(answer: Answer | undefined): number | null {
  // "1,200" is not one guest.
  const count = Number.parseInt(showAnswer(answer).replaceAll(/(?<=^\d{1,3}),(?=\d{3}\b)/g, ""), 10);
  return Number.isInteger(count) && count >= 1 && count <= 20_000 ? count : null;
}

/** Selected options, or the lines and comma-separated parts of a text; where there are more, the last one says so. */
function listOf(answer: Answer | undefined): string[] {
  const entries = entriesOf(answer);
  return entries.length <= LIST_MAX ? entries : [...entries.slice(0, LIST_MAX - 1), MORE];
}
const LIST_MAX = FORMS_LIMITS.quoteItems;
const MORE = "… (the submission has all of them)";

function entriesOf(answer: Answer | undefined): string[] {
  const entries = Array.isArray(answer) ? answer : showAnswer(answer).split(/[\n,;]/);
  return entries.map((entry) => entry.trim()).filter((entry) => entry !== "");
}

/** Diets and allergens: a long entry goes on in the next. */
const needsOf = (answer: Answer | undefined): string[] =>
  listOf(entriesOf(answer).flatMap((entry) => entry.match(/\S(?:[^]{0,38}\S)?(?!\S)|\S{40}/g) ?? []));

const postcodeIn = (answer: Answer | undefined): string | null =>
  typeof answer === "object" && !Array.isArray(answer) ? (answer["postcode"] ?? null) : null;

/** A currency field is already in minor units. */
const budgetOf = (answer: Answer | undefined, currency: Code): { minor: number; currency: Code } | null =>
  typeof answer === "number" && Number.isInteger(answer) && answer > 0 ? { minor: answer, currency } : null;
