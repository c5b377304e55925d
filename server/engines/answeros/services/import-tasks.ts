import { z } from "zod";

import { sha256Base64Url } from "../../../core/ids.ts";
import { invalidField, Problem } from "../../../lib/errors.ts";
import { defineWorkerTask } from "../../../lib/worker-tasks.ts";
import { BOTS } from "../data/bots.ts";
import { groupHits, PRINT_CHARS } from "../rules/count-hits.ts";
import type { PrintedLine } from "../rules/count-hits.ts";
import { botOf, parseCombined, parseJson, parseRow } from "../rules/crawler-log.ts";
import type { LogLine } from "../rules/crawler-log.ts";
import type { PawcVariant } from "../rules/pawc.ts";
import { OBSERVATION_COLUMNS } from "../rules/read-observation-row.ts";
import { brandNames, readAnswer } from "../rules/read-answer.ts";
import type { TrackedBrand } from "../rules/read-answer.ts";
import { ANSWEROS_LIMITS } from "../schema.ts";
import type { Observation } from "../schema/tracking.ts";
import { answerTools } from "./readers.ts";

type Answer = Pick<Observation, "answer_text" | "citations" | "sentiment" | "locale">;

interface AnswersToRead {
  readonly answers: readonly Answer[];
  readonly brands: readonly TrackedBrand[];
  readonly variant?: PawcVariant;
}

/** The brands of observed answers, in their order. */
export const readAnswers = defineWorkerTask({
  id: "answeros.answers",
  size: ({ answers, brands }: AnswersToRead) => {
    const names = brands.flatMap(({ name, aliases }) => [name, ...aliases]);
    // Each name is read once, and looked for in each answer.
    return (
      textChars(answers.map((answer) => answer.answer_text)) +
      textChars(names) +
      names.length * answers.length
    );
  },
  run: ({ answers, brands, variant }) => {
    const names = brandNames(brands);
    return Promise.all(
      answers.map(async (answer) => readAnswer(answer, names, await answerTools(answer.locale), variant)),
    );
  },
});

const textChars = (texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + length, 0);

export const LOG_FORMATS = ["auto", "combined", "csv", "json"] as const;

interface GivenLog {
  readonly format: (typeof LOG_FORMATS)[number];
  readonly log: string;
  /** How often lines occurred in the part before of the same log, by their prints. */
  readonly before?: Readonly<Record<string, number>>;
}

/** Requests of crawlers in a web server log, by day. Throws 422 `bad_log`. */
export const readLog = defineWorkerTask({
  id: "answeros.log",
  size: ({ log }: GivenLog) => log.length,
  run: async ({ before, format, log }) => {
    const form = format === "auto" ? formOf(log) : format;
    const { rows, all } = form === "csv" ? await readCsv(log) : readLines(log, form);
    refuseMany(all);
    const { lines, seen } = printed(rows, before ?? {});
    const counted = { ...groupHits(lines, BOTS), lines: all, unreadable: all - rows.length };
    // A log in one part has no next part that would have to know them.
    return { ...counted, seen: before === undefined ? {} : seen };
  },
});

/** Rows of observations as column names and strings. Throws 422 `bad_csv`. */
export const readObservationCsv = defineWorkerTask({
  id: "answeros.csv",
  size: (csv: string) => csv.length,
  run: readObservationRows,
});

interface Row {
  /** As it stands in the log. A row of CSV contains the names of all columns, so it is not kept. */
  readonly text: () => string;
  readonly line: LogLine;
}

interface ReadLog {
  readonly rows: readonly Row[];
  /** Lines, those included that could not be parsed. */
  readonly all: number;
}

export function formOf(log: string): "combined" | "csv" | "json" {
  const first = log.trimStart().split("\n", 1)[0] ?? "";
  return first.startsWith("{")
    ? "json"
    : parseCombined(first) === null && first.includes(",")
      ? "csv"
      : "combined";
}

