import type { AnyNode } from "domhandler";

import type { Block, BlockKind, Language } from "./model.ts";

/** What the text inside an element counts as. */
interface Place {
  readonly kind: BlockKind;
  readonly level: number;
}

/** `Node.TEXT_NODE` of the DOM. */
const TEXT_NODE = 3;

const PARAGRAPH: Place = { kind: "paragraph", level: 0 };

/** The blocks of a sanitised document in reading order. Code is no prose and is left out; a table is read cell by cell. */
export function blocksOf(nodes: readonly AnyNode[], language: Language): Block[] {
  const texts: (Place & { text: string })[] = [];
  let buffer = "";
  const flush = (place: Place): void => {
    const text = buffer.replaceAll(/\s+/g, " ").trim();
    buffer = "";
    if (text !== "") texts.push({ ...place, text });
  };
  const visit = (node: AnyNode, place: Place): void => {
    if (node.nodeType === TEXT_NODE) buffer += node.data;
    if (!("children" in node)) return;
    const name = "name" in node ? node.name : "";
    if (INLINE.has(name)) {
      for (const child of node.children) visit(child, place);
    } else if (SPACES.has(name)) {
      buffer += " ";
    } else {
      flush(place);
      const inner = placeIn(name, place);
      if (name !== "pre") for (const child of node.children) visit(child, inner);
      flush(inner);
    }
  };
  for (const node of nodes) visit(node, PARAGRAPH);
  flush(PARAGRAPH);
  return texts.map((block, at) => toBlock(block, at, language));
}

/** Elements that do not end a block. */
const INLINE = new Set(
  "a b strong i em u s del ins mark small sub sup span q cite code kbd samp var time abbr dfn data picture wbr".split(
    " ",
  ),
);
/** Elements that bring no text and part words. */
const SPACES = new Set(["br", "img", "source"]);

/** An item, quotation or cell stays what it is whatever paragraphs it contains; a heading is one everywhere. */
function placeIn(name: string, outer: Place): Place {
  const level = /^h([1-6])$/.exec(name)?.[1];
  if (level !== undefined) return { kind: "heading", level: Number(level) };
  if (name === "li" || name === "dt" || name === "dd") return { kind: "list_item", level: 0 };
  if (name === "blockquote") return { kind: "quote", level: 0 };
  if (name === "td" || name === "th") return { kind: "cell", level: 0 };
  return outer.kind === "heading" ? PARAGRAPH : outer;
}

function toBlock({ kind, level, text }: Place & { text: string }, block: number, language: Language): Block {
  const sentences = language.sentences(text).map((sentence) => {
    const words = language.words(sentence);
    const stems = words.map((word) => language.stem(word)).filter((stem) => stem !== null);
    return { text: sentence, block, words, stems };
  });
  const count = sentences.reduce((sum, { words }) => sum + words.length, 0);
  return { kind, level, text, sentences, word_count: count };
}
