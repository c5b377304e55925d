import { html } from "../../../lib/html.ts";
import type { JudgedText } from "../../../core/ports.ts";
import { toSafeHtml } from "../../../lib/text/read.ts";

/** A text of /v1/content as its future page: its head as far as known, its title as H1, its body. */
export async function textHtml(text: JudgedText): Promise<string> {
  const { noindex, nosnippet, max_snippet: maxSnippet } = text.robots;
  const robots = [
    ...(noindex ? ["noindex"] : []),
    ...(nosnippet ? ["nosnippet"] : []),
    ...(maxSnippet === null ? [] : [`max-snippet:${maxSnippet}`]),
  ].join(", ");
  const body = { html: await toSafeHtml({ body: text.body, format: text.body_format }) };
  return html`<!doctype html>
    <html lang="${text.locale}">
      <head>
        <title>${text.seo_title ?? text.title}</title>
        ${text.description === null ? null : html`<meta name="description" content="${text.description}" />`}
        ${robots === "" ? null : html`<meta name="robots" content="${robots}" />`}
        ${text.canonical_url === null ? null : html`<link rel="canonical" href="${text.canonical_url}" />`}
        <meta property="article:modified_time" content="${text.updated_at}" />
      </head>
      <body>
        <main>
          <h1>${text.title}</h1>
          ${body}
        </main>
      </body>
    </html>`.html;
}
