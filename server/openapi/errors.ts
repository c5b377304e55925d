import { conflictWhen, ERRORS } from "../lib/errors.ts";
import type { ErrorType } from "../lib/errors.ts";
import type { Endpoint } from "../http/namespace.ts";
import { missing, stale } from "../core/route.ts";
import type { Route } from "../core/route.ts";
import { headerRefs, KEY_HEADERS } from "./headers.ts";
import type { Json } from "./schemas.ts";

type Declared = Route["errors"][number];

/**
 * Error responses of an operation: one for each status for which the route declares a reason of its own, with its codes, and
 * `default` for what any request of its kind can be refused for; its `x-statuses` lists them.
 */
export function errorResponses(endpoint: Endpoint): Record<string, Json> {
  const types = requestErrors(endpoint);
  const { errors } = endpoint.route;
  const own = new Set(
    errors.filter((error) => !types.includes(error.type) || hasReason(error)).map(({ type }) => type),
  );
  return {
    ...Object.fromEntries(
      Array.from(own, (type): [string, Json] => [
        String(ERRORS[type].status),
        declaredResponse(
          type,
          errors.filter((error) => error.type === type),
        ),
      ]),
    ),
    default: defaultResponse(types, endpoint),
  };
}

/** A missing resource and a stale version say no more than `default` does. */
const hasReason = ({ when }: Declared): boolean => when !== missing.when && when !== stale.when;

/** The response to a read of what the client has already. */
export const responseComponents = (): Record<string, Json> => ({
  "304": {
    description: "Not changed since the ETag in If-None-Match.",
    headers: headerRefs(["ETag"]),
  },
});

export const errorTypes = (): ErrorType[] => Object.keys(ERRORS).filter((type) => isErrorType(type));

const isErrorType = (type: string): type is ErrorType => Object.hasOwn(ERRORS, type);

type Auth = Endpoint["namespace"]["auth"];

/** What requests of this kind are refused for whatever their route. */
const sharedCodes = (type: ErrorType, { namespace, route }: Endpoint): readonly Declared[] =>
  [...SHARED_CODES[namespace.auth], ...(isKeyWrite(namespace.auth, route) ? WRITE_CODES : [])].filter(
    (declared) => declared.type === type,
  );

const isKeyWrite = (auth: Auth, { method }: Endpoint["route"]): boolean => auth === "key" && method !== "GET";

const WRITE_CODES: readonly Declared[] = [
  conflictWhen("request_in_progress", "A request with the same Idempotency-Key is still being processed."),
  conflictWhen(
    "response_not_replayable",
    "The first response to this Idempotency-Key contained a secret that is shown only once.",
  ),
  conflictWhen(
    "quota_exceeded",
    "The write would exceed the storage quota of the store. Delete data or choose a larger plan.",
  ),
];

const KEY_CODES: readonly Declared[] = [
  conflictWhen(
    "collection_too_large",
    "The request evaluates all resources of a kind, and there are more than it can evaluate.",
  ),
  {
    type: "service_unavailable",
    code: "contention",
    when: "Too many requests are changing the same resource.",
  },
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

const OPERATOR_CODES: readonly Declared[] = [
  {
    type: "forbidden",
    code: "insufficient_role",
    when: "The operator whose token was sent has another role than this route requires.",
  },
];

const SHARED_CODES: Readonly<Record<Auth, readonly Declared[]>> = {
  key: KEY_CODES,
  admin: OPERATOR_CODES,
  none: [],
};

/** What any request of its kind can be refused for. */
function requestErrors({ namespace, route, path }: Endpoint): ErrorType[] {
  const hasParams = path.includes("/:");
  const types: [ErrorType, boolean][] = [
    ["bad_request", true],
    ["unauthorized", namespace.auth !== "none"],
    ["forbidden", namespace.auth !== "none"],
    ["not_found", hasParams],
    ["conflict", namespace.auth === "key"],
    ["precondition_failed", takesIfMatch({ namespace, route, path })],
    ["request_timeout", route.body !== null],
    // Of the body, or of what a POST without one writes: the HTML of a draft that is published.
    ["content_too_large", route.body !== null || route.method === "POST"],
    ["unsupported_media_type", route.body !== null],
    [
      "unprocessable_content",
      namespace.auth !== "none" || route.body !== null || route.query !== null || hasParams,
    ],
    ["too_many_requests", namespace.auth !== "none" || route.open !== null],
    ["request_header_fields_too_large", true],
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

function defaultResponse(types: readonly ErrorType[], endpoint: Endpoint): Json {
  const codes = types.flatMap((type) => sharedCodes(type, endpoint));
  const lines = types.map((type) =>
    [
      `- ${ERRORS[type].status} \`${type}\``,
      ...sharedCodes(type, endpoint).map(({ code }) => `\`${code}\``),
    ].join(" "),
  );
  return {
    description: `Any other error\n\n${lines.join("\n")}`,
    headers: headerRefs([
      ...(endpoint.namespace.auth === "key" ? KEY_HEADERS : ["X-Request-Id"]),
      "Link",
      ...types.flatMap(headersOf),
    ]),
    content: PROBLEM,
    "x-statuses": types.map((type) => ERRORS[type].status),
    ...(codes.length === 0 ? {} : { "x-codes": codes.map(({ code }) => code) }),
  };
}

/** Codes of its own; it can have those of `default` as well. */
function declaredResponse(type: ErrorType, declared: readonly Declared[]): Json {
  const codes = declared.flatMap(({ code }) => (code === undefined ? [] : [code]));
  const lines = declared.map(toLine).join("\n");
  return {
    // A code says more than the title of its status does.
    description: codes.length === 0 ? [ERRORS[type].title, lines].filter(Boolean).join("\n\n") : lines,
    content: PROBLEM,
    ...(codes.length === 0 ? {} : { "x-codes": codes }),
  };
}

/** What the codes mean that a route need not declare, as Markdown. */
export const sharedCodeLines = (): string =>
  [...KEY_CODES, ...WRITE_CODES, ...OPERATOR_CODES].map(toLine).join("\n");

const toLine = ({ code, when }: Declared): string =>
  code === undefined ? `- ${when}` : `- \`${code}\`: ${when}`;

const PROBLEM: Json = { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } };

/** A body of each error. */
export const errorExamples = (): Json[] =>
  errorTypes().map((type) => {
    const { status, title } = ERRORS[type];
    return { error: { type, title, status, detail: EXAMPLE_DETAILS[type] ?? title } };
  });

/** Headers that only this error carries, always. */
export const headersOf = (type: ErrorType): readonly string[] => HEADERS[type] ?? [];

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
  request_timeout: "The request was not received in time.",
  content_too_large: "The request body exceeds the limit of 1048576 bytes.",
  unprocessable_content: "1 field is invalid.",
  request_header_fields_too_large: "The request line and headers exceed the limit of 16384 bytes.",
  too_many_requests: "Rate limit of 60 requests per minute exceeded. Retry in 47 seconds.",
};
