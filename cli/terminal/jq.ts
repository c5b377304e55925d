import { createRequire } from "node:module";

import { describeMissing, findMissing } from "../../server/core/optional-packages.ts";
import { usageError } from "./exit.ts";

/** The part of the package that is used; it has no type declarations. */
interface Jq {
  /** Runs a filter over JSON text; undefined if there is no output. Throws what jq writes to stderr. */
  raw(json: string, filter: string, flags: readonly string[]): string | undefined;
}

/** Throws a usage error if filters cannot be run: before a request is sent, which may change data. */
export function assertJq(): void {
  const missing = findMissing("filters");
  if (missing !== null)
    throw usageError(`${describeMissing(missing)}, or pipe the output of --json to jq.`, "platform doctor");
}

/**
 * The output of a jq filter, one result per line, strings without quotes (`jq -rc`). `json` may contain several documents.
 * This is jq compiled to WebAssembly, loaded only when a filter is used. Throws a usage error if jq fails.
 */
export async function runJq(json: string, filter: string): Promise<string> {
  // Required, not imported: the package exports a promise, which an import would resolve.
  const loading: Promise<Jq> = createRequire(import.meta.url)("jq-web");
  const jq = await loading;
  try {
    const made = jq.raw(json, filter, ["-c", "-r"]) ?? "";
    return made === "" || made.endsWith("\n") ? made : `${made}\n`;
  } catch (error) {
    throw usageError(`--jq ${JSON.stringify(filter)}: ${reasonOf(error)}`, "platform help formatting");
  }
}

/** The message of jq without its advice on shells. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : "";
  const line = text.split("\n").find((part) => part.startsWith("jq: error"));
  return (
    line?.replace(/^jq: error( \([^)]*\))?: /, "").replace(/ \(Unix shell quoting issues\?\)/, "") ?? text
  );
}
