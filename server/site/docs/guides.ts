import { readFileSync } from "node:fs";
import { join } from "node:path";

import { findPackageRoot } from "../../core/package-root.ts";
import { openABakery } from "./bakery-guide.ts";
import type { Guide } from "./guide.ts";
import { client } from "./recipes.ts";
import { textScores } from "./scores-guide.ts";

/**
 * A guide whose text is `templates/guides/<slug>.md`: `{base}` is the address of the service, `{client}` what programs begin with.
 * Tests run what the guides show: of the quickstart the blocks of JavaScript, of the first subscription those of bash, of those for
 * operators who write code (`extend-…`) the files and those of bash. The table of `security` is what `npm run attack` prints.
 */
const written = (slug: string, title: string, summary: string): Guide => ({
  slug,
  title,
  summary,
  markdown: (baseUrl) =>
    readFileSync(join(findPackageRoot(), "templates", "guides", `${slug}.md`), "utf8")
      .replaceAll("{base}", () => baseUrl)
      .replace("{client}", () => client(baseUrl)),
});

/** Every guide, in the order in which a newcomer reads them. */
export const GUIDES: readonly Guide[] = [
  written(
    "quickstart",
    "Quickstart",
    "Fill your own store with a product, a menu, a delivery zone and a form, and show them on a page.",
  ),
  written("authentication", "Authentication", "API keys, scopes, publishable keys and key rotation."),
  written(
    "answers-and-errors",
    "Responses and errors",
    "The response envelope, the error format and how to handle errors.",
  ),
  written(
    "rate-limits",
    "Rate limits",
    "How requests are counted, rate limit headers, and how to handle 429.",
  ),
  written("lists", "Pagination", "limit, cursor and filters of list routes."),
  written(
    "safe-writes",
    "Idempotency and versions",
    "Retry writes safely with Idempotency-Key; ETag, If-Match and If-None-Match.",
  ),
  written("webhooks", "Webhooks", "Receive events: endpoints, signatures, retries and resending."),
  written(
    "browsers",
    "Browser access",
    "Publishable keys, allowed origins, form tokens, and forms without JavaScript.",
  ),
  openABakery,
  written(
    "first-subscription",
    "From an empty store to the first paid subscription",
    "Connect Stripe with one key, create a contract, and let the customer save a card.",
  ),
  written(
    "payment-gateways",
    "Payment gateways",
    "The kinds of gateways, and the protocol of a gateway of your own.",
  ),
  written(
    "testing",
    "Testing with the clock",
    "Test data, a clock that you advance, and the mails that would have been sent.",
  ),
  textScores,
  written("versioning", "API versions", "Compatible changes under /v1, and how deprecations are announced."),
  written(
    "security",
    "Isolation of customers",
    "What one customer can do to another, the limits that prevent it, and measurements under attack.",
  ),
  written(
    "extend-engines",
    "Extend: engines",
    "Write an engine in a package of your own: routes, documents, events, mails, jobs, demo data, CLI commands.",
  ),
  written(
    "extend-hooks",
    "Extend: hooks",
    "Run code before and after a route of an engine, in its transaction.",
  ),
  written(
    "extend-storage",
    "Extend: storage drivers",
    "Store all data with a driver of your own, and test it with the tests that every driver has to pass.",
  ),
  written(
    "extend-mail",
    "Extend: mail transports",
    "Send mail with any transport of nodemailer: a provider's API, a pool, DKIM, or code of your own.",
  ),
  written(
    "extend-embedding",
    "Extend: embedding",
    "Run the platform inside your own h3, Nitro or Node server, below any path.",
  ),
  written("typescript", "TypeScript", "Call the API with checked types: openapi-fetch, ofetch or fetch."),
];
