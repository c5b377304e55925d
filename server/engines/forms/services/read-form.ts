import { fail } from "../../../lib/errors.ts";
import { readShop } from "../../../core/shop.ts";
import type { Tx } from "../../../core/tx.ts";
import type { Words } from "../../../core/words.ts";
import { wordsIn } from "../../../core/words.ts";
import { FORMS_LIMITS } from "../data/limits.ts";
import type { ReadAnswers, ReadOptions } from "../rules/read-answers.ts";
import { readAnswers } from "../rules/read-answers.ts";
import type { FormContent } from "../schema.ts";
import type { Answers } from "../schema/field.ts";
import type { Fault, Submission } from "../schema/submission.ts";
import { EMBED_WORDS } from "../data/embed-script.ts";
import type { EmbedWords } from "../data/embed-script.ts";
import { phoneWriter } from "./phone.ts";

/** Words of the language that a form is in. */
export const formWords = ({ locales }: Pick<FormContent, "locales">): Words => wordsIn(locales[0] ?? null);

type How = Pick<ReadOptions, "extent" | "unknown" | "key">;

/** Words of the embed script; members in braces are filled in by it. */
export async function embedWords(tx: Tx, { locales }: Pick<FormContent, "locales">): Promise<EmbedWords> {
  const { locale, say } = wordsIn(locales[0] ?? (await readShop(tx))?.locale ?? null);
  const braces = { seconds: "{seconds}", at: "{at}", of: "{of}", title: "{title}", date: "{date}" };
  return { locale, ...Object.fromEntries(EMBED_WORDS.map((key) => [key, say(`form.${key}`, braces)])) };
}

/** Evaluates answers with the form's own logic; errors are part of the result. */
export async function readForm(
  content: FormContent,
  raw: Readonly<Record<string, unknown>>,
  how: How,
): Promise<ReadAnswers> {
  // The honeypot is not a field of the form: it is evaluated separately.
  const { [content.settings.honeypot_field]: _, ...answers } = raw;
  const phone = await phoneWriter(content.fields);
  const { settings } = content;
  return readAnswers(content, answers, {
    ...how,
    phone,
    region: settings.phone_region,
    words: formWords(content),
  });
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
  content: Pick<FormContent, "consents" | "locales">,
  keys: readonly string[],
  at: string,
): Submission["consents"] {
  const { consents } = content;
  const missing = consents.filter(({ key, required }) => required && !keys.includes(key));
  if (missing.length > 0) {
    throw refuseAnswers(
      missing.map(({ key, text }) => ({
        field: key,
        code: "required",
        message: formWords(content).say("form.fault_agree", { text }),
      })),
      "consents",
    );
  }
  return consents.filter(({ key }) => keys.includes(key)).map(({ key, version }) => ({ key, version, at }));
}
