import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import type { Engine } from "../../core/engine.ts";
import type { Reply } from "../../core/route.ts";
import { page } from "../pages/layout.ts";
import { GUIDES } from "./guides.ts";

export interface DocsPage {
  readonly title: string;
  readonly body: Html;
  /** Path of this page, which the list of pages marks. */
  readonly path: string;
  readonly engines: readonly Engine[];
  /** What was searched for. */
  readonly words?: string;
  readonly status?: number;
}

/** A page of the documentation: the list of all pages and a search next to its text. Works without script. */
export const docsPage = ({ title, body, path, engines, words = "", status = 200 }: DocsPage): Reply<never> =>
  page({
    title,
    status,
    body: html`<div class="docs">
      <nav aria-label="Documentation">
        <form action="/docs/search" role="search">
          <label for="q">Search</label>
          <input id="q" name="q" type="search" value="${words}" maxlength="100" />
        </form>
        ${group("Guides", path, [
          ["/docs", "Getting started"],
          ...GUIDES.map(({ slug, title: name }): Entry => [`/docs/guides/${slug}`, name]),
        ])}
        ${group(
          "Engines",
          path,
          engines.map(({ name }): Entry => [`/docs/engines/${name}`, name]),
        )}
        ${group("Reference", path, [
          ["/docs/reference", "API reference"],
          ["/docs/errors", "Errors"],
          ["/docs/error-codes", "Error codes"],
          ["/docs/events", "Events"],
        ])}
      </nav>
      <article>${body}</article>
    </div>`,
  });

type Entry = readonly [path: string, name: string];

const group = (title: string, here: string, entries: readonly Entry[]): Html =>
  html`<h2>${title}</h2>
    <ul>
      ${entries.map(
        ([path, name]) =>
          html`<li>
            ${
              path === here
                ? html`<a href="${path}" aria-current="page">${name}</a>`
                : html`<a href="${path}">${name}</a>`
            }
          </li>`,
      )}
    </ul>`;
