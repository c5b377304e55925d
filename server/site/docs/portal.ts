import { z } from "zod";

import { mountRoutes } from "../../http/namespace.ts";
import type { Endpoint, Namespace } from "../../http/namespace.ts";
import { fail } from "../../lib/errors.ts";
import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { raw } from "../../core/route.ts";
import type { Route } from "../../core/route.ts";
import { defineOperationsRoute } from "../../operations/context.ts";
import { errorCodesPage } from "./error-codes.ts";
import { eventsPage } from "./events-page.ts";
import { enginePage } from "./engine-page.ts";
import { docsPage } from "./frame.ts";
import { GUIDES } from "./guides.ts";
import { llmsText } from "./llms.ts";
import { createSearch } from "./search.ts";

const base = { method: "GET", data: z.string(), rawType: "text/html", hidden: true } as const;

/** The documentation: where to begin, guides, a page for each engine, events, search, and its table of contents for agents. */
export function docsRoutes(documented: readonly Namespace[]): readonly Route[] {
  const shown = mountRoutes(documented).endpoints.filter(({ route }) => !route.hidden);
  return [
    homeRoute(shown),
    guidesRoute,
    guideRoute,
    engineRoute(shown),
    referenceIndexRoute(shown),
    eventsRoute,
    errorCodesRoute(shown),
    searchRoute(shown),
    llmsRoute,
  ];
}

const homeRoute = (shown: readonly Endpoint[]): Route =>
  defineOperationsRoute({
    ...base,
    id: "pages.docs-home.get",
    path: "/docs",
    summary: "Documentation",
    example: {},
    handle: async (_input, { baseUrl, deps: { engines } }) =>
      docsPage({ title: "Documentation", path: "/docs", engines, body: homeBody(baseUrl, shown) }),
  });

const guidesRoute = defineOperationsRoute({
  ...base,
  id: "pages.docs-guides.list",
  path: "/docs/guides",
  summary: "Guides",
  example: {},
  handle: async (_input, { deps: { engines } }) =>
    docsPage({
      title: "Guides",
      path: "/docs/guides",
      engines,
      body: html`<h1>Guides</h1>
        ${guideList}`,
    }),
});

const guideList = html`<ul class="rows">
  ${GUIDES.map(
    ({ slug, title, summary }) =>
      html`<li><a href="/docs/guides/${slug}">${title}</a> <span class="meta">${summary}</span></li>`,
  )}
</ul>`;

const guideRoute = defineOperationsRoute({
  ...base,
  id: "pages.docs-guides.get",
  path: "/docs/guides/:slug",
  summary: "A guide",
  params: z.object({ slug: z.string() }),
  example: { params: { slug: "authentication" } },
  async handle({ params: { slug } }, { baseUrl, deps: { engines } }) {
    const found = GUIDES.find((one) => one.slug === slug);
    if (found === undefined) throw fail("not_found", "No resource matches this path.");
    return docsPage({
      title: found.title,
      path: `/docs/guides/${slug}`,
      engines,
      body: html`<h1>${found.title}</h1>
        <p class="lead">${found.summary}</p>
        ${await markdown(found.markdown(baseUrl))}`,
    });
  },
});

const engineRoute = (shown: readonly Endpoint[]): Route =>
  defineOperationsRoute({
    ...base,
    id: "pages.docs-engines.get",
    path: "/docs/engines/:name",
    summary: "Documentation of an engine: examples, routes, events",
    params: z.object({ name: z.string() }),
    example: { params: { name: "delivery" } },
    async handle({ params: { name } }, { baseUrl, deps: { engines } }) {
      const found = engines.find((one) => one.name === name);
      if (found === undefined) throw fail("not_found", "No resource matches this path.");
      const body = enginePage(found, { baseUrl, shown });
      return docsPage({ title: name, path: `/docs/engines/${name}`, engines, body });
    },
  });

