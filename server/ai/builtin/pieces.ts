import { cloneNode } from "domhandler";
import type { ChildNode } from "domhandler";
import { getInnerHTML, getOuterHTML } from "domutils";

import { fail } from "../../lib/errors.ts";
import { cutDeep } from "../../lib/text/depth.ts";

/**
 * A text cut into what rewriting may touch, paragraphs and headings, and what it may not (lists, tables, code, quotes).
 * Joined again, the pieces are the text they came from.
 */
export interface Piece {
  readonly kind: "paragraph" | "heading" | "other";
  /** 1–6 for a heading, else 0. */
  readonly level: number;
  /** What is before, around and after the source. */
  readonly open: string;
  readonly source: string;
  readonly close: string;
}

export async function cutText(text: string, format: "markdown" | "html"): Promise<Piece[]> {
  return format === "html" ? cutHtml(text) : cutMarkdown(text);
}

export const joinPieces = (pieces: readonly Piece[]): string =>
  pieces.map(({ open, source, close }) => `${open}${source}${close}`).join("");

/** A paragraph made new, as the format writes one. */
export const newParagraph = (source: string, format: "markdown" | "html"): Piece =>
  format === "html"
    ? { kind: "paragraph", level: 0, open: "<p>", source, close: "</p>\n" }
    : { kind: "paragraph", level: 0, open: "", source, close: "\n\n" };

/** A list made new, after a paragraph; the empty line after it is the one that followed the paragraph. */
export const newList = (items: readonly string[], format: "markdown" | "html"): Piece =>
  format === "html"
    ? other(`<ul>\n${items.map((item) => `<li>${item}</li>\n`).join("")}</ul>\n`)
    : other(items.map((item) => `- ${item}`).join("\n"));

const other = (source: string): Piece => ({ kind: "other", level: 0, open: "", source, close: "" });

async function cutMarkdown(text: string): Promise<Piece[]> {
  const { marked } = await import("marked");
  return marked.lexer(text, { gfm: true }).map((token): Piece => {
    if (token.type === "paragraph") {
      const source = token.raw.trimEnd();
      return { kind: "paragraph", level: 0, open: "", source, close: token.raw.slice(source.length) };
    }
    const open = token.type === "heading" ? /^\s{0,3}#{1,6}\s+/.exec(token.raw)?.[0] : undefined;
    if (open === undefined) return other(token.raw);
    const rest = token.raw.slice(open.length);
    const source = withoutHashes(rest);
    return { kind: "heading", level: open.trim().length, open, source, close: rest.slice(source.length) };
  });
}

/** A heading without the hashes that close it. Not by a pattern, which tries every run of spaces inside it again. */
function withoutHashes(heading: string): string {
  const text = heading.trimEnd();
  let end = text.length;
  while (text.charAt(end - 1) === "#") end -= 1;
  return text.slice(0, end).trimEnd();
}

/** Elements that only hold others: rewriting goes into them. */
const WRAPPERS = new Set(["div", "section", "article", "main"]);

async function cutHtml(text: string): Promise<Piece[]> {
  if ((await cutDeep(text)) !== text) {
    throw fail("unprocessable_content", "The elements of the text are nested too deeply to be rewritten.");
  }
  const { parseDocument } = await import("htmlparser2");
  // Entities stay as they are written, on the way in and on the way out.
  const options = { decodeEntities: false };
  const cut = (nodes: readonly ChildNode[]): Piece[] =>
    nodes.flatMap((node): Piece[] => {
      const name = "name" in node ? node.name : "";
      const level = Number(/^h([1-6])$/.exec(name)?.[1] ?? 0);
      const isWrapper = WRAPPERS.has(name);
      if (!("children" in node) || (name !== "p" && level === 0 && !isWrapper))
        return [other(getOuterHTML(node, options))];
      const close = `</${name}>`;
      // An attribute may hold a ">": the tag is what is left of the element without its content.
      const open = getOuterHTML(cloneNode(node), options).slice(0, -close.length);
      if (isWrapper) return [other(open), ...cut(node.children), other(close)];
      const kind = level === 0 ? "paragraph" : "heading";
      return [{ kind, level, open, source: getInnerHTML(node, options), close }];
    });
  return cut(parseDocument(text, options).children);
}
