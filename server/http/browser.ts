import type { GatewayDeps } from "./deps.ts";
import { allowsOrigin, browserSettings, DEFAULT_BROWSER_SETTINGS } from "../core/browser.ts";
import type { BrowserSettings } from "../core/browser.ts";
import { fromText } from "../core/collection.ts";
import { fail } from "../lib/errors.ts";
import { ALLOW_HEADERS, EXPOSE_HEADERS } from "./headers.ts";
import { storePartition } from "../core/partitions.ts";
import type { Exchange } from "./exchange.ts";
import type { Incoming } from "./messages.ts";
import type { PathEntry } from "./namespace.ts";

/**
 * CORS of the API and of what pages fetch without a key (engines/common.md §0.3). A preflight carries no key, so the store
 * is not known and every origin is answered, also where the request itself will be refused: a page can then read why.
 * Credentials are never allowed, so an answer holds nothing that the page could not have fetched from anywhere else.
 */
export function openHeaders({ req, headers, path }: Exchange, entry: PathEntry | null): void {
  if (entry?.isOpen !== true && !path.startsWith("/v1/")) return;
  // Also where no origin was sent: what a cache keeps of a script must not be given to a page that asks with one.
  if (!headers.includes("Vary")) headers.push("Vary", "Origin");
  const origin = originOf(req);
  if (origin === null || headers.includes("Access-Control-Allow-Origin")) return;
  headers.push("Access-Control-Allow-Origin", origin);
  if (req.method !== "OPTIONS") {
    headers.push("Access-Control-Expose-Headers", EXPOSE_HEADERS);
    return;
  }
  headers.push("Access-Control-Allow-Headers", ALLOW_HEADERS, "Access-Control-Max-Age", "600");
}

/**
 * Gate: what web pages may do with the key (403). A secret key does not belong into a page, where every visitor can
 * read it; a publishable one is for the pages that the store names. Pages of the service itself, where people try the
 * API with their own key, and those that the operator's configuration names may use any key.
 */
export async function admitOrigin(deps: GatewayDeps, { req, principal }: Exchange): Promise<void> {
  const origin = originOf(req);
  if (origin === null || principal === null || isOwnPage(deps, req, origin)) return;
  const { isPublic, store, mode } = principal;
  if (!isPublic && allowsOrigin(deps.config.cors, origin)) return;
  const settings = await readSettings(deps, storePartition(store.id, mode));
  if (isPublic) {
    if (allowsOrigin(settings, origin)) return;
    throw fail(
      "forbidden",
      `This origin is not allowed for this store. Add it to \`origins\` with PATCH /v1/account/browser.`,
      { code: "origin_not_allowed" },
    );
  }
  if (settings.secret_keys === "accept") return;
  throw fail(
    "forbidden",
    "A secret key was used in a browser, where every visitor can read it. Use a publishable key instead, and revoke this key if the page was public.",
    { code: "secret_key_in_browser" },
  );
}

/** `Origin` as browsers send it: `https://shop.example`, or `null` for a page that has none; null where there is none such. */
function originOf(req: Incoming): string | null {
  const origin = req.header("origin");
  if (origin === undefined || origin.length > ORIGIN_CHARS_MAX) return null;
  return origin === "null" || /^[a-z][a-z0-9+.-]*:\/\/[^\s,/]+$/i.test(origin) ? origin : null;
}

const ORIGIN_CHARS_MAX = 300;

/** A page of this service, under whatever name it was opened. */
function isOwnPage({ config }: GatewayDeps, req: Incoming, origin: string): boolean {
  const own = URL.canParse(config.baseUrl) ? new URL(config.baseUrl).origin : "";
  return origin === own || origin.replace(/^https?:\/\//, "") === req.header("host");
}

async function readSettings(deps: GatewayDeps, part: string): Promise<BrowserSettings> {
  const doc = await deps.store.get(`${part}:${browserSettings.name}:settings`);
  return doc === null ? DEFAULT_BROWSER_SETTINGS : fromText(browserSettings, doc.value);
}
