import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { z } from "zod";

import { findPackageRoot } from "../../core/package-root.ts";
import { raw } from "../../core/reply.ts";
import { fail } from "../../lib/errors.ts";
import { defineOperationsRoute } from "../../operations/context.ts";
import type { Namespace } from "../../http/namespace.ts";
import { etagOf } from "../pages/etag.ts";
import { probesNamespace } from "../pages/probes.ts";

/** THE list of files that may be served; the build copies them from `client/`. */
const FILES = [
  "shared",
  "menu-view",
  "sf-menu",
  "sf-allergens",
  "sf-delivery",
  "sf-reviews",
  "sf-form",
  "sf-tier",
] as const;

const loaded = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

function load(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const loading = readFile(join(findPackageRoot(), "dist", "elements", `${name}.js`)).then(
    (bytes) => new Uint8Array(bytes),
  );
  loaded.set(name, loading);
  // A file that is not built yet may be there at the next request.
  loading.catch(() => loaded.delete(name));
  return loading;
}

/** A module that pages of any origin may load; it holds nothing of a store. */
async function moduleOf(name: string) {
  const body = await load(name);
  return raw("text/javascript; charset=utf-8", body, {
    headers: {
      ETag: etagOf(body),
      "Cache-Control": "public, max-age=300",
      "Access-Control-Allow-Origin": "*",
      "Cross-Origin-Resource-Policy": "cross-origin",
    },
  });
}

const script = { data: z.string(), rawType: "text/javascript", hidden: true, method: "GET" } as const;

const entryRoute = defineOperationsRoute({
  ...script,
  id: "pages.elements.entry",
  path: "/elements.js",
  summary: "Script of the storefront elements",
  example: {},
  handle: () => moduleOf("elements"),
});

const partRoute = defineOperationsRoute({
  ...script,
  id: "pages.elements.part",
  path: "/elements/:file",
  summary: "One of the storefront elements",
  params: z.object({ file: z.string() }),
  example: { params: { file: "sf-menu.js" } },
  handle: async ({ params: { file } }) => {
    const name = FILES.find((each) => `${each}.js` === file);
    if (name === undefined) throw fail("not_found", "No resource matches this path.");
    return moduleOf(name);
  },
});

/** Apart from the pages: all visitors of a shop load these, many of them from one address of a mobile network. */
export const elementsNamespace: Namespace = { ...probesNamespace, routes: [entryRoute, partRoute] };
