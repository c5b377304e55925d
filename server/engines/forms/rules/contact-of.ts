import type { FormContent } from "../schema.ts";
import type { Answers, Field } from "../schema/field.ts";
import type { Contact } from "../schema/submission.ts";

type Asked = Pick<FormContent, "fields" | "contact">;

/** Who sent a form: the fields that the form names, or the first of their kind. */
export function contactOf(form: Asked, data: Answers): Contact {
  return {
    name: answerOf(form, data, form.contact.name, "name"),
    email: answerOf(form, data, form.contact.email, "email"),
    phone: answerOf(form, data, form.contact.phone, "phone"),
  };
}

function answerOf(
  { fields }: Asked,
  data: Answers,
  named: string | null,
  type: Field["type"],
): string | null {
  const key = named ?? fields.find((field) => field.type === type)?.key;
  const answer = key === undefined ? undefined : data[key];
  return typeof answer === "string" && answer !== "" ? answer.slice(0, type === "name" ? 300 : 254) : null;
}

/** The address by which a person is known, whatever case it was typed in. */
export const subjectOf = ({ email }: Pick<Contact, "email">): string | null => email?.toLowerCase() ?? null;

/** What a person typed, in one text: answers that were chosen from a list say nothing about who chose them. */
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