const referenceIndexRoute = (shown: readonly Endpoint[]): Route =>
  defineOperationsRoute({
    ...base,
    id: "pages.docs-reference.get",
    path: "/docs/reference",
    summary: "API reference overview",
    example: {},
    async handle(_input, { deps: { engines } }) {
      const parts = new Map(shown.map(({ namespace }) => [namespace.name, namespace.summary]));
      const body = html`<h1>Reference</h1>
        <p>All routes with their schemas, and a form to try them with your own key.</p>
        <ul class="rows">
          ${Array.from(
            parts,
            ([name, summary]) =>
              html`<li>
                <a href="/docs/reference/${name}">${name}</a> <span class="meta">${summary}</span>
              </li>`,
          )}
        </ul>`;
      return docsPage({ title: "Reference", path: "/docs/reference", engines, body });
    },
  });

const eventsRoute = defineOperationsRoute({
  ...base,
  id: "pages.docs-events.get",
  path: "/docs/events",
  summary: "Event types",
  example: {},
  handle: async (_input, { deps: { engines } }) =>
    docsPage({ title: "Events", path: "/docs/events", engines, body: eventsPage(engines) }),
});

const errorCodesRoute = (shown: readonly Endpoint[]): Route =>
  defineOperationsRoute({
    ...base,
    id: "pages.docs-error-codes.get",
    path: "/docs/error-codes",
    summary: "Error codes by engine",
    example: {},
    handle: async (_input, { deps: { engines } }) =>
      docsPage({ title: "Error codes", path: "/docs/error-codes", engines, body: errorCodesPage(shown) }),
  });

function searchRoute(shown: readonly Endpoint[]): Route {
  const search = createSearch(shown);
  return defineOperationsRoute({
    ...base,
    id: "pages.docs-search.get",
    path: "/docs/search",
    summary: "Search the documentation",
    query: z.object({ q: z.string().max(100).optional() }),
    example: { query: { q: "allergens" } },
    async handle({ query: { q: words = "" } }, { baseUrl, deps: { engines } }) {
      const hits = await search(words, baseUrl);
      const body = html`<h1>Search</h1>
        ${
          words.trim() === ""
            ? html`<p>Search for a route, a topic or an error.</p>`
            : html`<p role="status">${hits.length} results for <strong>${words}</strong>.</p>`
        }
        <ul class="rows">
          ${hits.map(
            ({ path, title, about }) =>
              html`<li><a href="${path}">${title}</a> <span class="meta">${about}</span></li>`,
          )}
        </ul>`;
      return docsPage({ title: "Search", path: "/docs/search", engines, body, words });
    },
  });
}

const llmsRoute = defineOperationsRoute({
  ...base,
  id: "pages.docs-llms.get",
  path: "/llms.txt",
  summary: "Table of contents of the documentation for agents",
  rawType: "text/markdown",
  example: {},
  handle: async (_input, { baseUrl, deps: { engines } }) =>
    raw("text/markdown; charset=utf-8", llmsText({ baseUrl, engines })),
});

/** "Set the time" → set-the-time */
const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/<[^>]*>|&\w+;/g, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");

/** Our own Markdown as HTML; loaded when the first guide is read. */
async function markdown(text: string): Promise<Html> {
  const { marked } = await import("marked");
  const written = await marked.parse(text);
  return {
    // A header cell without words is none.
    html: written
      .replaceAll("<th></th>", "<td></td>")
      .replaceAll(/<h2>(.*?)<\/h2>/g, (_, title: string) => `<h2 id="${slugOf(title)}">${title}</h2>`),
  };
}

const homeBody = (baseUrl: string, shown: readonly Endpoint[]): Html =>
  html`<h1>Getting started</h1>
    <p class="lead">Storefront engines behind one REST API. Use any HTTP client.</p>
    <ol>
      <li><a href="/signup">Sign up</a> with an e-mail address and a store identifier.</li>
      <li>Follow the link in the mail, press the button, and save the key: it is shown once.</li>
      <li>
        Send it with every request:
        <pre>curl ${baseUrl}/v1/account -H "Authorization: Bearer $API_KEY"</pre>
      </li>
    </ol>
    <p>
      The response contains your account, the scopes of the key and the number of remaining requests. Continue
      with a guide or with the page of an engine; each engine page starts with requests that you can run as
      is.
    </p>
    <h2>Guides</h2>
    ${guideList}
    <h2>Machine-readable documentation</h2>
    <p>
      <a href="/openapi.json">openapi.json</a> describes all ${shown.length} routes,
      <a href="/llms.txt">llms.txt</a> is the table of contents for agents, and
      <code>platform mcp</code> serves the routes that a key can call as tools for agents.
    </p>`;
