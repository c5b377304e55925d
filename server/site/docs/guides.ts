import { openABakery } from "./bakery-guide.ts";
import { extendGuides } from "./extend-guide.ts";
import type { Guide } from "./guide.ts";
import { quickstart } from "./quickstart-guide.ts";
import { firstSubscription, paymentGateways } from "./payments-guide.ts";
import { textScores } from "./scores-guide.ts";
import { testing } from "./testing-guide.ts";
import { security } from "./security-guide.ts";

const authentication: Guide = {
  slug: "authentication",
  title: "Authentication",
  summary: "API keys, scopes, publishable keys and key rotation.",
  markdown: (baseUrl) => `
## Get a key

1. [Sign up](${baseUrl}/signup) with an e-mail address and the identifier of your store, or
   \`POST ${baseUrl}/api/platform/signup\` with \`{"email", "storeIdentifier"}\`.
2. Follow the link in the mail and press the button. The key is shown **once**; only its SHA-256 hash is stored.
3. Send it with every request under \`/v1\`:

\`\`\`bash
export API_KEY=plat_live_…     # your key: the examples on these pages read this variable
curl ${baseUrl}/v1/account -H "Authorization: Bearer $API_KEY"
\`\`\`

Lost your key? Sign up again with the same address and store to receive a new link by mail.

## Scopes

Each route requires one scope, such as \`reviews:read\`, \`reviews:write\` or \`reviews:manage\`. \`write\` does not include
\`read\`; \`manage\` covers moving money, publishing, moderating and erasing. A request without the required scope fails with
\`403\`, and \`WWW-Authenticate\` contains the missing scope. \`GET /v1/account\` returns the scopes of the calling key.

| Prefix | Use |
|---|---|
| \`plat_live_\` | Your servers. Secret, with the scopes it was issued with |
| \`plat_test_\` | Tests. Separate test data with a clock that you can advance |
| \`plat_pub_\` | Web pages. Publishable, limited to reading published data and submitting forms and reviews |

Never use a secret key in a web page. Requests with a secret key and the \`Origin\` of another site are rejected.

## Stores

A key belongs to one store. On a plan with several stores, set the header \`X-Service-Store\` to the identifier or id of
another of your stores. The response header \`X-Service-Store\` contains the id of the store that the request applied to.

## Rotate keys without downtime

\`POST /v1/account/keys/{id}/rotate\` creates the new key. During the overlap that you specify both keys are valid, and
responses to the old one include \`X-Key-Expires-At\`. A revoked key is rejected immediately, on every node.

A week before a key expires, a mail is sent to the customer's address and the event \`key.expiring\` is emitted; the event
is repeated on the last day. A rotated key has the same expiry as the old one: sign up again to get a key without expiry.
`,
};

const rateLimits: Guide = {
  slug: "rate-limits",
  title: "Rate limits",
  summary: "How requests are counted, rate limit headers, and how to handle 429.",
  markdown: () => `
Requests are counted **per key** in windows of 60 seconds. A window starts with the first request after the previous
window ended. Every authenticated request counts as one, regardless of its result; \`401\`, \`OPTIONS\` and \`/openapi.json\`
do not count.

| Field | Content |
|---|---|
| \`meta.rate_limit\` | \`limit\`, \`remaining\`, \`reset\` (epoch seconds) |
| \`X-RateLimit-Limit\`, \`-Remaining\`, \`-Reset\` | The same values, also on errors |
| \`RateLimit\`, \`RateLimit-Policy\` | The same values in the format of the IETF draft: \`t\` is the number of seconds until the reset |
| \`Retry-After\` | On \`429\`: the number of seconds to wait |

\`GET /v1/account/rate-limit\` does not count towards the limit. \`GET /v1/account/usage\` returns usage by key, route and day.

Slow down as \`remaining\` approaches zero. On \`429\`, wait for the number of seconds in \`Retry-After\` before retrying. The
limit depends on the plan: 60 requests per minute on Free, 300 on Starter, 1,500 on Growth, 6,000 on Scale, 30,000 on
Enterprise.

## Requests without a valid key

They fail with \`401\`. After 30 of them within a minute from one IP address (for IPv6, one /64), further ones fail with
\`429\` and \`Retry-After\` until the minute ends. Each node counts separately. Requests with a valid key from the same
address are not affected, so stores that share a connection cannot lock each other out. Private and loopback addresses
are not counted. Behind a proxy, the operator's \`server.trustedProxies\` determines whether \`X-Forwarded-For\` is trusted.

## When a trial ends

A mail is sent three days and one day before a trial ends, and when it has ended; the events are \`trial.ending\` and
\`trial.ended\`. After that, the previous plan applies (default: Free). Keys keep working within its limits, requests for
additional stores fail with \`403\`, and nothing is deleted.
`,
};

