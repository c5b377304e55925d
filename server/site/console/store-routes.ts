import { z } from "zod";

import { raw } from "../../core/reply.ts";
import type { Route } from "../../core/route.ts";
import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { defineOperationsRoute } from "../../operations/context.ts";
import type { Drawing } from "./drawn/drawing.ts";
import { DRAWINGS } from "./drawn/drawings.ts";
import { printLabel } from "./drawn/labels.ts";
import { behindLogin, get, given } from "./guard.ts";
import { frame } from "./render.ts";
import { readStore } from "./store-reader.ts";

const drawingRoute = (drawing: Drawing): Route =>
  defineOperationsRoute({
    ...get,
    id: `pages.console-stores-id-${drawing.path}.get`,
    path: `/_/stores/:id/${drawing.path}`,
    summary: `${drawing.title} of a store`,
    params: z.object({ id: z.string() }),
    query: z.looseObject({}),
    example: { params: { id: "x" } },
    handle: ({ params: { id }, query }, ctx) =>
      behindLogin(ctx, (session) =>
        readStore(ctx, id, async (reader) =>
          frame({
            title: `${drawing.title}: ${reader.store.identifier}`,
            session,
            policy: "form-action 'self'; frame-src 'self'",
            body: html`<h1>${drawing.title}: ${reader.store.identifier}</h1>
              ${tabs(id, drawing)} ${await drawing.draw(reader, given(query))}`,
          }),
        ),
      ),
  });

const tabs = (id: string, shown: Drawing): Html =>
  html`<nav aria-label="Store">
    <a href="/_/stores/${encodeURIComponent(id)}">Store</a>
    ${DRAWINGS.map(
      (each) =>
        html`<a
          href="/_/stores/${encodeURIComponent(id)}/${each.path}"
          ${each === shown && html`aria-current="page"`}
          >${each.title}</a
        > `,
    )}
  </nav>`;

/** The label in the frame of its page: the answer of the API, which this server's pages may frame. */
const labelRoute = defineOperationsRoute({
  ...get,
  id: "pages.console-stores-id-labels-product.get",
  path: "/_/stores/:id/labels/:product",
  summary: "The label of a product as it is printed",
  params: z.object({ id: z.string(), product: z.string() }),
  example: { params: { id: "x", product: "x" } },
  handle: ({ params: { id, product } }, ctx) =>
    behindLogin(ctx, () =>
      readStore(ctx, id, async (reader) => {
        const reply = await printLabel(reader, product);
        if (reply.kind !== "raw") throw new TypeError("A label is not printed as JSON.");
        const headers = Object.fromEntries(
          Object.entries(reply.headers ?? {}).map(([name, value]) => [
            name,
            value.replace("frame-ancestors 'none'", "frame-ancestors 'self'"),
          ]),
        );
        return raw(reply.contentType, reply.body, { headers });
      }),
    ),
});

export const storeRoutes: readonly Route[] = [...DRAWINGS.map(drawingRoute), labelRoute];
