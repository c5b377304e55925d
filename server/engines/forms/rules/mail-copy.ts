import type { Words } from "../../../core/words.ts";
import type { Consent } from "../schema.ts";
import type { Answers, Field } from "../schema/field.ts";
import { isDecoration, takesMany, takesOne } from "../schema/field.ts";
import { majorUnits } from "./normalise.ts";
import { showAnswer } from "./write-export.ts";

export interface Line {
  readonly label: string;
  readonly value: string;
}

/**
 * Answers that may be mailed to the alleged sender: options of the form, dates and numbers.
 * Typed text is never included, or the form could be used to send text to third parties.
 */
export function copyForSender(fields: readonly Field[], data: Answers, words: Pick<Words, "say">): Line[] {
  return fields
    .filter((field) => SAFE.has(field.type) || takesOne(field) || takesMany(field))
    .flatMap((field) => lineOf(field, data, words));
}

const SAFE: ReadonlySet<Field["type"]> = new Set([
  "boolean",
  "checkbox",
  "consent",
  "date",
  "time",
  "datetime",
  "number",
  "integer",
  "rating",
  "scale",
]);

/** All answers, for the store. */
export const copyForShop = (fields: readonly Field[], data: Answers, words: Pick<Words, "say">): Line[] =>
  fields
    .filter((field) => !isDecoration(field) && field.type !== "file")
    .flatMap((field) => lineOf(field, data, words));

/** Which consents were given, for the store. */
export const copyOfConsents = (
  consents: readonly Consent[],
  given: readonly Pick<Consent, "key">[],
  { say }: Pick<Words, "say">,
): Line[] =>
  consents.map(({ key, text }) => ({
    label: text,
    value: say(given.some((one) => one.key === key) ? "form.yes" : "form.no"),
  }));

function lineOf(field: Field, data: Answers, { say }: Pick<Words, "say">): Line[] {
  const answer = data[field.key];
  if (answer === undefined) return [];
  const labels = new Map((field.options ?? []).map(({ label, value }) => [value, label]));
  const value =
    typeof answer === "boolean"
      ? say(answer ? "form.yes" : "form.no")
      : Array.isArray(answer)
        ? answer.map((one) => labels.get(one) ?? one).join(", ")
        : field.type === "currency" && typeof answer === "number"
          ? `${majorUnits(answer, field.currency)} ${field.currency ?? ""}`.trim()
          : (labels.get(showAnswer(answer)) ?? showAnswer(answer));
  return [{ label: field.label, value }];
}
