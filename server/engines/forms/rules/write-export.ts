import { stringify } from "csv-stringify/sync";

import { safeCell } from "../../../lib/safe-cell.ts";
import type { Answer, Field } from "../schema/field.ts";
import { isDecoration } from "../schema/field.ts";
import { majorUnits } from "./normalise.ts";
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
  "consents",
] as const;

/** How a table shows phone numbers: "(+44) 20 7946 0000" for +442079460000. */
export type ShowPhone = (number: string) => string;

export interface Column {
  readonly key: string;
  /** Null for answers that submissions have of older versions of the form. */
  readonly field: Field | null;
  /** Of the column of all other answers, as JSON: the keys that have a column of their own. */
  readonly except?: ReadonlySet<string>;
}

/** Columns of answers. Each version of a form can have other fields, and each column has a cell in each line. */
export const ANSWER_COLUMNS_MAX = 1_000;

/**
 * The columns of the answers: the fields of a form, followed by the other keys that submissions have, of older versions. The answers to
 * keys beyond the limit are in one last column.
 */
export function answerColumns(fields: readonly Field[], keys: Iterable<string>): Column[] {
  const own = fields.filter((field) => !isDecoration(field)).map((field) => ({ key: field.key, field }));
  const known = new Set(own.map(({ key }) => key));
  const older = [...new Set(keys)].filter((key) => !known.has(key));
  const columns = [...own, ...older.map((key) => ({ key, field: null }))];
  if (columns.length <= ANSWER_COLUMNS_MAX) return columns;
  const named = columns.slice(0, ANSWER_COLUMNS_MAX);
  return [...named, { key: "more_answers", field: null, except: new Set(named.map(({ key }) => key)) }];
}

/** Without it Excel reads UTF-8 as the code page of its country. */
const BYTE_ORDER_MARK = "\ufeff";

/** The first line of a table with these answers. */
export const csvHead = (columns: readonly Column[]): string =>
  BYTE_ORDER_MARK + csvOf([[...COLUMNS, ...columns.map(({ key }) => key)]]);

type Shape = Pick<Field, "type" | "currency">;

/** Fields of a version of a form by their keys. */
export type FieldsByKey = ReadonlyMap<string, Shape>;

interface Shown {
  readonly showPhone: ShowPhone;
  /** Of the version that was sent: a number of it may be an amount now. */
  readonly fields: FieldsByKey;
}

/** The line of a submission. */
export const csvRow = (columns: readonly Column[], submission: Submission, shown: Shown): string =>
  csvOf([
    [
      submission.id,
      submission.created_at,
      submission.status,
      String(submission.form_version),
      submission.channel,
      String(submission.spam.score),
      safeCell(submission.assignee ?? ""),
      safeCell(submission.tags.join(", ")),
      submission.consents.map(({ key }) => key).join(", "),
      ...columns.map(({ except, field, key }) =>
        except === undefined
          ? cellOf(shown.fields.get(key) ?? field, submission.data[key], shown.showPhone)
          : otherAnswers(submission.data, except),
      ),
    ],
  ]);

function otherAnswers(data: Submission["data"], except: ReadonlySet<string>): string {
  const others = Object.entries(data).filter(([key]) => !except.has(key));
  return others.length === 0 ? "" : safeCell(JSON.stringify(Object.fromEntries(others)));
}

/**
 * An answer as a spreadsheet opens it: numbers and amounts as numbers, dates as dates, and phone numbers as text, since a
 * cell that begins with + is a number to LibreOffice, a formula to Google Sheets, and loses its + in Excel.
 */
function cellOf(field: Shape | null, answer: Answer | undefined, showPhone: ShowPhone): string {
  if (typeof answer === "number") return numberCell(field, answer);
  const text = showAnswer(answer);
  if (field?.type === "phone" && /^\+\d+$/.test(text)) return showPhone(text);
  if (field?.type === "datetime" && /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text)) return text.replace("T", " ");
  return safeCell(text);
}

/** Amounts are stored in minor units, and shown in major ones. */
function numberCell(field: Shape | null, answer: number): string {
  return field?.type === "currency" ? majorUnits(answer, field.currency) : String(answer);
}

const csvOf = (rows: readonly (readonly string[])[]): string =>
  stringify(
    rows.map((row) => [...row]),
    { record_delimiter: "\r\n" },
  );

/** A submission as one line of JSON. */
export const ndjsonRow = (submission: Submission): string => `${JSON.stringify(submission)}\n`;

/** An answer as a string. */
export function showAnswer(answer: Answer | undefined): string {
  if (answer === undefined) return "";
  if (Array.isArray(answer)) return answer.join(", ");
  if (typeof answer === "object") return Object.values(answer).filter(Boolean).join(", ");
  return String(answer);
}
