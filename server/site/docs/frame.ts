import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import type { EngineOutline } from "../../core/engine.ts";
import type { Reply } from "../../core/reply.ts";
import { assetUrl } from "../pages/assets.ts";
import { page } from "../pages/layout.ts";
import { GUIDES } from "./guides.ts";

export interface DocsPage {
  readonly title: string;
  /** A page that is the same for all is written once. */
  readonly body: Html | (() => Html | Promise<Html>);
  /** Path of this page, which the list of pages marks. */
  readonly path: string;
  readonly engines: readonly EngineOutline[];
  /** What was searched for. */
  readonly words?: string;
  readonly status?: number;
}

/** Pages that were written, by their paths, for the engines of a process. */
const written = new WeakMap<readonly EngineOutline[], Map<string, Promise<Reply<never>>>>();

/** A page of the documentation: the list of all pages and a search next to its text. Works without script. */
export function docsPage(shown: DocsPage): Promise<Reply<never>> {
  const { body, engines, path } = shown;
  if (typeof body !== "function") return writePage(shown, body);
  const pages = written.get(engines) ?? new Map<string, Promise<Reply<never>>>();
  written.set(engines, pages);
  const known = pages.get(path);
  if (known !== undefined) return known;
  const page = (async () => writePage(shown, await body()))();
  pages.set(path, page);
  page.catch(() => pages.delete(path));
  return page;
}

async function writePage(
  { title, path, engines, words = "", status = 200 }: DocsPage,
  body: Html,
): Promise<Reply<never>> {
  const groups = groupsOf(engines);
  return page({
    title,
    status,
    scripts: await Promise.all([assetUrl("copy.js"), assetUrl("search.js")]),
    body: html`<div class="docs">
      <nav id="pages" aria-label="Documentation">
        <form action="/docs/search" role="search">
          <label for="q">Search</label>
          <input id="q" name="q" type="search" value="${words}" maxlength="100" autocomplete="off" />
        </form>
        <a class="all" href="#pages">All pages</a>
        ${groups.map(([name, entries]) => group(name, path, entries))}
      </nav>
      <article>${contents(body)} ${body} ${neighbours(groups, path)}</article>
    </div>`,
  });
}

type Entry = readonly [path: string, name: string];

const groupsOf = (
  engines: readonly EngineOutline[],
): readonly (readonly [name: string, entries: readonly Entry[]])[] => [
  [
    "Guides",
    [["/docs", "Overview"], ...GUIDES.map(({ slug, title: name }): Entry => [`/docs/guides/${slug}`, name])],
  ],
  ["Engines", engines.map(({ name }): Entry => [`/docs/engines/${name}`, name])],
  [
    "Reference",
    [
      ["/docs/reference", "API reference"],
      ["/docs/errors", "Errors"],
      ["/docs/error-codes", "Error codes"],
      ["/docs/events", "Events"],
    ],
  ],
];

const CONTENTS_MIN = 3;

/** The sections of a page, where it has several. */
function contents({ html: text }: Html): Html | null {
  const sections = [...text.matchAll(/<h2 id="([^"]*)">(.*?)<\/h2>/gs)];
  if (sections.length < CONTENTS_MIN) return null;
  return html`<nav class="contents" aria-label="On this page">
    <details>
      <summary>On this page</summary>
      <ul>
        ${sections.map(
          ([, id = "", title = ""]) =>
            html`<li><a href="#${id}">${{ html: title.replaceAll(/<\/?a\b[^>]*>/g, "") }}</a></li>`,
        )}
      </ul>
    </details>
  </nav>`;
}

/** The pages before and after in the list. */
function neighbours(groups: ReturnType<typeof groupsOf>, here: string): Html | null {
  const all = groups.flatMap(([, entries]) => entries);
  const at = all.findIndex(([path]) => path === here);
  if (at < 0) return null;
  const to = (entry: Entry | undefined, rel: "prev" | "next"): Html =>
    entry === undefined
      ? html`<span></span>`
      : html`<a rel="${rel}" href="${entry[0]}"
          >${rel === "prev" ? "← " : ""}${entry[1]}${rel === "next" ? " →" : ""}</a
        >`;
  return html`<nav class="neighbours" aria-label="Previous and next page">
    ${to(all[at - 1], "prev")} ${to(all[at + 1], "next")}
  </nav>`;
}

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
