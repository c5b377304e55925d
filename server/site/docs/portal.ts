import { z } from "zod";

import { mountRoutes } from "../../http/namespace.ts";
import type { Endpoint, Namespace } from "../../http/namespace.ts";
import { fail } from "../../lib/errors.ts";
import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { raw } from "../../core/reply.ts";
import type { EngineOutline } from "../../core/engine.ts";
import type { Route } from "../../core/route.ts";
import { defineOperationsRoute } from "../../operations/context.ts";
import { readExamples } from "../pages/openapi.ts";
import { errorCodesPage } from "./error-codes.ts";
import { eventsPage } from "./events-page.ts";
import { enginePage } from "./engine-page.ts";
import { docsPage } from "./frame.ts";
import { GUIDES } from "./guides.ts";
import { openHighlight } from "./highlight.ts";
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
      docsPage({
        title: "Documentation",
        path: "/docs",
        engines,
        body: () => homeBody(baseUrl, shown, engines),
      }),
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
      body: () =>
        html`<h1>Guides</h1>
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
      body: async () =>
        html`<h1>${found.title}</h1>
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
    async handle({ params: { name } }, { baseUrl, deps: { engines, loadEngines } }) {
      const [found] = await loadEngines([name]);
      if (found === undefined) throw fail("not_found", "No resource matches this path.");
      const body = async (): Promise<Html> =>
        enginePage(found, {
          baseUrl,
          shown,
          examples: await readExamples(),
          highlight: await openHighlight(),
        });
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
      const body = (): Html =>
        html`<h1>Reference</h1>
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
    docsPage({ title: "Events", path: "/docs/events", engines, body: () => eventsPage(engines) }),
});

const errorCodesRoute = (shown: readonly Endpoint[]): Route =>
  defineOperationsRoute({
    ...base,
    id: "pages.docs-error-codes.get",
    path: "/docs/error-codes",
    summary: "Error codes by engine",
    example: {},
    handle: async (_input, { deps: { engines } }) =>
      docsPage({
        title: "Error codes",
        path: "/docs/error-codes",
        engines,
        body: () => errorCodesPage(shown),
      }),
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
  const { Marked } = await import("marked");
  const highlight = await openHighlight();
  const code = ({ text: source, lang = "" }: { text: string; lang?: string | undefined }): string =>
    highlight(source, lang).html;
  const written = await new Marked({ renderer: { code } }).parse(text);
  return {
    // A header cell without words is none.
    html: written
      .replaceAll("<th></th>", "<td></td>")
      .replaceAll(/<h2>(.*?)<\/h2>/g, (_, title: string) => `<h2 id="${slugOf(title)}">${title}</h2>`),
  };
}

/** Members that the first example shows of the response that the build recorded. */
const Validated = z.object({
  deliverable: z.boolean(),
  zone: z.object({ name: z.string() }),
  currency: z.string(),
  fee: z.number(),
  free_delivery_from: z.number().nullable(),
  next_slots: z.array(z.object({ starts_at: z.string(), remaining: z.number(), fee: z.number() })),
});

async function homeBody(
  baseUrl: string,
  shown: readonly Endpoint[],
  engines: readonly EngineOutline[],
): Promise<Html> {
  const highlight = await openHighlight();
  const answer = Validated.safeParse((await readExamples())["delivery.validate"]?.data).data;
  const request = `curl ${baseUrl}/v1/delivery/validate \\
  -H "Authorization: Bearer $API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"postcode": "SW1A 1AA", "basketTotal": 2500}'`;
  return html`<h1>Storefront engines behind one REST API</h1>
    <p class="lead">
      Delivery slots, menus, allergens, subscriptions and seven more, for developers of online shops who do
      not want to write that logic again. One key, one set of conventions, any HTTP client.
    </p>
    <p class="actions">
      <a class="button" href="/docs/guides/quickstart">Quickstart</a>
      <a class="button quiet" href="/signup">Get a key</a>
    </p>
    <h2 id="request">One request, one answer</h2>
    <div class="sides">
      <div>
        <h3>Does the store deliver there, and when?</h3>
        ${highlight(request, "bash")}
      </div>
      ${
        answer !== undefined &&
        html`<div>
          <h3>The answer, shortened</h3>
          ${highlight(JSON.stringify({ data: answer }, null, 2), "json")}
        </div>`
      }
    </div>
    <h2 id="engines">Engines</h2>
    <ul class="cards">
      ${engines.map(
        ({ name, summary }) =>
          html`<li>
            <a href="/docs/engines/${name}">${name}</a>
            <p class="soft">${summary}</p>
          </li>`,
      )}
    </ul>
    <h2 id="guides">Guides</h2>
    ${guideList}
    <h2 id="machines">For machines</h2>
    <p>
      <a href="/openapi.json">openapi.json</a> describes all ${shown.length} routes,
      <a href="/llms.txt">llms.txt</a> is the table of contents for agents, and
      <code>platform mcp</code> serves the routes that a key can call as tools for agents.
    </p>`;
}
