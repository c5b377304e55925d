import { z } from "zod";

import { ERRORS, fail } from "../../lib/errors.ts";
import type { ErrorType } from "../../lib/errors.ts";
import { errorTypes } from "../../openapi/errors.ts";
import { defineOperationsRoute } from "../../operations/context.ts";
import { html } from "../../lib/html.ts";
import { page } from "./layout.ts";

interface Advice {
  readonly means: string;
  readonly mend: string;
}

/** What each type of error means and what its reader can do; a type without advice does not compile. */
const ADVICE: Readonly<Record<ErrorType, Advice>> = {
  bad_request: {
    means:
      "The request could not be read: the JSON is malformed, not UTF-8, nested too deeply, or the URL is broken.",
    mend: "Look at the place that the detail names. Send JSON in UTF-8 made by a JSON library, not by joining text.",
  },
  unauthorized: {
    means:
      "No API key was sent, or the key is not ACTIVE: it is unknown, revoked, expired or not active yet.",
    mend: "Send the header Authorization: Bearer <API_KEY>, once. If the key was lost or has expired, sign up again with the same address and store: the mail offers a new key.",
  },
  forbidden: {
    means:
      "The key is good, but it may not do this: its scopes do not cover the route, or it does not own the store in X-Service-Store.",
    mend: "The header WWW-Authenticate names the missing scope; use a key that has it. For a store, use a key of that store, or a plan with several stores.",
  },
  not_found: {
    means: "Nothing is at this path for this store. What belongs to another store is answered the same way.",
    mend: "Check the path against the reference, and that the id belongs to the store that the key speaks for.",
  },
  method_not_allowed: {
    means: "The path exists, but not for this method.",
    mend: "The header Allow lists the methods that are possible here.",
  },
  request_timeout: {
    means: "The request did not arrive completely within the time that the server waits.",
    mend: "Send it again. On a slow line, send smaller bodies.",
  },
  conflict: {
    means:
      "The request is fine, but the present state does not allow it; error.code says which rule of which engine applies. It is also the answer while a request with the same Idempotency-Key still runs.",
    mend: "Read the resource, decide anew. Where Retry-After is sent, simply repeat the request after that many seconds.",
  },
  gone: {
    means:
      "It was here once and is no longer: a link that was used or has expired, or a version of the API after its end.",
    mend: "Ask for a new link: sign up again with the same address and store.",
  },
  precondition_failed: {
    means: "The resource changed since the version that If-Match names; nothing was written.",
    mend: "Read the resource again, apply your change to what you see, and send its new ETag as If-Match.",
  },
  content_too_large: {
    means: "The body is larger than the server accepts.",
    mend: "Send less at once. The detail names the limit in bytes.",
  },
  unsupported_media_type: {
    means: "The body is not declared as JSON.",
    mend: "Send the header Content-Type: application/json.",
  },
  unprocessable_content: {
    means:
      "The request was read, but something in it is missing or wrong. It is also the answer when an Idempotency-Key is used again with another request.",
    mend: "error.errors lists each place: pointer leads into the body, parameter names a query parameter, header a header.",
  },
  too_many_requests: {
    means:
      "The key has used up its requests of the current window of 60 seconds. Without X-RateLimit headers: too many requests without a valid key came from one address within a minute, or a visitor asked too often.",
    mend: "Wait as many seconds as Retry-After says. Slow down while X-RateLimit-Remaining nears 0, or choose a larger plan. Where keys were refused before, mend the key: one that is valid is answered from the same address all the while.",
  },
  request_header_fields_too_large: {
    means: "The headers of the request are larger than the server accepts (16 KiB).",
    mend: "Send fewer or shorter headers; cookies are never needed here.",
  },
  internal_server_error: {
    means: "A mistake on our side. Nothing that was answered this way has been half done.",
    mend: "Repeat a write with the same Idempotency-Key. If it stays, write to support and quote X-Request-Id.",
  },
  service_unavailable: {
    means: "The server cannot reach or write its storage at the moment, or is about to stop.",
    mend: "Repeat the request after Retry-After seconds, a write with the same Idempotency-Key.",
  },
};

export const errorIndexRoute = defineOperationsRoute({
  id: "pages.errors.list",
  method: "GET",
  path: "/docs/errors",
  summary: "Every type of error",
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
          <code>type</code> is one of these; its <code>detail</code> is written for people. The header
          <code>Link</code> leads to the page of the type.
        </p>
        <p class="soft">
          Tools that follow RFC 9457 see the object as one extension member called <code>error</code>.
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
  summary: "What a type of error means and what to do",
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
        <h2>What to do</h2>
        <p>${ADVICE[type].mend}</p>
        <h2>What it looks like</h2>
        <pre>
HTTP/1.1 ${status} ${title}
Content-Type: application/problem+json

${sample}</pre>`,
    });
  },
});
