import { fail } from "../../../lib/errors.ts";
import { FORMS_LIMITS } from "../data/limits.ts";
import type { ReadAnswers, ReadOptions } from "../rules/read-answers.ts";
import { readAnswers } from "../rules/read-answers.ts";
import type { FormContent } from "../schema.ts";
import type { Answers } from "../schema/field.ts";
import type { Fault, Submission } from "../schema/submission.ts";
import { phoneWriter } from "./phone.ts";

type How = Pick<ReadOptions, "extent" | "unknown">;

/** Evaluates answers with the form's own logic; errors are part of the result. */
export async function readForm(
  content: FormContent,
  raw: Readonly<Record<string, unknown>>,
  how: How,
): Promise<ReadAnswers> {
  // The honeypot is not a field of the form: it is evaluated separately.
  const { [content.settings.honeypot_field]: _, ...answers } = raw;
  const phone = await phoneWriter(content.fields);
  return readAnswers(content, answers, { ...how, phone, region: content.settings.phone_region });
}

/** The same; throws 422 with every error. */
export async function assertAnswers(
  content: FormContent,
  raw: Readonly<Record<string, unknown>>,
  how: How,
): Promise<ReadAnswers> {
  const read = await readForm(content, raw, how);
  if (read.faults.length > 0) throw refuseAnswers(read.faults);
  return read;
}

/** 422 for a visitor's errors: one path and sentence each. */
export const refuseAnswers = (faults: readonly Fault[], member = "data") =>
  fail(
    "unprocessable_content",
    faults.length === 1 ? "1 field is invalid." : `${faults.length} fields are invalid.`,
    {
      code: "invalid_answers",
      errors: faults.map(({ field, message }) => ({ pointer: `#/${member}/${field}`, detail: message })),
    },
  );

/** Throws 413 for answers that do not fit into one stored document. */
export function assertSize(data: Answers): void {
  if (Buffer.byteLength(JSON.stringify(data)) <= FORMS_LIMITS.answerBytes) return;
  throw fail("content_too_large", `The answers exceed ${FORMS_LIMITS.answerBytes} bytes. Shorten them.`);
}

/** The accepted consents with their wording. Throws 422 if a required one is missing. */
export function givenConsents(
  { consents }: Pick<FormContent, "consents">,
  keys: readonly string[],
  at: string,
): Submission["consents"] {
  const missing = consents.filter(({ key, required }) => required && !keys.includes(key));
  if (missing.length > 0) {
    throw refuseAnswers(
      missing.map(({ key, text }) => ({
        field: key,
        code: "required",
        message: `You must agree to this to continue: ${text}`,
      })),
      "consents",
    );
  }
  return consents.filter(({ key }) => keys.includes(key)).map(({ key, version }) => ({ key, version, at }));
}
