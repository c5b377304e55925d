import { z } from "zod";

import { invalidField } from "../../../lib/errors.ts";
import { defineWorkerTask } from "../../../lib/worker-tasks.ts";
import { BOTS } from "../data/bots.ts";
import { countHits } from "../rules/count-hits.ts";
import { parseCombined, parseRow } from "../rules/crawler-log.ts";
import type { LogLine } from "../rules/crawler-log.ts";
import type { PawcVariant } from "../rules/pawc.ts";
import { readAnswer } from "../rules/read-answer.ts";
import type { TrackedBrand } from "../rules/read-answer.ts";
import { ANSWEROS_LIMITS } from "../schema.ts";
import type { Observation } from "../schema/tracking.ts";
import { answerTools } from "./readers.ts";

type Answer = Pick<Observation, "answer_text" | "citations" | "sentiment" | "locale">;

/** The brands of observed answers, in their order. */
export const readAnswers = defineWorkerTask({
  id: "answeros.answers",
  size: ({
    answers,
  }: {
    readonly answers: readonly Answer[];
    readonly brands: readonly TrackedBrand[];
    readonly variant?: PawcVariant;
  }) => answers.reduce((sum, { answer_text: text }) => sum + text.length, 0),
  run: ({ answers, brands, variant }) =>
    Promise.all(
      answers.map(async (answer) => readAnswer(answer, brands, await answerTools(answer.locale), variant)),
    ),
});

/** Requests of crawlers in a web server log, by day. Throws 422 `bad_log`. */
export const countLog = defineWorkerTask({
  id: "answeros.log",
  size: ({ log }: { readonly format: "combined" | "csv"; readonly log: string }) => log.length,
  run: async ({ format, log }) => {
    const { lines, unreadable } = await (format === "csv" ? readCsv(log) : readLines(log));
    return { ...countHits(lines, BOTS), lines: lines.length, unreadable };
  },
});

/** Rows of observations as column names and strings. Throws 422 `bad_csv`. */
export const readObservationCsv = defineWorkerTask({
  id: "answeros.csv",
  size: (csv: string) => csv.length,
  run: readObservationRows,
});

interface ReadLog {
  readonly lines: readonly LogLine[];
  readonly unreadable: number;
}

async function readLines(log: string): Promise<ReadLog> {
  const all = log.split(/\r?\n/).filter((line) => line.trim() !== "");
  refuseMany(all.length);
  const lines = all.flatMap((line) => parseCombined(line) ?? []);
  return { lines, unreadable: all.length - lines.length };
}

async function readCsv(log: string): Promise<ReadLog> {
  const { parse } = await import("csv-parse/sync");
  try {
    const rows = z.array(z.record(z.string(), z.string())).parse(
      parse(log, {
        columns: (header: string[]) => header.map((name) => name.trim().toLowerCase()),
        bom: true,
        skip_empty_lines: true,
        relax_column_count: true,
        to: ANSWEROS_LIMITS.logLinesPerCall + 1,
      }),
    );
    refuseMany(rows.length);
    const lines = rows.flatMap((row) => parseRow(row) ?? []);
    return { lines, unreadable: rows.length - lines.length };
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    throw invalidField(["log"], `The log cannot be parsed: ${error.message.slice(0, 200)}`, "bad_log");
  }
}

function refuseMany(count: number): void {
  if (count <= ANSWEROS_LIMITS.logLinesPerCall) return;
  throw invalidField(
    ["log"],
    `The log can have at most ${ANSWEROS_LIMITS.logLinesPerCall} lines per request.`,
    "bad_log",
  );
}

async function readObservationRows(csv: string): Promise<Record<string, string>[]> {
  const { parse } = await import("csv-parse/sync");
  try {
    const rows = z.array(z.record(z.string(), z.string())).parse(
      parse(csv, {
        columns: (header: string[]) => header.map((name) => name.trim().toLowerCase()),
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
