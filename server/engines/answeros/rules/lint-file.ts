import type { FileFinding, FileName } from "../schema/files.ts";
import { lintCatalog } from "./ai-catalog.ts";
import { lintLlms } from "./llms-txt.ts";
import { lintRobots } from "./robots-file.ts";

/** Media types of the files. */
export const CONTENT_TYPES: Readonly<Record<FileName, string>> = {
  "llms.txt": "text/plain; charset=utf-8",
  "llms-full.txt": "text/plain; charset=utf-8",
  robots: "text/plain; charset=utf-8",
  "ai-catalog.json": "application/json",
};

/** Findings about a file for answer engines, by the rules of its type: the first ones, errors before warnings. */
export function lintFile(name: FileName, content: string): FileFinding[] {
  const all = LINTERS[name](content);
  const only = (wanted: FileFinding["severity"]): FileFinding[] =>
    all.filter(({ severity }) => severity === wanted);
  return all.length <= FINDINGS_MAX ? all : [...only("error"), ...only("warning")].slice(0, FINDINGS_MAX);
}

/** A hundred places show what is wrong; a file of 100,000 characters can have as many. */
const FINDINGS_MAX = 100;

// The full file contains whole pages: the order required by llmstxt.org does not apply to it.
const lintFull = (content: string): FileFinding[] =>
  lintLlms(content).filter(({ severity }) => severity === "error");

const LINTERS: Readonly<Record<FileName, (content: string) => FileFinding[]>> = {
  "llms.txt": lintLlms,
  "llms-full.txt": lintFull,
  robots: lintRobots,
  "ai-catalog.json": lintCatalog,
};
