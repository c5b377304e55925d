import { createPage } from "../../core/page.ts";
import type { Page } from "../../core/page.ts";
import type { Reply } from "../../core/route.ts";
import { html } from "../../lib/html.ts";
import { STYLE } from "./style.ts";

const dressed = createPage(STYLE, "frame-src 'self'; form-action 'self'");

/** A whole page under the header that all have. */
export const page = ({ title, body, ...rest }: Page): Reply<never> =>
  dressed({
    ...rest,
    title: `${title} · Storefront platform`,
    body: html`<header>
        <a class="brand" href="/">Storefront platform</a>
        <nav><a href="/docs">Docs</a> <a href="/docs/errors">Errors</a> <a href="/signup">Sign up</a></nav>
      </header>
      <main>${body}</main>`,
  });

/** Headers of a page; `policy` says where it may load from, `framedBy` who may show it inside another page. */
export const pageHeaders = (
  policy: string,
  framedBy: "'none'" | "'self'" = "'none'",
): Record<string, string> => ({
  "Content-Security-Policy": `${policy}; form-action 'self'; base-uri 'none'; frame-ancestors ${framedBy}`,
  "Referrer-Policy": "no-referrer",
});