const answers: Guide = {
  slug: "answers-and-errors",
  title: "Responses and errors",
  summary: "The response envelope, the error format and how to handle errors.",
  markdown: (baseUrl) => `
Every successful response is \`{"data": …, "meta": {"request_id", "rate_limit"}}\`. Every response includes \`X-Request-Id\`:
include it when you contact support. Amounts are integers in minor units (pence, cents) with an ISO 4217 currency. Times
are RFC 3339 in UTC; local times are given with their time zone.

Every error is \`application/problem+json\` with one object:

\`\`\`json
{
  "error": {
    "type": "unprocessable_content",
    "title": "Unprocessable Content",
    "status": 422,
    "detail": "2 fields are invalid.",
    "errors": [
      { "pointer": "#/postcode", "detail": "Required." },
      { "pointer": "#/basketTotal", "detail": "Expected a number, received a string." }
    ]
  }
}
\`\`\`

Handle errors by \`type\` and, where present, by the more specific \`code\` (\`slot_full\`, \`invalid_transition\`). \`400\` means
that the request could not be parsed. \`422\` means that it was parsed but is invalid; \`errors[]\` lists each problem:
\`pointer\` is a JSON pointer into the body, \`parameter\` the name of a query parameter, \`header\` the name of a header. A
valid query with a negative result returns \`200\` with \`reasons\`: a postcode outside the delivery area is not an error.

Each type is documented on [a separate page](${baseUrl}/docs/errors); the \`Link\` header of an error contains its URL.
`,
};

const lists: Guide = {
  slug: "lists",
  title: "Pagination",
  summary: "limit, cursor and filters of list routes.",
  markdown: (baseUrl) => `
\`limit\` is 1 to 100. Default: 25. While \`meta.pagination.has_more\` is true, request the next page with \`cursor\` set to
\`meta.pagination.next_cursor\`, or follow the \`Link\` header with \`rel="next"\`:

\`\`\`js
let url = "${baseUrl}/v1/reviews?limit=100";
while (url) {
  const answer = await fetch(url, { headers: { Authorization: \`Bearer \${process.env.API_KEY}\` } });
  const { data } = await answer.json();
  for (const review of data) console.log(review.id);
  url = /<([^>]+)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1];
}
\`\`\`

Lists are sorted newest first unless documented otherwise. A cursor is only valid for its list, filters and store. Items
that are added or removed during pagination do not cause other items to be repeated or skipped. Every filter is served by
an index, so the cost of a page does not depend on the size of the list.
`,
};

const safeWrites: Guide = {
  slug: "safe-writes",
  title: "Idempotency and versions",
  summary: "Retry writes safely with Idempotency-Key; ETag, If-Match and If-None-Match.",
  markdown: (baseUrl) => `
## Idempotency-Key

Send \`Idempotency-Key\` (1 to 255 visible ASCII characters, such as a UUID) with a write. A repeated request within 24
hours returns the first response with \`Idempotency-Replayed: true\` and has no second effect, even if the server was
restarted in the meantime.

| Repeated request | Response |
|---|---|
| Same key, same request | The first response |
| Same key, different request | \`422\` |
| The first request is still being processed | \`409\` with \`Retry-After\` |
| The first request failed | The request is processed again: only successful responses are stored |

After a timeout or a \`503\`, it is unknown whether the write happened: retry it with the same key.

\`\`\`bash
curl ${baseUrl}/v1/delivery/blocked-dates -H "Authorization: Bearer $API_KEY" \\
  -H "Idempotency-Key: stocktaking-2027" -H "Content-Type: application/json" \\
  -d '{"date": "2027-01-04", "reason": "Stocktaking"}'
\`\`\`

## ETag

Responses to reads include an \`ETag\`. Send it as \`If-Match\` when you change the resource: if the resource has changed in
the meantime, the request fails with \`412\` and nothing is overwritten. Send it as \`If-None-Match\` to receive \`304\` if the
resource has not changed.

\`PATCH\` is a merge patch (RFC 7386): members in the body replace the stored ones, \`null\` clears an optional member, and
all other members are unchanged.
`,
};

