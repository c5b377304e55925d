import { stringify } from "csv-stringify/sync";

import type { Answer, Field } from "../schema/field.ts";
import { isDecoration } from "../schema/field.ts";
import type { Submission } from "../schema/submission.ts";

const COLUMNS = [
  "id",
  "created_at",
  "status",
  "form_version",
  "channel",
  "spam_score",
  "assignee",
  "tags",
] as const;

/** The keys of the answers: the fields of a form, followed by those that submissions have of older versions. */
export function answerKeys(fields: readonly Field[], submissions: readonly Submission[]): string[] {
  const own = fields.filter((field) => !isDecoration(field)).map(({ key }) => key);
  return [...new Set([...own, ...submissions.flatMap(({ data }) => Object.keys(data))])];
}

/** The first line of a table with these answers. */
export const csvHead = (keys: readonly string[]): string => csvOf([[...COLUMNS, ...keys]]);

/** A line for each submission. */
export const csvRows = (keys: readonly string[], submissions: readonly Submission[]): string =>
  csvOf(
    submissions.map((submission) => [
      submission.id,
      submission.created_at,
      submission.status,
      String(submission.form_version),
      submission.channel,
      String(submission.spam.score),
      safeCell(submission.assignee ?? ""),
      safeCell(submission.tags.join(", ")),
      ...keys.map((key) => safeCell(showAnswer(submission.data[key]))),
    ]),
  );

const csvOf = (rows: readonly (readonly string[])[]): string =>
  stringify(
    rows.map((row) => [...row]),
    { record_delimiter: "\r\n" },
  );

/** One JSON document per line. */
export const ndjsonRows = (submissions: readonly Submission[]): string =>
  submissions.map((submission) => `${JSON.stringify(submission)}\n`).join("");

/** A cell that a spreadsheet would evaluate as a formula is prefixed with an apostrophe (CSV injection). */
export const safeCell = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

/** An answer as a string. */
export function showAnswer(answer: Answer | undefined): string {
  if (answer === undefined) return "";
  if (Array.isArray(answer)) return answer.join(", ");
  if (typeof answer === "object") return Object.values(answer).filter(Boolean).join(", ");
  return String(answer);
}
