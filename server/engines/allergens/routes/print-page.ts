import { createHash } from "node:crypto";

import { html } from "../../../kernel/html.ts";
import type { Html } from "../../../kernel/html.ts";
import { raw } from "../../../kernel/route.ts";
import type { Reply } from "../../../kernel/route.ts";

const STYLE =
  "body{font:11pt/1.4 system-ui,sans-serif;color:#000;background:#fff;margin:1.5cm}" +
  "h1{font-size:14pt;margin:0 0 .4cm}table{border-collapse:collapse;width:100%}caption{text-align:left;padding-bottom:.3cm}" +
  "th,td{border:1px solid #777;padding:2px 5px;text-align:center}th[scope=row]{text-align:left;font-weight:500}" +
  "thead th{font-size:8.5pt;vertical-align:bottom}thead{display:table-header-group}tr{break-inside:avoid}" +
  ".C{background:#000;color:#fff;font-weight:700}.M{background:#ccc}.stale{font-style:italic}" +
  "@page{margin:1cm}@media print{body{margin:0}}";
const HASH = createHash("sha256").update(STYLE).digest("base64");
const HEADERS = {
  "Content-Security-Policy": `default-src 'none'; style-src 'sha256-${HASH}'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
  "Referrer-Policy": "no-referrer",
};
// Not written with the template tag: a formatter would indent the text, and its hash would no longer fit.
const styleElement: Html = { html: `<style>${STYLE}</style>` };

/** A page to be printed: no script, nothing loaded, nothing framed. */
export const printPage = ({ title, lang, body }: { title: string; lang: string; body: Html }): Reply<never> =>
  raw(
    "text/html; charset=utf-8",
    html`<!doctype html>
      <html lang="${lang}">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="robots" content="noindex" />
          <title>${title}</title>
          ${styleElement}
        </head>
        <body>
          ${body}
        </body>
      </html> `.html,
    { headers: HEADERS },
  );
