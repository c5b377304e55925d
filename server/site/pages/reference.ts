import { z } from "zod";

import type { Namespace } from "../../http/namespace.ts";
import { fail } from "../../lib/errors.ts";
import { raw } from "../../core/reply.ts";
import type { Route } from "../../core/route.ts";
import { defineOperationsRoute } from "../../operations/context.ts";
import { assetUrl } from "./assets.ts";
import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { PAGE_STYLE } from "../../core/page-style.ts";
import { pageHeaders, siteHeader } from "./layout.ts";

// The renderer writes style attributes; scripts come from here alone, and requests go to this server alone.
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; font-src 'self'";

// Not written with the template tag, which would escape it.
const STYLE: Html = { html: `<style>${PAGE_STYLE}</style>` };

/**
 * `/docs/reference/<namespace>`: its routes, drawn in the browser from its part of `/openapi.json`; it asks nothing of any
 * other host. One page for all routes would take a phone many seconds.
 */
export const referenceRoute = (documented: readonly Namespace[]): Route =>
  defineOperationsRoute({
    id: "pages.reference.get",
    method: "GET",
    path: "/docs/reference/:name",
    summary: "API reference of an engine",
    params: z.object({ name: z.string() }),
    data: z.string(),
    rawType: "text/html",
    hidden: true,
    example: { params: { name: "delivery" } },
    async handle({ params: { name } }, { deps }) {
      if (!documented.some((one) => one.name === name)) {
        throw fail("not_found", "No resource matches this path.");
      }
      const [renderer, script] = await Promise.all([assetUrl("rapidoc-min.js"), assetUrl("docs.js")]);
      const isEngine = deps.engines.some((one) => one.name === name);
      return raw("text/html; charset=utf-8", referencePage({ renderer, script, name, isEngine }).html, {
        headers: pageHeaders(POLICY),
      });
    },
  });

interface ReferencePage {
  readonly renderer: string;
  readonly script: string;
  readonly name: string;
  /** Engines have a page with a list of their routes. */
  readonly isEngine: boolean;
}

const referencePage = ({ renderer, script, name, isEngine }: ReferencePage): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${name}: reference · Storefront platform</title>
        <link rel="icon" href="data:," />
        ${STYLE}
        <script type="module" src="${script}"></script>
        <script type="module" src="${renderer}"></script>
      </head>
      <body class="reference">
        ${siteHeader(`${name}: API reference`)}
        <noscript
          ><p>
            The reference requires JavaScript. Without it, see
            ${isEngine ? html`<a href="/docs/engines/${name}">the list of routes</a>,` : null}
            <a href="/openapi.json">openapi.json</a> and <a href="/docs/errors">the error types</a>.
          </p></noscript
        >
        <rapi-doc
          spec-url="/openapi.json?namespace=${name}"
          render-style="focused"
          theme="light"
          load-fonts="false"
          regular-font="system-ui, -apple-system, Segoe UI, Roboto, sans-serif"
          mono-font="ui-monospace, SFMono-Regular, Menlo, monospace"
          show-header="false"
          allow-spec-url-load="false"
          allow-spec-file-load="false"
          allow-spec-file-download="false"
          allow-server-selection="false"
          schema-style="table"
          default-schema-tab="example"
          persist-auth="false"
          use-path-in-nav-bar="false"
          nav-item-spacing="relaxed"
          show-method-in-nav-bar="as-plain-text"
          sort-tags="false"
          update-route="true"
          allow-advanced-search="false"
          fetch-credentials="omit"
        >
        </rapi-doc>
      </body>
    </html> `;
