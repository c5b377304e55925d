import { getOuterHTML, removeElement } from "domutils";
import type { Document, ParentNode } from "domhandler";

import { fail } from "../errors.ts";
import { blocksOf } from "./blocks.ts";
import { loadLanguage } from "./language.ts";
import { TEXT_MODEL } from "./model.ts";
import type { Block, Language, TextCounts, TextInput, TextModel } from "./model.ts";
import { imagesOf, linksOf, listsOf, tablesOf } from "./parts.ts";
import { countPassive } from "./passive.ts";
import { isQuestion } from "./questions.ts";
import { sanitise } from "./sanitise.ts";
import { select } from "./select.ts";

/**
 * Reads a text once for all that scores want to know of it. Pure but for loading its tools: the same input gives the
 * same model on the same ICU.
 */
export async function readText(input: TextInput): Promise<TextModel> {
  const language = await loadLanguage(input.locale);
  const html = await toSafeHtml(input);
  const { parseDocument } = await import("htmlparser2");
  const page = parseDocument(html);
  const root = input.scope === "main" ? mainPart(page) : page;
  const blocks = blocksOf([root], language);
  const sentences = blocks.flatMap((block) => block.sentences);
  return {
    text_model: TEXT_MODEL,
    icu: process.versions.icu ?? "",
    language,
    html: input.scope === "main" ? getOuterHTML(root) : html,
    text: blocks.map(({ text }) => text).join("\n\n"),
    blocks,
    sentences,
    headings: blocks.flatMap(({ kind, level, text }, block) =>
      kind === "heading" ? [{ level, text, block, is_question: isQuestion(text, language) }] : [],
    ),
    links: linksOf(root, input.base_url),
    images: imagesOf(root, input.base_url),
    lists: listsOf(root),
    tables: tablesOf(root),
    passive_sentences: language.code === "en" ? countPassive(sentences.map(({ words }) => words)) : null,
    counts: countText(blocks, language),
  };
}

/** Markdown (GFM) or HTML → HTML that may be shown, as an author's: see `sanitise`. */
export async function toSafeHtml({ body, format }: Pick<TextInput, "body" | "format">): Promise<string> {
  if (format === "html") return sanitise(body, "authors");
  refuseEndless(body);
  const { marked } = await import("marked");
  return sanitise(await marked.parse(body, { gfm: true }), "authors");
}

/** Marks of emphasis in one paragraph, and marks of nesting on one line: the work of reading them grows with their square. */
const EMPHASIS_MAX = 2_000;
const NESTING_MAX = 100;
/** Cells of all tables: a short row is filled up to the width of its table. */
const CELLS_MAX = 20_000;
/** Lines that are not blank: each may be a list item, and 37,500 of them took seconds. */
const LINES_MAX = 10_000;
/** Openings of comments and the like, each of which is looked for an end. */
const COMMENTS_MAX = 1_000;

function refuseEndless(markdown: string): void {
  if ((markdown.match(/<[!?]/g)?.length ?? 0) > COMMENTS_MAX) throw endless("comments");
  for (const [run] of markdown.matchAll(RUNS)) {
    if (countOf(/[!*_`~]/g, run) > MARKS_IN_RUN_MAX) throw endless("marks without a space between them");
  }
  let [lines, marks, columns, cells] = [0, 0, 0, 0];
  for (const line of markdown.split(/\r\n|\r|\n/)) {
    const isBlank = line.trim() === "";
    if (!isBlank) lines += 1;
    if (lines > LINES_MAX) throw endless("lines");
    marks = isBlank ? 0 : marks + countOf(/[*_~]/g, line);
    if (marks > EMPHASIS_MAX) throw endless("emphasis marks in one paragraph");
    const nesting = /^(?:\s*(?:>|[-*+]\s|\d{1,9}[.)]\s))*/.exec(line)?.[0] ?? "";
    if (countOf(/[>*+.)-]/g, nesting) > NESTING_MAX) throw endless("nested lists or quotations");
    columns = isBlank ? 0 : Math.max(columns, isRule(line) ? countOf(/\|/g, line) + 1 : 0);
    cells += columns;
    if (cells > CELLS_MAX) throw endless("table cells");
  }
}

/** The line below the heads of a table, wherever the table is. */
const isRule = (line: string): boolean => line.includes("|") && /^[\s>|:*+\d.)-]+$/.test(line);

/**
 * An address is looked for behind each of the marks at which a text is cut, up to the end of the run of characters that
 * addresses may have.
 */
const MARKS_IN_RUN_MAX = 200;
const RUNS = /[\w.!#$%&'*+/=?`{|}~-]{200,}/g;

const countOf = (pattern: RegExp, text: string): number => text.match(pattern)?.length ?? 0;

const endless = (what: string): Error =>
  fail("unprocessable_content", `The text contains too many ${what}.`, { code: "text_too_complex" });

/** What a whole page is about, without what frames every page of a site. */
function mainPart(page: Document): ParentNode {
  const part = select("main", page)[0] ?? select("article", page)[0];
  if (part !== undefined) return part;
  for (const frame of select("nav, header, footer, aside", page)) removeElement(frame);
  return page;
}

function countText(blocks: readonly Block[], language: Language): TextCounts {
  const counts = { syllables: 0, polysyllables: 0, letters: 0, characters: 0, words: 0 };
  const sentences = blocks.flatMap((block) => block.sentences);
  for (const word of sentences.flatMap(({ words }) => words)) {
    const syllables = language.syllables(word);
    const letters = word.match(/\p{L}/gu)?.length ?? 0;
    counts.words += 1;
    counts.syllables += syllables;
    if (syllables >= 3) counts.polysyllables += 1;
    counts.letters += letters;
    counts.characters += letters + (word.match(/\p{N}/gu)?.length ?? 0);
  }
  return {
    ...counts,
    sentences: sentences.length,
    paragraphs: blocks.filter(({ kind }) => kind === "paragraph").length,
  };
}
