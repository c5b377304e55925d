import { createRouterOf } from "../http/namespace.ts";
import type { Namespace } from "../http/namespace.ts";
import type { EventType } from "../core/engine.ts";
import { responseComponents } from "./errors.ts";
import { headerComponents, parameterComponents } from "./headers.ts";
import { toOperation, toTemplate } from "./operation.ts";
import { createSchemaPool } from "./schemas.ts";
import type { Json } from "./schemas.ts";
import { webhookPaths } from "./webhooks.ts";
import { securitySchemes, sharedSchemas } from "./shared.ts";

export interface OpenApiSource {
  readonly namespaces: readonly Namespace[];
  /** Types of event that are sent to those who ask for them. */
  readonly events: readonly EventType[];
  /** Public address without a slash at the end. */
  readonly baseUrl: string;
  /** Version of the service, not of the API: that one is in the path. */
  readonly version: string;
  /** The first page of the reference, in Markdown. */
  readonly introduction: (baseUrl: string) => string;
}

/** The OpenAPI 3.1 document of every route that is not hidden. The same registry gives the same document. */
export function createOpenApi({ namespaces, events, baseUrl, version, introduction }: OpenApiSource): Json {
  const pool = createSchemaPool(sharedSchemas());
  const shown = createRouterOf(namespaces).endpoints.filter(({ route }) => !route.hidden);
  const paths: Record<string, Record<string, Json>> = {};
  for (const endpoint of shown) {
    const operations = (paths[toTemplate(endpoint.path)] ??= {});
    operations[endpoint.route.method.toLowerCase()] = toOperation(endpoint, pool);
  }
  // Two namespaces may share a name, where what they serve lies in different places.
  const tagged = new Map(shown.map(({ namespace }) => [namespace.name, namespace.summary]));
  return {
    openapi: "3.1.0",
    info: {
      title: "Storefront platform",
      version,
      description: introduction(baseUrl),
    },
    servers: [{ url: baseUrl }],
    tags: [
      ...Array.from(tagged, ([name, description]) => ({ name, description })),
      { name: "webhooks", description: "Events sent to your endpoints" },
    ],
    paths,
    webhooks: webhookPaths(events),
    components: {
      schemas: pool.schemas,
      responses: responseComponents(),
      headers: headerComponents(),
      parameters: parameterComponents(),
      securitySchemes,
    },
  };
}

/** `createOpenApi` as JSON text, of all namespaces with all events or of the namespaces of one name, made once per address. */
export function createOpenApiText({
  namespaces,
  version,
  introduction,
}: Pick<OpenApiSource, "namespaces" | "version" | "introduction">): (
  baseUrl: string,
  events: OpenApiSource["events"],
  name?: string,
) => string {
  const made = new Map<string, string>();
  return (baseUrl, events, name) => {
    const at = `${name ?? ""} ${baseUrl}`;
    const part =
      name === undefined
        ? { namespaces, events }
        : { namespaces: namespaces.filter((one) => one.name === name), events: [] };
    const text = made.get(at) ?? JSON.stringify(createOpenApi({ ...part, baseUrl, version, introduction }));
    made.set(at, text);
    return text;
  };
}
