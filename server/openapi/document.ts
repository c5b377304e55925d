import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

import { mountRoutes } from "../http/namespace.ts";
import type { Namespace } from "../http/namespace.ts";
import type { EventType } from "../core/engine.ts";
import { responseComponents } from "./errors.ts";
import { withExamples } from "./examples.ts";
import type { Examples } from "./examples.ts";
import { headerComponents, parameterComponents } from "./headers.ts";
import { inheritSteps } from "./inherit.ts";
import { listParameters, toOperation, toTemplate } from "./operation.ts";
import { createSchemaPool } from "./schemas.ts";
import type { Json } from "./schemas.ts";
import { eventParameters, webhookPaths } from "./webhooks.ts";
import { sharePartsSteps } from "./share.ts";
import { placeSingles } from "./single.ts";
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
export function createOpenApi(source: OpenApiSource): Json {
  const steps = openApiSteps(source);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The same in steps of one route or schema: all of them take seconds, in which no other request would be served. */
function* openApiSteps({
  namespaces,
  events,
  baseUrl,
  version,
  introduction,
}: OpenApiSource): Generator<undefined, Json> {
  const pool = createSchemaPool(sharedSchemas());
  const shown = mountRoutes(namespaces).endpoints.filter(({ route }) => !route.hidden);
  const paths: Record<string, Record<string, Json>> = {};
  for (const endpoint of shown) {
    const operations = (paths[toTemplate(endpoint.path)] ??= {});
    operations[endpoint.route.method.toLowerCase()] = toOperation(endpoint, pool);
    yield;
  }
  // Two namespaces may share a name, where their paths differ.
  const tagged = new Map(shown.map(({ namespace }) => [namespace.name, namespace.summary]));
  const written = yield* inheritSteps(
    yield* sharePartsSteps({
      paths: Object.fromEntries(
        Object.entries(paths).map(([path, item]) => [path, withPathParameters(item)]),
      ),
      webhooks: webhookPaths(events),
      schemas: pool.schemas,
      responses: responseComponents(),
      parameters: { ...parameterComponents(), ...listParameters(), ...eventParameters },
    }),
  );
  const shared = placeSingles(written);
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
      {
        name: "webhooks",
        description:
          "Events sent to your endpoints. Any other response than 2xx is retried for three days; redirects are not followed. 410 disables the endpoint.",
      },
    ],
    paths: shared.paths,
    webhooks: shared.webhooks,
    components: {
      schemas: shared.schemas,
      responses: shared.responses,
      headers: headerComponents(),
      parameters: shared.parameters,
      securitySchemes,
    },
  };
}

/** The operations of a path with the parameters that all of them have written once, for the path. */
function withPathParameters(item: Readonly<Record<string, Json>>): Json {
  const lists = Object.values(item).map(({ parameters }) => (Array.isArray(parameters) ? parameters : []));
  const [first = [], ...others] = lists.map((list) => list.map((parameter) => JSON.stringify(parameter)));
  const common = new Set(
    others.length === 0 ? [] : first.filter((text) => others.every((list) => list.includes(text))),
  );
  if (common.size === 0) return item;
  const rest = Object.entries(item).map(([method, operation], index): [string, Json] => [
    method,
    withParameters(
      operation,
      (lists[index] ?? []).filter((one) => !common.has(JSON.stringify(one))),
    ),
  ]);
  return { parameters: [...common].map((text): unknown => JSON.parse(text)), ...Object.fromEntries(rest) };
}

function withParameters(operation: Json, own: readonly unknown[]): Json {
  const { parameters: _, ...rest } = operation;
  return own.length === 0 ? rest : { ...operation, parameters: own };
}

/** The document as it is sent. */
export interface OpenApiText {
  readonly text: Uint8Array<ArrayBuffer>;
  readonly gzip: Uint8Array<ArrayBuffer>;
}

/** The document for an address with these types of event, whole or one namespace of it. */
export type OpenApiTextOf = (
  baseUrl: string,
  events: OpenApiSource["events"],
  name: string | null,
) => Promise<OpenApiText>;

/** Where the document that the build wrote has the public address, which is known at run time only. */
export const ADDRESS_PLACE = "https://address.of.this.server.invalid";

/** The document as JSON text, of all namespaces with all events (no name) or of the namespaces of one name. */
export function openApiJson(source: Omit<OpenApiSource, "baseUrl">, name: string | null): string {
  return JSON.stringify(createOpenApi({ ...selectPart(source, name), baseUrl: ADDRESS_PLACE }));
}

const selectPart = <S extends Pick<OpenApiSource, "namespaces" | "events">>(
  source: S,
  name: string | null,
): S =>
  name === null
    ? source
    : { ...source, namespaces: source.namespaces.filter((one) => one.name === name), events: [] };

/**
 * The text of the document, once per address: what the build wrote (null where the source runs or engines were added), or written
 * between other requests, with the examples that the build recorded.
 */
export function createOpenApiText(
  { namespaces, version, introduction }: Pick<OpenApiSource, "namespaces" | "version" | "introduction">,
  read: {
    readonly document: (name: string | null) => Promise<string | null>;
    readonly examples: () => Promise<Examples>;
  },
): OpenApiTextOf {
  const made = new Map<string, Promise<OpenApiText>>();
  const make = async (baseUrl: string, events: OpenApiSource["events"], name: string | null) => {
    const built = await read.document(name);
    const source = { events, version, introduction, baseUrl };
    const json =
      built === null
        ? await writeJson(
            selectPart({ ...source, namespaces: withExamples(namespaces, await read.examples()) }, name),
          )
        : built.replaceAll(ADDRESS_PLACE, () => JSON.stringify(baseUrl).slice(1, -1));
    const text = new TextEncoder().encode(json);
    return { text, gzip: new Uint8Array(await gzipAsync(text)) };
  };
  return (baseUrl, events, name) => {
    const key = `${name ?? ""} ${baseUrl}`;
    const document = made.get(key) ?? make(baseUrl, events, name);
    made.set(key, document);
    return document;
  };
}

async function writeJson(source: OpenApiSource): Promise<string> {
  const steps = openApiSteps(source);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return JSON.stringify(step.value);
    await setImmediate();
  }
}

const gzipAsync = promisify(gzip);
