import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { z } from "zod";

import { fail } from "../../lib/errors.ts";
import { raw } from "../../core/reply.ts";
import { findPackageRoot } from "../../core/package-root.ts";
import { defineOperationsRoute } from "../../operations/context.ts";
import { etagOf } from "./etag.ts";

interface Asset {
  readonly contentType: string;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

/**
 * THE list of files that may be served: a name is looked up here, it never reaches the file system as it came.
 * The build puts them into `dist/assets`, from `vendor/` and `client/`.
 */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  "rapidoc-min.js": "text/javascript; charset=utf-8",
  "rapidoc-min.js.LICENSE.txt": "text/plain; charset=utf-8",
  "rapidoc.LICENSE.txt": "text/plain; charset=utf-8",
  "docs.js": "text/javascript; charset=utf-8",
  "copy.js": "text/javascript; charset=utf-8",
  "search.js": "text/javascript; charset=utf-8",
  "console.js": "text/javascript; charset=utf-8",
};

const loaded = new Map<string, Promise<Asset>>();

function loadAsset(name: string): Promise<Asset> {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const loading = readAsset(name);
  loaded.set(name, loading);
  // A file that is not built yet may be there at the next request.
  loading.catch(() => loaded.delete(name));
  return loading;
}

async function readAsset(name: string): Promise<Asset> {
  const body = new Uint8Array(await readFile(join(findPackageRoot(), "dist", "assets", name)));
  return { contentType: CONTENT_TYPES[name] ?? "application/octet-stream", body, etag: etagOf(body) };
}

/** Address of an asset with a mark of its content, so that browsers may cache it permanently. */
export async function assetUrl(name: string): Promise<string> {
  const { etag } = await loadAsset(name);
  return `/docs/assets/${name}?v=${markOf(etag)}`;
}

const markOf = (etag: string): string => etag.slice(1, 13);

export const assetRoute = defineOperationsRoute({
  id: "pages.assets.get",
  method: "GET",
  path: "/docs/assets/:name",
  summary: "Asset of the documentation",
  data: z.string(),
  rawType: "application/octet-stream",
  hidden: true,
  params: z.object({ name: z.string() }),
  query: z.object({ v: z.string().optional() }),
  example: { params: { name: "docs.js" } },
  async handle({ params: { name }, query: { v } }) {
    if (!Object.hasOwn(CONTENT_TYPES, name)) throw fail("not_found", "No resource matches this path.");
    const { contentType, body, etag } = await loadAsset(name);
    // Only an address that carries the mark of this very content may be cached permanently.
    const caching = v === markOf(etag) ? "public, max-age=31536000, immutable" : "no-cache";
    return raw(contentType, body, { headers: { ETag: etag, "Cache-Control": caching } });
  },
});
