import type { FormContent } from "../schema.ts";
import type { Answers, Field } from "../schema/field.ts";
import type { Contact } from "../schema/submission.ts";

type ContactFields = Pick<FormContent, "fields" | "contact">;

/** The sender of a form: the mapped fields, or the first of their type. */
export function contactOf(form: ContactFields, data: Answers): Contact {
  return {
    name: answerOf(form, data, form.contact.name, "name"),
    email: answerOf(form, data, form.contact.email, "email"),
    phone: answerOf(form, data, form.contact.phone, "phone"),
  };
}

function answerOf(
  { fields }: ContactFields,
  data: Answers,
  named: string | null,
  type: Field["type"],
): string | null {
  const key = named ?? fields.find((field) => field.type === type)?.key;
  const answer = key === undefined ? undefined : data[key];
  return typeof answer === "string" && answer !== "" ? answer.slice(0, type === "name" ? 300 : 254) : null;
}

/** The e-mail address that identifies a person, case-insensitive. */
export const subjectOf = ({ email }: Pick<Contact, "email">): string | null => email?.toLowerCase() ?? null;

/** Typed answers in one text: answers selected from a list reveal nothing about the sender. */
export function typedText(fields: readonly Field[], data: Answers): string {
  return fields
    .filter(({ type }) => TYPED.has(type))
    .flatMap(({ key }) => {
      const answer = data[key];
      return typeof answer === "string" ? [answer] : [];
    })
    .join("\n");
}

const TYPED: ReadonlySet<Field["type"]> = new Set(["text", "textarea", "name", "url", "hidden", "signature"]);
