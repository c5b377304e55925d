import { parseUtc } from "../../../lib/instant.ts";
import { ANSWEROS_LIMITS } from "../schema.ts";
import type { RawCitation } from "./build-observation.ts";

/** An observation as a row of CSV. */
export interface ObservationRow {
  readonly prompt_id: string;
  readonly engine: string;
  readonly at: string;
  readonly answer_text: string;
  readonly citations: readonly RawCitation[];
  readonly model: string | null;
  readonly sentiment: "positive" | "neutral" | "negative" | null;
  readonly sample: number;
}

/** Columns that `readObservationRow` reads. */
export const OBSERVATION_COLUMNS: ReadonlySet<string> = new Set([
  "prompt_id",
  "engine",
  "at",
  "answer_text",
  "citations",
  "model",
  "sentiment",
  "sample",
]);

/**
 * Parses a row with the columns prompt_id, engine, at, answer_text and, optionally, citations (URLs separated by
 * spaces, |
 * or line breaks), model, sentiment and sample. Returns the name of the first invalid column.
 */
export function readObservationRow(
  row: Readonly<Record<string, string>>,
): { readonly ok: true; readonly value: ObservationRow } | { readonly ok: false; readonly column: string } {
  const wrong = (column: string) => ({ ok: false, column }) as const;
  const text = (name: string): string => (row[name] ?? "").trim();
  const at = parseUtc(text("at"));
  const sentiment = SENTIMENTS.get(text("sentiment").toLowerCase());
  const sample = text("sample") === "" ? 1 : Number(text("sample"));
  if (text("prompt_id") === "") return wrong("prompt_id");
  if (!/^[a-z0-9][a-z0-9_-]{0,39}$/.test(text("engine").toLowerCase())) return wrong("engine");
  if (Number.isNaN(at)) return wrong("at");
  if (sentiment === undefined) return wrong("sentiment");
  if (!Number.isInteger(sample) || sample < 1) return wrong("sample");
  const urls = text("citations")
    .split(/[\s|]+/, URLS_MAX)
    .filter((url) => url !== "");
  return {
    ok: true,
    value: {
      prompt_id: text("prompt_id"),
      engine: text("engine").toLowerCase(),
      at: new Date(at).toISOString(),
      answer_text: row["answer_text"] ?? "",
      citations: urls.map((url) => ({ url })),
      model: text("model") === "" ? null : text("model"),
      sentiment,
      sample,
    },
  };
}

/** More than an observation can have, so that too many are refused and not dropped: a cell can have half a million. */
const URLS_MAX = ANSWEROS_LIMITS.citationsPerAnswer + 3;

const SENTIMENTS: ReadonlyMap<string, ObservationRow["sentiment"]> = new Map([
  ["", null],
  ["positive", "positive"],
  ["neutral", "neutral"],
  ["negative", "negative"],
]);