const webhooks: Guide = {
  slug: "webhooks",
  title: "Webhooks",
  summary: "Receive events: endpoints, signatures, retries and resending.",
  markdown: (baseUrl) => `
\`POST /v1/account/webhooks\` registers an https URL and its event types: individual types, \`subscriptions.*\` for all types
of an engine, or \`*\` for all. \`GET /v1/account/event-types\` lists the types. The secret (\`whsec_…\`) is shown once.

A delivery is a \`POST\` of \`{"type", "timestamp", "data"}\`, signed according to
[Standard Webhooks](https://www.standardwebhooks.com): \`webhook-id\`, \`webhook-timestamp\` and \`webhook-signature\` (\`v1,\`
followed by the base64 of an HMAC-SHA256 over \`id.timestamp.body\`). Verify the signature against the raw body before you
parse it:

\`\`\`js
import { Webhook } from "standardwebhooks";

const event = new Webhook(process.env.WEBHOOK_SECRET).verify(rawBody, request.headers);
\`\`\`

- Respond with \`2xx\` within 15 seconds and process the event afterwards. Any other response is retried: immediately, then
  after 5 seconds, 5 minutes, 30 minutes, 2, 5, 10, 14, 20 and 24 hours. \`410\` disables the endpoint.
- The same \`webhook-id\` can be delivered more than once: store the ids that you have processed. Order is not guaranteed.
- An endpoint that fails for 120 hours is disabled, and you are notified by mail. You are also notified before a key
  expires or a trial ends, even without an endpoint.
- Rotate the secret with an overlap: deliveries then carry two signatures.
- Deliveries are stored for 90 days; while they take more than half of the storage that a plan has for stored responses and messages, the oldest are deleted earlier. A single delivery or all deliveries of a period can be sent again. See the
  [reference](${baseUrl}/docs/reference).

During development, receive events without a public URL. The command creates a listener with your API key, signs and forwards
its deliveries, prints each result, and deletes the listener at the end. Events that occur while it is disconnected are
forwarded after it reconnects.

\`\`\`sh
platform webhooks listen --url ${baseUrl} --forward-to http://127.0.0.1:4000/hooks --type 'reviews.*'
platform webhooks trigger --url ${baseUrl} reviews.review.submitted     # in another terminal: sends the example of this type
\`\`\`
`,
};

