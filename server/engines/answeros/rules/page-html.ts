import { ANSWEROS_LIMITS } from "../schema.ts";

/** Elements without relevant content. */
const SILENT = ["script", "style", "svg", "noscript", "template", "iframe"] as const;

/**
 * The HTML of a page as stored: without comments, styles, SVG and scripts other than JSON-LD, so that large
 * pages fit. Null if it is still too large. Extracted content is sanitised on extraction.
 * A single pass from left to right: hostile HTML takes no longer than any other.
 */
export function slimHtml(html: string): string | null {
  const lower = html.toLowerCase();
  let slim = "";
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    if (open === -1) break;
    const end = endOfSilent(lower, open);
    if (end === null) {
      slim += html.slice(at, open + 1);
      at = open + 1;
      continue;
    }
    slim += html.slice(at, open);
    at = end;
  }
  slim = (slim + html.slice(at))
    .replaceAll(/\s(?:style|class|srcset|sizes)="[^"]*"/gi, "")
    .replaceAll(/[^\S\n]{2,}/g, " ")
    .replaceAll(/\n{2,}/g, "\n");
  return Buffer.byteLength(slim) > ANSWEROS_LIMITS.htmlChars ? null : slim;
}

/**
 * A longer tag counts as unterminated: otherwise each of many unterminated ones would be searched to the end of the
 * page.
 */
const TAG_CHARS_MAX = 5_000;

/**
 * End of the element starting at `open`, if it is to be removed; an unterminated element extends to the end of the
 * page.
 */
function endOfSilent(lower: string, open: number): number | null {
  if (lower.startsWith("<!--", open)) return after(lower, "-->", open);
  const name = SILENT.find((tag) => lower.startsWith(`<${tag}`, open));
  if (name === undefined || !/[\s>/]/.test(lower.charAt(open + name.length + 1))) return null;
  const tag = lower.slice(open, open + TAG_CHARS_MAX);
  const length = tag.indexOf(">") + 1;
  const tagEnd = length === 0 ? lower.length : open + length;
  const isJsonLd = tag.slice(0, length === 0 ? tag.length : length).includes("application/ld+json");
  if (name === "script" && isJsonLd) return null;
  const close = after(lower, `</${name}`, tagEnd);
  return after(lower, ">", Math.max(tagEnd, close - 1));
}

function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at === -1 ? text.length : at + mark.length;
}
