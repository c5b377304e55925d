import { isRecord } from "./tree.ts";

/** One thing that is wrong with the configuration. */
export interface ConfigProblem {
  /** `plans[0].requestsPerMinute`; empty when the file as a whole is meant. */
  readonly path: string;
  /** What is wrong, with the received value where that helps. Without a full stop. */
  readonly message: string;
  /** The received value, unless it is an object; `***` for a secret. */
  readonly value?: unknown;
  /** Where the value was written: `platform.config.ts`, `env PLATFORM_PORT`, `flag --port`, `default`. */
  readonly origin: string;
  /** What was probably meant. */
  readonly suggestion?: string;
}

/** The configuration cannot be used. `format()` gives the reasons in words; the command line ends with exit code 2. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  /** The configuration file as people would refer to it, or `configuration` where there is none. */
  readonly subject: string;
  readonly problems: readonly ConfigProblem[];

  constructor(subject: string, problems: readonly ConfigProblem[]) {
    super(`${subject}: ${problems.length} ${problems.length === 1 ? "problem" : "problems"}`);
    this.subject = subject;
    this.problems = problems;
  }

  /** A headline and one line for each problem: path, message with suggestion, origin. Without a line break at the end. */
  format(): string {
    const rows = this.problems.map(({ path, message, suggestion, origin }) => [
      path === "" ? "(file)" : path,
      suggestion === undefined ? message : `${message}. Did you mean "${suggestion}"?`,
      origin,
    ]);
    const widths = [0, 1].map((column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
    const lines = rows.map((row) =>
      row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(COLUMN_GAP),
    );
    return [`✖ ${this.message}`, ...lines.map((line) => `  ${line}`)].join("\n");
  }
}

const COLUMN_GAP = "   ";

/** A secret, wherever something is printed. */
export const MASK = "***";

const QUOTED_CHARS_MAX = 80;

/** A received value for a message: JSON, short, on one line, and without the credentials that a URL may carry. */
export function quote(value: unknown): string {
  if (isRecord(value)) return "an object";
  const json =
    typeof value === "function" || typeof value === "bigint" ? typeof value : JSON.stringify(value);
  const plain = (json ?? typeof value).replaceAll(/\/\/[^/@\s"]+@/g, `//${MASK}@`).replaceAll(/\p{C}/gu, "�");
  return plain.length <= QUOTED_CHARS_MAX ? plain : `${plain.slice(0, QUOTED_CHARS_MAX - 1)}…`;
}

/** `ENOENT` and the like, or the message of an error that has no code. */
export function errorCode(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  return error instanceof Error ? error.message : String(error);
}
