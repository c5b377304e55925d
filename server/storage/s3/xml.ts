import { StoreError } from "../contract.ts";

/** An element of an answer: its own text and the elements inside it. */
export interface Element {
  readonly name: string;
  readonly children: readonly Element[];
  readonly text: string;
}

interface Open {
  readonly name: string;
  readonly children: Element[];
  text: string;
}

const TOKEN =
  /<\?[^>]*\?>|<(\/?)([A-Za-z_][\w.:-]*)((?:\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/y;
const ENTITY = /&(?:#x([0-9a-fA-F]{1,6})|#([0-9]{1,7})|(amp|lt|gt|quot|apos));|&/g;
const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const DEPTH_MAX = 16;

/**
 * Reads the XML that S3 servers answer: elements and text. It knows no document type, no comment, no CDATA and no entity
 * but the five of XML, so nothing in an answer can grow or reach out; anything else throws StoreError UNAVAILABLE,
 * as an answer of something that is no S3 server (a proxy's page, a text cut short).
 */
export function parseXml(text: string): Element {
  const root: Open = { name: "", children: [], text: "" };
  const stack: Open[] = [root];
  TOKEN.lastIndex = 0;
  const trimmed = text.replace(/^\uFEFF/, "").trim();
  while (TOKEN.lastIndex < trimmed.length) {
    const found = TOKEN.exec(trimmed);
    const top = stack.at(-1);
    if (found === null || top === undefined) throw unreadable(trimmed);
    const [, closing, name, , empty, content] = found;
    if (content !== undefined) top.text += decode(content, trimmed);
    else if (name === undefined) continue;
    else if (closing === "/") {
      stack.pop();
      if (top.name !== name || stack.length === 0) throw unreadable(trimmed);
    } else {
      const element: Open = { name, children: [], text: "" };
      top.children.push(element);
      if (empty !== "/") stack.push(element);
      if (stack.length > DEPTH_MAX) throw unreadable(trimmed);
    }
  }
  const [only] = root.children;
  if (stack.length !== 1 || root.children.length !== 1 || only === undefined) throw unreadable(trimmed);
  return only;
}

/** The text of an element's first child of this name; "" when there is none. */
export function childText(element: Element, name: string): string {
  return element.children.find((child) => child.name === name)?.text ?? "";
}

function decode(text: string, whole: string): string {
  return text.replace(ENTITY, (entity, hex?: string, decimal?: string, named?: string) => {
    if (named !== undefined) return NAMED[named] ?? "";
    const point = hex === undefined ? Number.parseInt(decimal ?? "", 10) : Number.parseInt(hex, 16);
    if (entity === "&" || !(point <= 0x10ffff)) throw unreadable(whole);
    return String.fromCodePoint(point);
  });
}

function unreadable(text: string): StoreError {
  return new StoreError(
    "UNAVAILABLE",
    `not a response of an S3 server: ${JSON.stringify(text.slice(0, 120))}`,
  );
}
