import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";

import { z } from "zod";

import type { Namespace } from "../../http/namespace.ts";
import { fail } from "../../lib/errors.ts";
import { raw } from "../../core/reply.ts";
import type { Route } from "../../core/route.ts";
import { findBuilt, packageVersion } from "../../core/package-root.ts";
import { introduction } from "../docs/introduction.ts";
import { createOpenApiText } from "../../openapi/document.ts";
import type { OpenApiTextOf } from "../../openapi/document.ts";
import type { Examples } from "../../openapi/examples.ts";
import { defineOperationsRoute } from "../../operations/context.ts";
import { eventTypesOf } from "../../accounts/event-types.ts";
import { etagOf } from "./etag.ts";

/** What the document is made of, but for events and the public address. */
export const openApiSource = (documented: readonly Namespace[]) => ({
  namespaces: documented,
  version: packageVersion(),
  introduction,
});

/** File of a part of the document, in the folder `openapi` of the build. */
export const openApiFile = (name: string | null): string => `${name ?? "index"}.json.gz`;

/** File of the recorded examples of the routes, next to it. */
export const EXAMPLES_FILE = "examples.json.gz";

/** What the build wrote; null where the source runs. */
async function readBuilt(file: string): Promise<string | null> {
  const built = findBuilt();
  if (built === null) return null;
  return String(await promisify(gunzip)(await readFile(join(built, "openapi", file))));
}

/** What the build recorded; none where the source runs. */
export async function readExamples(): Promise<Examples> {
  // The build writes what `recordExamples` returns.
  return JSON.parse((await readBuilt(EXAMPLES_FILE)) ?? "{}") as Examples;
}

/** The document of these namespaces. `isBuilt`: the build wrote it. */
export const openApiTextOf = (documented: readonly Namespace[], isBuilt: boolean): OpenApiTextOf =>
  createOpenApiText(openApiSource(documented), {
    document: async (name) => (isBuilt ? readBuilt(openApiFile(name)) : null),
    examples: readExamples,
  });

/** `/openapi.json`: what the registry of this very process answers, whole or one namespace of it. */
export function openApiRoute(documented: readonly Namespace[], text: OpenApiTextOf): Route {
  return defineOperationsRoute({
    id: "pages.openapi.get",
    method: "GET",
    path: "/openapi.json",
    summary: "OpenAPI 3.1 document",
    data: z.string(),
    rawType: "application/json",
    hidden: true,
    query: z.object({ namespace: z.string().optional() }),
    example: {},
    async handle({ query: { namespace } }, { deps, header }) {
      if (namespace !== undefined && !documented.some(({ name }) => name === namespace)) {
        throw fail("not_found", "No resource matches this path.");
      }
      const document = await text(deps.config.baseUrl, eventTypesOf(deps.engines), namespace ?? null);
      const isGzip = GZIP.test(header("accept-encoding") ?? "");
      const body = isGzip ? document.gzip : document.text;
      return raw("application/json", body, {
        headers: {
          ETag: etagOf(body),
          "Cache-Control": "no-cache",
          Vary: "Accept-Encoding",
          ...(isGzip ? { "Content-Encoding": "gzip" } : {}),
        },
      });
    },
  });
}

/** Named, and not with a weight of zero. */
const GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;
