import type { Page } from "../../core/page.ts";
import { renderPage } from "../../core/page.ts";
import { wordsOf } from "../../core/refusal.ts";
import type { Reply } from "../../core/reply.ts";
import type { Refused } from "../../core/route.ts";
import type { Words } from "../../core/words.ts";
import { wordsIn } from "../../core/words.ts";
import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";

const headerIn = (say: Words["say"], heading: Html | null = null): Html =>
  html`<header>
    ${heading}
    <a class="brand" href="/">Storefront platform</a>
    <nav aria-label="${say("nav.site")}">
      <a href="/docs">${say("nav.docs")}</a> <a href="/docs/errors">${say("nav.errors")}</a>
      <a href="/signup">${say("signup.short")}</a>
    </nav>
  </header>`;

/** The header of the site in English, with a heading that is read out but not shown. */
export const siteHeader = (heading: string): Html =>
  headerIn(wordsIn(null).say, html`<h1 class="away">${heading}</h1>`);

/** A whole page under the header that all have; documentation is in English. */
export const page = ({ title, body, ...rest }: Page, { locale, say }: Words = wordsIn(null)): Reply<never> =>
  renderPage({
    lang: locale,
    policy: "frame-src 'self'; form-action 'self'",
    ...rest,
    title: `${title} · Storefront platform`,
    body: html`${headerIn(say)}
      <main>${body}</main>`,
  });

/** The page that shows a browser what one of these pages, or a path that does not exist, refuses. */
export function refusalPage(refused: Refused): Reply<never> {
  const words = wordsIn(refused.locale);
  const { reference, status, text, title } = wordsOf(refused);
  const { say } = words;
  const isNowhere = refused.type === "not_found";
  return page(
    {
      title,
      status,
      body: html`<h1>${title}</h1>
        <p class="note bad" role="alert">${isNowhere ? say("nowhere.text") : text}</p>
        ${
          isNowhere &&
          html`<form action="/docs/search" role="search">
              <label for="q">${say("nowhere.search")}</label>
              <input id="q" name="q" type="search" maxlength="100" />
            </form>
            <p>
              <a href="/">${say("nowhere.home")}</a> · <a href="/docs">${say("nav.docs")}</a> ·
              <a href="/docs/guides">${say("nowhere.guides")}</a>
            </p>`
        }
        <p class="soft">${reference}</p>`,
    },
    words,
  );
}

/** Headers of a page; `policy` says where it may load from, `framedBy` who may show it inside another page. */
export const pageHeaders = (
  policy: string,
  framedBy: "'none'" | "'self'" = "'none'",
): Record<string, string> => ({
  "Content-Security-Policy": `${policy}; form-action 'self'; base-uri 'none'; frame-ancestors ${framedBy}`,
  "Referrer-Policy": "no-referrer",
});