/** A log may contain the same line twice: the fingerprint includes the number of the occurrence. */
function printed(
  rows: readonly Row[],
  before: Readonly<Record<string, number>>,
): { readonly lines: PrintedLine[]; readonly seen: Record<string, number> } {
  const earlier = new Map(Object.entries(before));
  const seen = new Map<string, number>();
  const lines = rows.map(({ text, line }) => {
    const isCrawler = botOf(line.user_agent, BOTS) !== null;
    // Lines of people are not counted: they need no print.
    if (!isCrawler) return { ...line, print: "" };
    const all = text();
    const first = sha256Base64Url(`0 ${all}`);
    const key = first.slice(0, 12);
    const count = seen.get(key) ?? earlier.get(key) ?? 0;
    seen.set(key, count + 1);
    const print = count === 0 ? first : sha256Base64Url(`${count} ${all}`);
    return { ...line, print: print.slice(0, PRINT_CHARS) };
  });
  return { lines, seen: Object.fromEntries(seen) };
}

function readLines(log: string, form: "combined" | "json"): ReadLog {
  const texts = log.split(/\r?\n/).filter((text) => text.trim() !== "");
  const parse = form === "json" ? parseJson : parseCombined;
  const rows = texts.flatMap((text) => {
    const line = parse(text);
    return line === null ? [] : [{ text: () => text, line }];
  });
  return { rows, all: texts.length };
}

async function readCsv(log: string): Promise<ReadLog> {
  const { parse } = await import("csv-parse/sync");
  try {
    const records = z.array(z.record(z.string(), z.string())).parse(
      parse(log, {
        columns: (header: string[]) => logColumns(header),
        bom: true,
        skip_empty_lines: true,
        relax_column_count: true,
        to: ANSWEROS_LIMITS.logLinesPerCall + 1,
      }),
    );
    const rows = records.flatMap((record) => {
      const line = parseRow(record);
      return line === null ? [] : [{ text: () => JSON.stringify(record), line }];
    });
    return { rows, all: records.length };
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || error instanceof Problem) throw error;
    throw invalidField(["log"], `The log cannot be parsed: ${error.message.slice(0, 200)}`, "bad_log");
  }
}

const NAME_CHARS = 100;

/** The print of a row contains the names of its columns: long ones would multiply a short log. */
function logColumns(header: readonly string[]): string[] {
  const names = namesOf(header);
  if (names.every((name) => name.length <= NAME_CHARS)) return names;
  throw invalidField(
    ["log"],
    `The names of columns in the first line can have at most ${NAME_CHARS} characters.`,
    "bad_log",
  );
}

const namesOf = (header: readonly string[]): string[] => header.map((name) => name.trim().toLowerCase());

function refuseMany(count: number): void {
  if (count <= ANSWEROS_LIMITS.logLinesPerCall) return;
  throw invalidField(
    ["log"],
    `The log can have at most ${ANSWEROS_LIMITS.logLinesPerCall} lines per request. Send it in parts: each line is counted once.`,
    "bad_log",
  );
}

async function readObservationRows(csv: string): Promise<Record<string, string>[]> {
  const { parse } = await import("csv-parse/sync");
  try {
    const rows = z.array(z.record(z.string(), z.string())).parse(
      parse(csv, {
        // Other columns are left out: with the name of its column, each empty cell would be copied between the threads.
        columns: (header: string[]) =>
          namesOf(header).map((name) => (OBSERVATION_COLUMNS.has(name) ? name : null)),
        bom: true,
        skip_empty_lines: true,
        relax_column_count: true,
        to: ANSWEROS_LIMITS.observationsPerCall + 1,
      }),
    );
    if (rows.length <= ANSWEROS_LIMITS.observationsPerCall) return rows;
  } catch (error) {
    throw invalidField(["csv"], `The CSV cannot be parsed: ${messageOf(error)}`, "bad_csv");
  }
  throw invalidField(
    ["csv"],
    `The CSV can have at most ${ANSWEROS_LIMITS.observationsPerCall} rows per request.`,
    "bad_csv",
  );
}

const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : "not a CSV").slice(0, 200);
