import { createHash } from "node:crypto";

import type { Reply } from "../../kernel/route.ts";
import { raw } from "../../kernel/route.ts";
import type { Html } from "../../kernel/html.ts";
import { html } from "../../kernel/html.ts";
import { STYLE } from "./style.ts";

export interface Page {
  readonly title: string;
  readonly body: Html;
  readonly status?: number;
}

/** A whole page without script. Nothing of it may be kept, framed, or told to the next site. */
export const page = ({ title, body, status = 200 }: Page): Reply<never> =>
  raw("text/html; charset=utf-8", document(title, body).html, {
    status,
    headers: pageHeaders(`default-src 'none'; style-src '${STYLE_HASH}'; img-src data:; frame-src 'self'`),
  });

/** Headers of a page; `policy` says where it may load from, `framedBy` who may show it inside another page. */
export const pageHeaders = (
  policy: string,
  framedBy: "'none'" | "'self'" = "'none'",
): Record<string, string> => ({
  "Content-Security-Policy": `${policy}; form-action 'self'; base-uri 'none'; frame-ancestors ${framedBy}`,
  "Referrer-Policy": "no-referrer",
});

const STYLE_HASH = `sha256-${createHash("sha256").update(STYLE).digest("base64")}`;
// Not written with the template tag: a formatter would indent the text, and its hash would no longer fit.
const styleElement: Html = { html: `<style>${STYLE}</style>` };

const document = (title: string, body: Html): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title} · Storefront platform</title>
        <link rel="icon" href="data:," />
        ${styleElement}
      </head>
      <body>
        <header>
          <a class="brand" href="/">Storefront platform</a>
          <nav><a href="/docs">Docs</a> <a href="/docs/errors">Errors</a> <a href="/signup">Sign up</a></nav>
        </header>
        <main>${body}</main>
      </body>
    </html> `;
