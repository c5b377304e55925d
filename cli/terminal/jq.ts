import { createRequire } from "node:module";

import { usageError } from "./exit.ts";

/** What the package gives; it brings no types of its own. */
interface Jq {
  /** Runs a filter over JSON text; undefined where nothing comes out. Throws what jq writes to stderr. */
  raw(json: string, filter: string, flags: readonly string[]): string | undefined;
}

/**
 * What a jq filter makes of JSON, one result per line, texts without quotes (`jq -rc`). `json` may hold several documents.
 * The real jq, compiled to WebAssembly: loaded when somebody filters. Throws a usage error where jq refuses.
 */
export async function runJq(json: string, filter: string): Promise<string> {
  // Required, not imported: what the package exports is itself a promise, which an import may take for its own.
  const loading: Promise<Jq> = createRequire(import.meta.url)("jq-web");
  const jq = await loading;
  try {
    const made = jq.raw(json, filter, ["-c", "-r"]) ?? "";
    return made === "" || made.endsWith("\n") ? made : `${made}\n`;
  } catch (error) {
    throw usageError(`--jq ${JSON.stringify(filter)}: ${reasonOf(error)}`, "platform help formatting");
  }
}

/** jq's own words, without the shell's. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : "";
  const line = text.split("\n").find((part) => part.startsWith("jq: error"));
  return (
    line?.replace(/^jq: error( \([^)]*\))?: /, "").replace(/ \(Unix shell quoting issues\?\)/, "") ?? text
  );
}
