import type { Endpoint } from "../../http/namespace.ts";
import { ERRORS } from "../../lib/errors.ts";
import type { ErrorType } from "../../lib/errors.ts";
import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { remedyOf } from "../pages/errors.ts";

/** A code of an engine, as its routes declare it. */
export interface CodeEntry {
  readonly code: string;
  readonly type: ErrorType;
  readonly causes: readonly string[];
  /** Ids of the routes. */
  readonly routes: readonly string[];
}

/** The codes that the routes of a namespace declare, in alphabetical order. */
function codesOf(endpoints: readonly Endpoint[], namespace: string): CodeEntry[] {
  const found = new Map<string, CodeEntry>();
  for (const { route, namespace: own } of endpoints) {
    if (own.name !== namespace) continue;
    for (const { code, type, when } of route.errors) {
      if (code === undefined) continue;
      const key = `${code} ${type}`;
      const entry = found.get(key) ?? { code, type, causes: [], routes: [] };
      const causes = [...new Set([...entry.causes, when])];
      found.set(key, { ...entry, causes, routes: [...new Set([...entry.routes, route.id])] });
    }
  }
  return [...found.values()].sort((a, b) => (a.code < b.code ? -1 : 1));
}

interface Shared {
  readonly code: string;
  readonly type: ErrorType;
  readonly cause: string;
  readonly remedy: string;
}

/** Codes that any request can get: the pipeline reports them. */
const SHARED_CODES: readonly Shared[] = [
  {
    code: "amount_out_of_range",
    type: "unprocessable_content",
    cause: "A sum of the request exceeds the largest amount that can be computed exactly",
    remedy: "Send smaller amounts or quantities.",
  },
  {
    code: "collection_too_large",
    type: "conflict",
    cause: "The request evaluates all resources of a kind, and there are more than it can evaluate",
    remedy: "Delete or archive resources that are no longer used.",
  },
  {
    code: "contention",
    type: "service_unavailable",
    cause: "Too many requests were changing the same resource for ten seconds",
    remedy: "Retry the request after the number of seconds in Retry-After.",
  },
  {
    code: "insufficient_role",
    type: "forbidden",
    cause: "The operator has another role than the route of the operator's API requires",
    remedy: "Ask an owner, or use the token of an operator with that role.",
  },
  {
    code: "insufficient_scope",
    type: "forbidden",
    cause: "The scopes of the key do not include the scope of the route",
    remedy: "Use a key with the scope in the header WWW-Authenticate.",
  },
  {
    code: "origin_not_allowed",
    type: "forbidden",
    cause: "A publishable key was used by a page whose origin is not allowed",
    remedy: "Add the origin to the allowed origins of the key.",
  },
  {
    code: "quota_exceeded",
    type: "conflict",
    cause: "The storage quota of the plan is reached",
    remedy: "Delete data, or choose a larger plan. DELETE requests are not refused.",
  },
  {
    code: "request_in_progress",
    type: "conflict",
    cause: "A request with the same Idempotency-Key is still being processed",
    remedy: "Retry the request after the number of seconds in Retry-After: it returns the first response.",
  },
  {
    code: "response_not_replayable",
    type: "conflict",
    cause: "The first response to this Idempotency-Key contained a secret that is shown only once",
    remedy: "Use the secret of the first response, or create a new one with a new Idempotency-Key.",
  },
  {
    code: "secret_key_in_browser",
    type: "forbidden",
    cause: "A page sent a secret key",
    remedy: "Use a publishable key in pages, and revoke the key that was exposed.",
  },
  {
    code: "text_too_complex",
    type: "unprocessable_content",
    cause: "A text takes too long to analyze or contains too many parts",
    remedy: "Send a shorter text, or split it.",
  },
  {
    code: "workers_busy",
    type: "service_unavailable",
    cause: "All workers are busy",
    remedy: "Retry the request after the number of seconds in Retry-After.",
  },
];

/** What to do about codes that several engines share; for the others the advice of their type applies. */
const REMEDIES: Readonly<Record<string, string>> = {
  limit_reached: "Remove a resource that is no longer needed, then retry.",
  invalid_transition: "Fetch the resource: its status decides what is possible. Retrying does not help.",
  in_progress: "Wait until the running job ends, or cancel it.",
  in_use: "Remove the references that detail lists first.",
  already_exists: "Fetch the existing resource and update it instead.",
  slot_full: "Offer another slot.",
  too_late: "The period is over. Retrying does not help.",
};

const entryOf = (code: string, type: ErrorType, about: { causes: readonly string[]; remedy: string }): Html =>
  html`<h3 id="${code}"><code>${code}</code></h3>
    <p class="meta">
      ${ERRORS[type].status} <a href="/docs/errors/${type}"><code>${type}</code></a>
    </p>
    <p>${about.causes.join("; ")}.</p>
    <p>${about.remedy}</p>`;

/** All codes by engine, derived from what the routes declare. */
export function errorCodesPage(endpoints: readonly Endpoint[]): Html {
  const names = [...new Set(endpoints.map(({ namespace }) => namespace.name))];
  const parts = names
    .map((name) => ({ name, codes: codesOf(endpoints, name) }))
    .filter(({ codes }) => codes.length > 0);
  const total = parts.reduce((sum, { codes }) => sum + codes.length, SHARED_CODES.length);
  return html`<h1>Error codes</h1>
    <p>
      ${total} values of <code>error.code</code> by engine, with their cause and what to do. The
      <code>detail</code> of an error contains the values concerned.
    </p>
    <h2 id="all">Every request</h2>
    ${SHARED_CODES.map(({ code, type, cause, remedy }) => entryOf(code, type, { causes: [cause], remedy }))}
    ${parts.map(
      ({ name, codes }) =>
        html`<h2 id="${name}">${name}</h2>
          ${codes.map(({ code, type, causes, routes }) => {
            const remedy = REMEDIES[code] ?? remedyOf(type);
            return html`${entryOf(code, type, { causes, remedy })}
              <p class="meta">${routes.map((id, at) => html`${at === 0 ? "" : ", "}<code>${id}</code>`)}</p>`;
          })}`,
    )}`;
}
