import { ERRORS } from "../lib/errors.ts";
import type { ErrorType } from "../lib/errors.ts";
import type { Endpoint } from "../http/namespace.ts";
import type { Route } from "../core/route.ts";
import { headerRefs, KEY_HEADERS } from "./headers.ts";
import type { Json } from "./schemas.ts";

type Declared = Route["errors"][number];

/**
 * Error answers of an operation by status: those that the pipeline can give for its kind of route, and those that
 * the route declares, with their codes.
 */
export function errorResponses(endpoint: Endpoint): Record<string, Json> {
  const types = new Set([...pipelineErrors(endpoint), ...endpoint.route.errors.map(({ type }) => type)]);
  return Object.fromEntries(
    [...types].map((type) => {
      const declared = endpoint.route.errors.filter((error) => error.type === type);
      const shared = { $ref: `#/components/responses/${type}` };
      const all = [...declared, ...(endpoint.namespace.auth === "key" ? pageCodes(type) : [])];
      return [String(ERRORS[type].status), declared.length === 0 ? shared : detailed(type, all)];
    }),
  );
}

/** Shared answers without `data`: one per type of the error table, and 304. */
export const responseComponents = (): Record<string, Json> => ({
  not_modified: {
    description: "Not changed since the ETag in If-None-Match.",
    headers: headerRefs([...KEY_HEADERS, "ETag"]),
  },
  ...Object.fromEntries(
    errorTypes().map((type) => {
      const codes = pageCodes(type);
      return [type, codes.length === 0 ? response(type, ERRORS[type].title, []) : detailed(type, codes)];
    }),
  ),
});

export const errorTypes = (): ErrorType[] => Object.keys(ERRORS).filter((type) => isErrorType(type));

const isErrorType = (type: string): type is ErrorType => Object.hasOwn(ERRORS, type);

/** What publishable keys and web pages are refused for, in words of their own. */
const pageCodes = (type: ErrorType): readonly Declared[] => (type === "forbidden" ? PAGE_CODES : []);

const PAGE_CODES: readonly Declared[] = [
  {
    type: "forbidden",
    code: "insufficient_scope",
    when: "A publishable key lacks the scope of this route, or the route does not accept publishable keys.",
  },
  {
    type: "forbidden",
    code: "origin_not_allowed",
    when: "A publishable key was used from an origin that is not listed with `PATCH /v1/account/browser`.",
  },
  {
    type: "forbidden",
    code: "secret_key_in_browser",
    when: "A secret key was used in a browser, where every visitor can read it.",
  },
];

/** What the gates in front of the handler may answer. */
function pipelineErrors({ namespace, route, path }: Endpoint): ErrorType[] {
  const isWrite = route.method !== "GET";
  const hasParams = path.includes("/:");
  const types: [ErrorType, boolean][] = [
    ["bad_request", true],
    ["unauthorized", namespace.auth !== "none"],
    ["forbidden", namespace.auth === "key"],
    ["not_found", hasParams],
    ["conflict", namespace.auth === "key" && isWrite],
    ["precondition_failed", takesIfMatch({ namespace, route, path })],
    ["content_too_large", route.body !== null],
    ["unsupported_media_type", route.body !== null],
    [
      "unprocessable_content",
      namespace.auth !== "none" || route.body !== null || route.query !== null || hasParams,
    ],
    ["too_many_requests", namespace.auth !== "none" || route.open !== null],
    ["internal_server_error", true],
    ["service_unavailable", true],
  ];
  return types.flatMap(([type, applies]) => (applies ? [type] : []));
}

/** A change of one stored resource can be bound to the version that its caller saw. */
export const takesIfMatch = ({ namespace, route, path }: Pick<Endpoint, "namespace" | "route" | "path">) =>
  namespace.part === "store" &&
  path.includes("/:") &&
  (route.method === "PATCH" || route.method === "PUT" || route.method === "DELETE");

function detailed(type: ErrorType, declared: readonly Declared[]): Json {
  const lines = declared.map(({ code, when }) =>
    code === undefined ? `- ${when}` : `- \`${code}\`: ${when}`,
  );
  const codes = declared.flatMap(({ code }) => (code === undefined ? [] : [code]));
  return response(type, `${ERRORS[type].title}\n\n${lines.join("\n")}`, codes);
}

function response(type: ErrorType, description: string, codes: readonly string[]): Json {
  const { status, title } = ERRORS[type];
  const example = { error: { type, title, status, detail: EXAMPLE_DETAILS[type] ?? title } };
  return {
    description,
    headers: headerRefs(["X-Request-Id", "Link", ...(HEADERS[type] ?? [])]),
    content: {
      "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" }, example },
    },
    ...(codes.length === 0 ? {} : { "x-codes": codes }),
  };
}

const HEADERS: Readonly<Partial<Record<ErrorType, readonly string[]>>> = {
  unauthorized: ["WWW-Authenticate"],
  too_many_requests: ["Retry-After"],
  service_unavailable: ["Retry-After"],
};

const EXAMPLE_DETAILS: Readonly<Partial<Record<ErrorType, string>>> = {
  unauthorized: "Provide a valid API key in the Authorization header: Authorization: Bearer <API_KEY>.",
  forbidden: "This API key lacks the scope delivery:write required by POST /v1/delivery/zones.",
  not_found: "No resource with this id.",
  conflict: "A request with the same Idempotency-Key is still being processed.",
  precondition_failed:
    "The resource has changed since the version given in If-Match. Fetch it again and retry with its current ETag.",
  content_too_large: "The request body exceeds the limit of 1048576 bytes.",
  unprocessable_content: "1 field is invalid.",
  too_many_requests: "Rate limit of 60 requests per minute exceeded. Retry in 47 seconds.",
};
