import { readFileSync } from "node:fs";
import { join } from "node:path";

import { z } from "zod";

import type { Namespace } from "../../http/namespace.ts";
import { fail } from "../../lib/errors.ts";
import { raw } from "../../core/route.ts";
import type { Route } from "../../core/route.ts";
import { findPackageRoot } from "../../core/package-root.ts";
import { introduction } from "../docs/introduction.ts";
import { createOpenApiText } from "../../openapi/document.ts";
import { defineOperationsRoute } from "../../operations/context.ts";
import { eventTypesOf } from "../../accounts/event-types.ts";
import { etagOf } from "./etag.ts";

/** `/openapi.json`: what the registry of this very process answers, whole or one namespace of it. */
export function openApiRoute(documented: readonly Namespace[]): Route {
  const text = createOpenApiText({ namespaces: documented, version: packageVersion(), introduction });
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
      const document = await text(deps.config.baseUrl, eventTypesOf(deps.engines), namespace);
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

const Manifest = z.object({ version: z.string() });

/** Version of this package. */
export const packageVersion = (): string =>
  Manifest.parse(JSON.parse(readFileSync(join(findPackageRoot(), "package.json"), "utf8"))).version;
