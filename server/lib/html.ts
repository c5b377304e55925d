/** HTML text that is safe to send: made by `html` alone. */
export interface Html {
  readonly html: string;
}

type Part = string | number | Html | null | false | readonly Html[];

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A text as HTML that shows it. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (char) => ESCAPES[char] ?? char);

/** Template tag that escapes every value; pieces made by `html` itself go in as they are, null and false as nothing. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = texts[0] ?? "";
  for (const [index, part] of parts.entries()) text += toText(part) + (texts[index + 1] ?? "");
  return { html: text };
}

function toText(part: Part): string {
  if (part === null || part === false) return "";
  if (typeof part === "string" || typeof part === "number") return escapeHtml(String(part));
  return "html" in part ? part.html : part.map(({ html: text }) => text).join("");
}