const browsers: Guide = {
  slug: "browsers",
  title: "Browser access",
  summary: "Publishable keys, allowed origins, form tokens, and forms without JavaScript.",
  markdown: (baseUrl) => `
A public web page must not contain a secret key. A **publishable key** (\`plat_pub_…\`) is safe to expose: it can only read
published data and submit carts, forms and reviews, and only from the origins that your store allows. One IP address can use
at most a quarter of the key's requests per minute (at least 20), so that no visitor can exhaust it for the others. Create one with your
secret key, and set the origins of your pages:

\`\`\`bash
curl ${baseUrl}/v1/account/keys -H "Authorization: Bearer $API_KEY" \\
  -H "Content-Type: application/json" -d '{"name": "Shop pages", "preset": "full"}'
curl -X PATCH ${baseUrl}/v1/account/browser -H "Authorization: Bearer $API_KEY" \\
  -H "Content-Type: application/json" -d '{"origins": ["https://shop.example"]}'
\`\`\`

The first response contains the key as \`api_key\`. Use it in the script of the page:

\`\`\`js
const publishableKey = "plat_pub_...";
const headers = { Authorization: \`Bearer \${publishableKey}\` };
const menu = await fetch("${baseUrl}/v1/menus/mnu_.../live?channel=delivery", { headers });
const delivery = await fetch("${baseUrl}/v1/delivery/validate", {
  method: "POST",
  headers: { ...headers, "Content-Type": "application/json" },
  body: JSON.stringify({ postcode: "SW1A 1AA", basketTotal: 2999 }),
});
\`\`\`

A page can read live menus with prices and availability, allergens, diets and labels of verified products, delivery checks and
slots, the levels of the loyalty programme, reviews, posts, forms and answers; price a cart, and store a cart under a random id.
**Elements** do this without code of your own. Load one script with your publishable key, and put elements where you want them;
until the script has loaded, and without it, visitors see what the element contains:

\`\`\`html
<script type="module" src="${baseUrl}/elements.js?key=plat_pub_..."></script>

<sf-menu menu="mnu_..." channel="delivery"><p>Call us for today's menu.</p></sf-menu>
<sf-allergens mode="uk"></sf-allergens>
<sf-delivery basket-total="2999" hold></sf-delivery>
<sf-reviews target="sourdough"></sf-reviews>
<sf-form form="..."></sf-form>
<sf-tier></sf-tier>
\`\`\`

An element speaks English, German or French, by the nearest \`lang\`. Its look follows your page; set the CSS properties
\`--sf-accent\`, \`--sf-on-accent\`, \`--sf-text\`, \`--sf-font\` and \`--sf-radius\` to change it. \`<sf-delivery>\` dispatches the event \`sf-slot\` with
the slot that the visitor chose and, with \`hold\`, its hold: confirm that hold from your server when the order is placed. A
Content-Security-Policy needs \`script-src ${baseUrl}\` and \`connect-src ${baseUrl}\`. On a server with demo data, \`/demo\` is a
storefront built from these elements.

Routes that accept a publishable key name its scope in the [reference](${baseUrl}/docs/reference). Every route answers preflight
requests from any origin, so that a page can read why a request is refused; requests from an origin that is not allowed fail with
\`origin_not_allowed\`. Responses can be cached by the browser and are revalidated with their ETag. A **form token**
(\`POST /v1/forms/{id}/tokens\`) is sent with a submission: it contains the time when the form was opened and can be used
once, which blocks most bots. Rate limits identify a visitor by a hash that changes every day; the IP address is not stored.

A form with \`steps\` is shown one step at a time, with its progress and a review of all answers before it is sent, on its own page
(\`${baseUrl}/api/public/forms/{public_id}\`, without JavaScript) and embedded. With \`settings.allow_partial\`, visitors save their answers and
continue by a link within a week. An embedded form brings its own style in the color of your store's profile; any rule of your style sheet, and
\`--sf-accent\`, \`--sf-on-accent\` and \`--sf-radius\`, override it.

Without JavaScript, a form posts to \`${baseUrl}/api/public/forms/{public_id}\` and the visitor is redirected to your page. If
the submission is rejected, for example because of a rate limit or a file that is too large, the visitor sees a page with
the reason and when to retry; reloading that page submits the form again.
`,
};

const versioning: Guide = {
  slug: "versioning",
  title: "API versions",
  summary: "Compatible changes under /v1, and how deprecations are announced.",
  markdown: () => `
\`/v1\` only receives compatible changes: new routes, new optional members, and new values where the reference states that
more may be added. Ignore members and values that you do not know. Incompatible changes are released as \`/v2\`, and both
versions are available for at least twelve months. Responses of a deprecated route include \`Deprecation\` (RFC 9745),
\`Sunset\` (RFC 8594) and \`Link\` with \`rel="successor-version"\`; after its end the route returns \`410\`.

Ids are opaque strings of up to 64 characters from \`A-Z a-z 0-9 _ -\` and sometimes \`@\` and \`.\`. The meaning of enum
values, error types and codes never changes.
`,
};

/** Every guide, in the order in which a newcomer reads them. */
export const GUIDES: readonly Guide[] = [
  quickstart,
  authentication,
  answers,
  rateLimits,
  lists,
  safeWrites,
  webhooks,
  browsers,
  openABakery,
  firstSubscription,
  paymentGateways,
  testing,
  textScores,
  versioning,
  security,
  ...extendGuides,
];
