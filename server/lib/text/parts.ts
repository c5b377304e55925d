import { textContent } from "domutils";
import type { AnyNode, Element } from "domhandler";

import type { Image, Link, List, Table } from "./model.ts";
import { select } from "./select.ts";

export const linksOf = (root: AnyNode, base: string | undefined): Link[] =>
  select("a[href]", root).map((node) => {
    const written = (node.attribs["href"] ?? "").trim();
    const rel = tokens(node.attribs["rel"]);
    return {
      href: resolve(written, base),
      text: textOf(textContent(node)) || textOf(select("img[alt]", node)[0]?.attribs["alt"] ?? ""),
      rel,
      kind: kindOf(written, base),
      is_followed: !rel.some((token) => token === "nofollow" || token === "ugc" || token === "sponsored"),
    };
  });

export const imagesOf = (root: AnyNode, base: string | undefined): Image[] =>
  select("img[src]", root).map(({ attribs }) => ({
    src: resolve((attribs["src"] ?? "").trim(), base),
    alt: attribs["alt"]?.trim() ?? null,
  }));

export const listsOf = (root: AnyNode): List[] =>
  select("ul, ol", root).map((node) => ({
    is_ordered: node.name === "ol",
    items: childrenOf(node, ["li"]).map((item) =>
      textOf(
        item.children
          .filter((child) => !("name" in child && (child.name === "ul" || child.name === "ol")))
          .map((child) => textContent(child))
          .join(""),
      ),
    ),
  }));

export const tablesOf = (root: AnyNode): Table[] =>
  select("table", root).map((node) => {
    const rows = select("tr", node);
    return {
      rows: rows.length,
      columns: rows.reduce((most, row) => Math.max(most, childrenOf(row, ["td", "th"]).length), 0),
      headers: select("th", node).map((cell) => textOf(textContent(cell))),
    };
  });

const childrenOf = (node: Element, names: readonly string[]): Element[] =>
  node.children.flatMap((child) => ("attribs" in child && names.includes(child.name) ? [child] : []));

/** The absolute address; what cannot be resolved stays as it is written. */
export function resolve(written: string, base: string | undefined): string {
  if (URL.canParse(written)) return new URL(written).href;
  return base !== undefined && URL.canParse(written, base) ? new URL(written, base).href : written;
}

function kindOf(written: string, base: string | undefined): Link["kind"] {
  if (written === "" || written.startsWith("#")) return "other";
  const isAbsolute = URL.canParse(written) || written.startsWith("//");
  if (!isAbsolute) return "internal";
  const url = new URL(written, base ?? "https://none.invalid");
  if (url.protocol !== "http:" && url.protocol !== "https:") return "other";
  return base !== undefined && URL.canParse(base) && hostOf(new URL(base)) === hostOf(url)
    ? "internal"
    : "outbound";
}

/** The host, with or without `www.`: the same site to its readers. */
const hostOf = (url: URL): string => url.host.replace(/^www\./, "");

const tokens = (text: string | undefined): string[] =>
  (text ?? "")
    .toLowerCase()
    .split(/\s+/)
    .filter((token) => token !== "");

const textOf = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
