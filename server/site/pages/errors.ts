import { z } from "zod";

import { ERRORS, fail } from "../../lib/errors.ts";
import type { ErrorType } from "../../lib/errors.ts";
import { errorTypes } from "../../openapi/errors.ts";
import { defineOperationsRoute } from "../../operations/context.ts";
import { html } from "../../lib/html.ts";
import { page } from "./layout.ts";

interface Advice {
  readonly means: string;
  readonly remedy: string;
}

/** What each type of error means and what its reader can do; a type without advice does not compile. */
const ADVICE: Readonly<Record<ErrorType, Advice>> = {
  bad_request: {
    means:
      "The request could not be parsed: the JSON is malformed, not UTF-8 or nested too deeply, or the URL is invalid.",
    remedy: "Check the position given in detail. Use a JSON library to create the body, encoded as UTF-8.",
  },
  unauthorized: {
    means:
      "The request has no API key, or the key is not active: it is unknown, revoked, expired or pending.",
    remedy:
      "Send the header Authorization: Bearer <API_KEY>. If the key is lost or has expired, sign up again with the same address and store to get a new key by mail.",
  },
  forbidden: {
    means:
      "The key is valid but lacks the required permission: its scopes do not include the scope of the route, or the store in X-Service-Store does not belong to it.",
    remedy:
      "The header WWW-Authenticate contains the missing scope. Use a key that has it. For another store, use a key of that store, or a plan with several stores.",
  },
  not_found: {
    means:
      "No resource exists at this path in this store. Resources of other stores are reported in the same way.",
    remedy: "Check the path in the reference, and that the id belongs to the store of the key.",
  },
  method_not_allowed: {
    means: "The path exists but does not support this HTTP method.",
    remedy: "Use one of the methods in the header Allow.",
  },
  request_timeout: {
    means: "The server timed out waiting for the complete request.",
    remedy: "Retry the request. On a slow connection, send smaller bodies.",
  },
  conflict: {
    means:
      "The request is valid but conflicts with the current state of the resource; error.code identifies the rule. Also returned while a request with the same Idempotency-Key is being processed.",
    remedy:
      "Fetch the resource and decide how to proceed. If Retry-After is present, retry the request after that number of seconds.",
  },
  gone: {
    means:
      "The resource no longer exists: for example a link that was used or has expired, or a version of the API that was removed.",
    remedy: "Request a new link: sign up again with the same address and store.",
  },
  precondition_failed: {
    means: "The resource has changed since the version given in If-Match. Nothing was written.",
    remedy: "Fetch the resource again, apply your change, and send its current ETag as If-Match.",
  },
  content_too_large: {
    means: "The request body exceeds the size limit.",
    remedy: "Send a smaller body. detail contains the limit in bytes.",
  },
  unsupported_media_type: {
    means: "The Content-Type of the request is not supported.",
    remedy: "Send the header Content-Type: application/json.",
  },
  unprocessable_content: {
    means:
      "The request was parsed, but a value is missing or invalid. Also returned when an Idempotency-Key is reused with a different request.",
    remedy:
      "error.errors lists each problem: pointer is a JSON pointer into the body, parameter a query parameter, header a header.",
  },
  too_many_requests: {
    means:
      "A limit has been exceeded; detail states which. Where X-RateLimit-Remaining is 0, the key has used its requests of the current window of 60 seconds. Where it is more, a budget of the plan (CPU time, mails, requests to other servers) or the limit of one visitor. Without X-RateLimit headers: too many requests without a valid key from one IP address.",
    remedy:
      "Wait for the number of seconds in Retry-After: for a budget up to a day, so limit how long a client waits. GET /v1/account/usage/budgets shows the budgets. Slow down as X-RateLimit-Remaining approaches 0, or choose a larger plan. If requests failed with 401 before, correct the key: requests with a valid key are not affected.",
  },
  request_header_fields_too_large: {
    means: "The request headers exceed the limit of 16 KiB, or are more than 200.",
    remedy: "Send fewer or shorter headers. Cookies are never required.",
  },
  internal_server_error: {
    means: "An unexpected error on the server. The request was not partially applied.",
    remedy:
      "Retry a write with the same Idempotency-Key. If the error persists, contact support and include X-Request-Id.",
  },
  service_unavailable: {
    means: "The storage is temporarily unavailable, or the server is busy or shutting down.",
    remedy:
      "Retry the request after the number of seconds in Retry-After; retry a write with the same Idempotency-Key.",
  },
};

/** What a reader can do about an error of a type. */
export const remedyOf = (type: ErrorType): string => ADVICE[type].remedy;

export const errorIndexRoute = defineOperationsRoute({
  id: "pages.errors.list",
  method: "GET",
  path: "/docs/errors",
  summary: "Error types",
  data: z.string(),
  rawType: "text/html",
  hidden: true,
  example: {},
  async handle() {
    const rows = errorTypes().map(
      (type) =>
        html`<li>
          <a href="/docs/errors/${type}"><code>${type}</code></a>
          <span class="meta">${ERRORS[type].status} ${ERRORS[type].title}. ${ADVICE[type].means}</span>
        </li>`,
    );
    return page({
      title: "Errors",
      body: html`<h1>Errors</h1>
        <p>
          Every error is <code>application/problem+json</code> with one object, <code>error</code>. Its
          <code>type</code> is one of the following; its <code>detail</code> is a human-readable message. The
          <code>Link</code> header contains the URL of the page of the type.
        </p>
        <p class="soft">
          RFC 9457 clients see the object as a single extension member named <code>error</code>.
        </p>
        <p>
          Where <code>error.code</code> is present, it identifies the rule:
          <a href="/docs/error-codes">all codes by engine</a>.
        </p>
        <ul class="rows">
          ${rows}
        </ul>`,
    });
  },
});

const isErrorType = (type: string): type is ErrorType => Object.hasOwn(ERRORS, type);

export const errorRoute = defineOperationsRoute({
  id: "pages.errors.get",
  method: "GET",
  path: "/docs/errors/:type",
  summary: "Documentation of an error type",
  params: z.object({ type: z.string() }),
  data: z.string(),
  rawType: "text/html",
  hidden: true,
  example: { params: { type: "unauthorized" } },
  async handle({ params: { type } }) {
    if (!isErrorType(type)) throw fail("not_found", "No resource matches this path.");
    const { status, title } = ERRORS[type];
    const sample = JSON.stringify({ error: { type, title, status, detail: "…" } }, null, 2);
    return page({
      title: `${status} ${title}`,
      body: html`<p class="soft"><a href="/docs/errors">Errors</a></p>
        <h1>${status} ${title}</h1>
        <p class="lead"><code>${type}</code></p>
        <h2>What it means</h2>
        <p>${ADVICE[type].means}</p>
        <h2>How to resolve it</h2>
        <p>${ADVICE[type].remedy}</p>
        <h2>Example</h2>
        <pre>
HTTP/1.1 ${status} ${title}
Content-Type: application/problem+json

${sample}</pre>`,
    });
  },
});
