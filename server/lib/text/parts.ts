import type { Cheerio, CheerioAPI } from "cheerio/slim";
import type { AnyNode } from "domhandler";

import type { Image, Link, List, Table } from "./model.ts";

type Root = Cheerio<AnyNode>;

export const linksOf = ($: CheerioAPI, root: Root, base: string | undefined): Link[] =>
  root
    .find("a[href]")
    .toArray()
    .map((node) => {
      const written = ($(node).attr("href") ?? "").trim();
      const rel = tokens($(node).attr("rel"));
      return {
        href: resolve(written, base),
        text: textOf($(node).text()) || textOf($(node).find("img[alt]").attr("alt") ?? ""),
        rel,
        kind: kindOf(written, base),
        is_followed: !rel.some((token) => token === "nofollow" || token === "ugc" || token === "sponsored"),
      };
    });

export const imagesOf = ($: CheerioAPI, root: Root, base: string | undefined): Image[] =>
  root
    .find("img[src]")
    .toArray()
    .map((node) => ({
      src: resolve(($(node).attr("src") ?? "").trim(), base),
      alt: $(node).attr("alt")?.trim() ?? null,
    }));

export const listsOf = ($: CheerioAPI, root: Root): List[] =>
  root
    .find("ul, ol")
    .toArray()
    .map((node) => ({
      is_ordered: $(node).is("ol"),
      items: $(node)
        .children("li")
        .toArray()
        .map((item) => textOf($(item).contents().not("ul, ol").text())),
    }));

export const tablesOf = ($: CheerioAPI, root: Root): Table[] =>
  root
    .find("table")
    .toArray()
    .map((node) => {
      const rows = $(node).find("tr").toArray();
      return {
        rows: rows.length,
        columns: Math.max(0, ...rows.map((row) => $(row).children("td, th").length)),
        headers: $(node)
          .find("th")
          .toArray()
          .map((cell) => textOf($(cell).text())),
      };
    });

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
