import { createHash } from "node:crypto";

import { html } from "../lib/html.ts";
import type { Html } from "../lib/html.ts";
import { raw } from "./route.ts";
import type { Reply } from "./route.ts";

export interface Page {
  readonly title: string;
  readonly body: Html;
  readonly status?: number;
  /** Language of its words; English when none is named. */
  readonly lang?: string;
  /** Addresses of scripts of this server that add comfort; everything works without them. */
  readonly scripts?: readonly string[];
  /** Address to which the browser goes on at once: a form may lead to no other site. */
  readonly next?: string;
}

/**
 * Creates pages of one style: whole pages that work without script, load nothing from elsewhere, cannot be framed, and say
 * the next site nothing. `policy` are the directives of the Content-Security-Policy that differ by kind of page; as a rule, forms lead
 * back here.
 */
export function createPage(style: string, policy = "form-action 'self'"): (page: Page) => Reply<never> {
  const hash = createHash("sha256").update(style).digest("base64");
  // Not written with the template tag: a formatter would indent the text, and its hash would no longer fit.
  const styleElement: Html = { html: `<style>${style}</style>` };
  const headers = {
    "Content-Security-Policy": `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; ${policy}; base-uri 'none'; frame-ancestors 'none'`,
    "Referrer-Policy": "no-referrer",
  };
  const scripted = {
    ...headers,
    "Content-Security-Policy": `${headers["Content-Security-Policy"]}; script-src 'self'; connect-src 'self'`,
  };
  return ({ title, body, status = 200, lang = "en", scripts = [], next }) =>
    raw(
      "text/html; charset=utf-8",
      html`<!doctype html>
        <html lang="${lang}">
          <head>
            <meta charset="utf-8" />
            <meta name="viewport" content="width=device-width, initial-scale=1" />
            <meta name="color-scheme" content="light dark" />
            <meta name="robots" content="noindex" />
            ${next === undefined ? null : html`<meta http-equiv="refresh" content="0; url=${next}" />`}
            <title>${title}</title>
            <link rel="icon" href="data:," />
            ${styleElement} ${scripts.map((url) => html`<script type="module" src="${url}"></script>`)}
          </head>
          <body>
            ${body}
          </body>
        </html> `.html,
      { status, headers: scripts.length === 0 ? headers : scripted },
    );
}

/** Sends the browser to a page of another site, such as that of a payment. */
export const showLeave = (page: (page: Page) => Reply<never>, url: string): Reply<never> =>
  page({
    title: "Continue",
    next: url,
    body: html`<main>
      <h1>One moment</h1>
      <p><a href="${url}" rel="noreferrer">Continue</a></p>
    </main>`,
  });
