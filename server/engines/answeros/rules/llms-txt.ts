import { ANSWEROS_LIMITS } from "../schema.ts";
import type { FileFinding } from "../schema/files.ts";

/** Content of an llms.txt. */
export interface LlmsSource {
  readonly name: string;
  readonly summary: string | null;
  readonly sections: readonly { readonly title: string; readonly links: readonly LlmsLink[] }[];
}

export interface LlmsLink {
  readonly name: string;
  readonly url: string;
  readonly notes: string | null;
}

/**
 * llms.txt in the order of llmstxt.org: H1, blockquote, H2 sections of links; readers may skip a section “Optional”. Links beyond the
 * size of a file are left out. Not used by Google; checked by Lighthouse 13.5.
 */
export function writeLlms({ name, summary, sections }: LlmsSource): string {
  let text = `# ${line(name)}${summary === null ? "" : `\n\n> ${line(summary)}`}`;
  for (const { title, links } of sections) {
    let before = `\n\n## ${line(title)}\n\n`;
    for (const one of links) {
      const entry = before + linkLine(one);
      if (text.length + entry.length >= ANSWEROS_LIMITS.fileChars) continue;
      text += entry;
      before = "\n";
    }
  }
  return `${text}\n`;
}

/** llms-full.txt: the same header, then the pages themselves. */
export function writeLlmsFull(
  { name, summary }: Pick<LlmsSource, "name" | "summary">,
  pages: readonly { readonly title: string; readonly url: string | null; readonly text: string }[],
  maxChars: number,
): string {
  let text = `# ${line(name)}\n\n${summary === null ? "" : `> ${line(summary)}\n\n`}`;
  for (const page of pages) {
    const source = page.url === null ? "" : `Source: ${link(page.title, page.url)}\n\n`;
    const part = `## ${line(page.title)}\n\n${source}${page.text.trim()}\n\n`;
    // A page is included completely or not at all: a partial answer is worse than none.
    if (text.length + part.length > maxChars) continue;
    text += part;
  }
  return text;
}

/** A single line that cannot end its Markdown element. */
const line = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

const linkLine = ({ name, url, notes }: LlmsLink): string =>
  `- ${link(name, url)}${notes === null ? "" : `: ${line(notes)}`}`;

/** Brackets of the name and of the URL would end the link. */
const link = (name: string, url: string): string =>
  `[${line(name).replaceAll(/[[\]]/g, "")}](${url.replaceAll("(", "%28").replaceAll(")", "%29")})`;

const LENGTH_MIN = 50;
// Bounded, so that a file of brackets only is parsed in linear time.
const LINK = /\[[^[\]\n]{1,300}\]\([^()\n]{1,2000}\)/;
const LINKS = /\[[^[\]\n]{1,300}\]\(([^()\s]{1,2000})\)/g;
const ENTRY = /^[ \t]*[-*] +\[[^[\]]{1,300}\]\([^()\s]{1,2000}\)(?:: .*)?$/;

/**
 * Lint by Lighthouse 13.5's own rules (an H1, a link, 50 characters) as errors, and by the order of llmstxt.org as
 * warnings.
 */
export function lintLlms(content: string): FileFinding[] {
  const lines = content.split(/\r?\n/);
  const findings: FileFinding[] = [];
  const add = (code: string, severity: FileFinding["severity"], path: string, message: string): void => {
    findings.push({ code, severity, path, message });
  };
  if (!/^[ \t]*#[ \t]+\S/m.test(content))
    add("no_h1", "error", "", "A first-level heading is missing: # Name.");
  if (!LINK.test(content)) add("no_link", "error", "", "A link is missing: [name](url).");
  if (content.length < LENGTH_MIN)
    add("too_short", "error", "", `The text must have at least ${LENGTH_MIN} characters.`);
  const first = lines.findIndex((text) => text.trim() !== "");
  if (first !== -1 && !/^#\s+\S/.test(lines[first] ?? "")) {
    add("h1_not_first", "warning", `line ${first + 1}`, "The first-level heading should come first.");
  }
  let section: string | null = null;
  for (const [index, text] of lines.entries()) {
    const place = `line ${index + 1}`;
    if (/^##\s+\S/.test(text)) section = text;
    if (text.startsWith("###"))
      add("deep_heading", "warning", place, "Sections can only have second-level headings.");
    if (text.startsWith(">") && section !== null) {
      add("late_quote", "warning", place, "The summary (>) must come before the sections.");
    }
    const isListed = section !== null && /^\s*[-*]\s/.test(text);
    if (isListed && !ENTRY.test(text.trimEnd())) {
      add("not_a_link", "warning", place, "Entries of a section must be links: - [name](url): notes.");
    }
    for (const [, url = ""] of text.matchAll(LINKS)) {
      if (!/^https?:\/\//.test(url)) add("relative_link", "warning", place, `${url} is not an absolute URL.`);
    }
  }
  return findings;
}
