import { z } from "zod";

import { mountRoutes } from "../http/namespace.ts";
import type { Endpoint, Namespace } from "../http/namespace.ts";
import type { Method } from "../core/route.ts";

export type JsonSchema = z.core.JSONSchema.JSONSchema;

/** A route as a client needs it to find it: plain data, so that a client need not load the engines. */
export interface RouteLine {
  readonly id: string;
  readonly namespace: string;
  readonly auth: Namespace["auth"];
  readonly method: Method;
  /** Full path with `:name` parameters. */
  readonly path: string;
  readonly scope: string | null;
  readonly summary: string;
  readonly isList: boolean;
  /** The answer holds a secret that is shown once. */
  readonly sensitive: boolean;
  readonly hasBody: boolean;
  /** Also accepts multipart/form-data. */
  readonly isMultipart: boolean;
  readonly answers: Answers;
}

/** What a success of a route looks like on the wire. */
export interface Answers {
  /** `envelope`: `{data, meta}`. `json`: another JSON document. `empty`: 204. `raw`: one of `types`. */
  readonly kind: "envelope" | "json" | "empty" | "raw";
  /** Media types outside the envelope, without their parameters. */
  readonly types: readonly string[];
}

/** What a client needs to call a route: by route id, one file for each namespace. */
export interface RouteDetails {
  readonly description: string;
  readonly query: JsonSchema | null;
  readonly body: JsonSchema | null;
  readonly example: {
    readonly params: Readonly<Record<string, string>>;
    readonly query: unknown;
    readonly body: unknown;
  };
  /** Refusals of its own, with what they mean. */
  readonly errors: readonly string[];
}

export type NamespaceDetails = Readonly<Record<string, RouteDetails>>;

/** A group of routes that a key can call: an engine, or the account. */
export interface NamespaceLine {
  readonly name: string;
  readonly summary: string;
}

/** One line for each name: the account has several mounts. */
export function listNamespaces(namespaces: readonly Namespace[]): NamespaceLine[] {
  const callable = namespaces.filter(
    ({ auth, routes }) => auth === "key" && routes.some(({ hidden }) => !hidden),
  );
  return callable
    .filter(({ name }, index) => callable.findIndex((other) => other.name === name) === index)
    .map(({ name, summary }) => ({ name, summary }));
}

/** The routes that are meant to be called, in the registry's order. */
export const listRoutes = (namespaces: readonly Namespace[]): RouteLine[] => shown(namespaces).map(toLine);

/** Schemas and examples of one namespace's routes. */
export const detailRoutes = (namespaces: readonly Namespace[], name: string): NamespaceDetails =>
  Object.fromEntries(
    shown(namespaces.filter((namespace) => namespace.name === name)).map((endpoint) => [
      endpoint.route.id,
      toDetails(endpoint),
    ]),
  );

const shown = (namespaces: readonly Namespace[]): Endpoint[] =>
  mountRoutes(namespaces).endpoints.filter(({ route }) => !route.hidden);

const toLine = ({ route, namespace, path, scope }: Endpoint): RouteLine => ({
  id: route.id,
  namespace: namespace.name,
  auth: namespace.auth,
  method: route.method,
  path,
  scope,
  summary: route.summary,
  isList: route.isList,
  sensitive: route.sensitive,
  hasBody: route.body !== null,
  isMultipart: route.form === "multipart",
  answers: answersOf(route, namespace),
});

function answersOf({ rawType, otherTypes, status }: Endpoint["route"], { envelope }: Namespace): Answers {
  const kind = rawType !== null ? "raw" : status === 204 ? "empty" : envelope ? "envelope" : "json";
  const types = [...(rawType === null ? [] : [rawType]), ...otherTypes];
  return { kind, types: types.map((type) => type.split(";", 1)[0] ?? "") };
}

const toDetails = ({ route }: Endpoint): RouteDetails => ({
  description: route.description,
  query: inputSchema(route.query),
  body: inputSchema(route.body),
  example: {
    params: route.example.params ?? {},
    query: route.example.query ?? null,
    body: route.example.body ?? null,
  },
  errors: route.errors.map(({ type, code, when }) => `${code ?? type}: ${when}`),
});

/** The JSON schema of what is sent. */
export const inputSchema = (schema: z.ZodType | null): JsonSchema | null =>
  schema === null ? null : z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
