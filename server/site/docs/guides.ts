/** A page of the documentation, in Markdown. */
export interface Guide {
  readonly slug: string;
  readonly title: string;
  /** One sentence for lists and for search. */
  readonly summary: string;
  /** `baseUrl` has no slash at the end. */
  readonly markdown: (baseUrl: string) => string;
}

const authentication: Guide = {
  slug: "authentication",
  title: "Keys and scopes",
  summary: "Get a key, send it, rotate it; what a scope and a publishable key may do.",
  markdown: (baseUrl) => `
## Get a key

1. [Sign up](${baseUrl}/signup) with an e-mail address and the identifier of your store, or
   \`POST ${baseUrl}/api/platform/signup\` with \`{"email", "storeIdentifier"}\`.
2. Follow the link in the mail and press the button. The key is shown **once**; only its SHA-256 hash is kept.
3. Send it with every request under \`/v1\`:

\`\`\`bash
export API_KEY=plat_live_…     # your own: the examples on these pages read it from here
curl ${baseUrl}/v1/account -H "Authorization: Bearer $API_KEY"
\`\`\`

A key is lost? Sign up again with the same address and store: the mail brings a new link.

## What a key may do

Each route names the scope it needs: \`reviews:read\`, \`reviews:write\`, \`reviews:manage\`. \`write\` does not include
\`read\`; \`manage\` is what moves money, publishes, moderates or erases. A key without the scope is answered \`403\`, and
\`WWW-Authenticate\` names the scope that is missing. \`GET /v1/account\` shows what the calling key has.

| A key begins with | It is for |
|---|---|
| \`plat_live_\` | your servers: secret, all scopes it was given |
| \`plat_test_\` | tests: a store of test data of its own, with a clock that you move |
| \`plat_pub_\` | pages in a browser: public, only what is published, and handing in forms and reviews |

Never put a secret key into a page. A request that carries a secret key and the \`Origin\` of another site is refused.

## Stores

A key speaks for one store. On a plan with several stores the header \`X-Service-Store\` names another one of yours, by
its identifier or its id; the answer says in \`X-Service-Store\` which one it was about.

## Change keys without a gap

\`POST /v1/account/keys/{id}/rotate\` makes the successor; for the overlap that you name both work, and answers to the old
one carry \`X-Key-Expires-At\`. A revoked key is refused from the next request on, on every node.

A key that ends by itself is told of a week before, by a mail to the customer's address and by the event
\`key.expiring\`, which comes once more on the last day. Its successor by rotation has the same end: sign up again for a key
without one.
`,
};

const rateLimits: Guide = {
  slug: "rate-limits",
  title: "Rate limits",
  summary: "How requests are counted, where to read it, what to do at 429.",
  markdown: () => `
Requests are counted **per key** in windows of 60 seconds; a window starts with the first request after the last one
ended. Every authenticated request counts as one, whatever its answer; \`401\`, \`OPTIONS\` and \`/openapi.json\` count
nothing.

| Where | What |
|---|---|
| \`meta.rate_limit\` | \`limit\`, \`remaining\`, \`reset\` (epoch seconds) |
| \`X-RateLimit-Limit\`, \`-Remaining\`, \`-Reset\` | the same, also on errors |
| \`RateLimit\`, \`RateLimit-Policy\` | the same in the form of the IETF draft: \`t\` is seconds until the reset |
| \`Retry-After\` | on \`429\`: seconds to wait |

\`GET /v1/account/rate-limit\` looks without counting. \`GET /v1/account/usage\` tells what was used by key, route and day.

Slow down as \`remaining\` nears zero, wait as long as \`Retry-After\` says, and do not try again before. The number of
requests follows the plan: 60 a minute on Free, 300 on Starter, 1,500 on Growth, 6,000 on Scale, 30,000 on Enterprise.

## Requests without a valid key

They are answered \`401\`. After 30 of them within a minute from one address (of IPv6: one /64) the next ones are answered
\`429\` with \`Retry-After\` until the minute is over, on each node for itself. Requests with a valid key from the same
address are answered all the while: shops behind one connection cannot lock each other out. Private and loopback addresses
are not counted; behind a proxy, the operator's \`server.trustedProxies\` decides whether \`X-Forwarded-For\` is believed.

## When a trial ends

A trial is told of by mail three days and one day before its end, and when it is over; the events are \`trial.ending\` and
\`trial.ended\`. From then on the plan beneath it holds, Free unless another was chosen: keys keep working within its limit,
further stores are answered \`403\`, and nothing is deleted.
`,
};

const answers: Guide = {
  slug: "answers-and-errors",
  title: "Answers and errors",
  summary: "The envelope, the form of every error, and how a program should read it.",
  markdown: (baseUrl) => `
Every success is \`{"data": …, "meta": {"request_id", "rate_limit"}}\`. Every answer carries \`X-Request-Id\`: quote it when
you ask for help. Money is an integer in minor units (pence, cents) beside its ISO 4217 currency. Instants are RFC 3339 in
UTC; local rules name their time zone.

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
      { "pointer": "#/basketTotal", "detail": "Expected a number, got a string." }
    ]
  }
}
\`\`\`

Programs look at \`type\`, and at \`code\` where an engine adds its own word (\`slot_full\`, \`invalid_transition\`). \`400\` could
not be read; \`422\` was read, and \`errors[]\` names each place: \`pointer\` leads into the body, \`parameter\` names a query
parameter, \`header\` a header. A well-formed question with a negative answer is \`200\` with \`reasons\`: a postcode out of
reach is no error.

Each type has [a page of its own](${baseUrl}/docs/errors); the header \`Link\` of an error leads to it.
`,
};

const lists: Guide = {
  slug: "lists",
  title: "Lists and pages",
  summary: "limit, cursor, filters, and why there are no page numbers.",
  markdown: (baseUrl) => `
\`limit\` is 1 to 100, 25 unless told. While \`meta.pagination.has_more\` is true, ask again with \`cursor\` =
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

Lists are newest first unless the route says otherwise. A cursor is bound to its list, its filters and your store; what is
added or removed while you walk neither repeats nor skips the rest. Every filter is served by an index: a page costs what
the page costs, however much there is behind it.
`,
};

const safeWrites: Guide = {
  slug: "safe-writes",
  title: "Safe repeats and versions",
  summary: "Idempotency-Key for writes that may be repeated; ETag, If-Match and If-None-Match.",
  markdown: (baseUrl) => `
## Idempotency-Key

Send \`Idempotency-Key\` (1 to 255 visible ASCII characters, such as a UUID) with a write. Repeated within 24 hours it gives
the first answer again, with \`Idempotency-Replayed: true\`, and nothing happens twice, also when the server was restarted in
between.

| The repeat | Answer |
|---|---|
| same key, same request | the first answer again |
| same key, another request | \`422\` |
| while the first still runs | \`409\` with \`Retry-After\` |
| the first failed | it is tried anew: only successes are kept |

After a time-out or a \`503\` nobody knows whether the write happened: repeat it with the same key.

\`\`\`bash
curl ${baseUrl}/v1/delivery/blocked-dates -H "Authorization: Bearer $API_KEY" \\
  -H "Idempotency-Key: stocktaking-2027" -H "Content-Type: application/json" \\
  -d '{"date": "2027-01-04", "reason": "Stocktaking"}'
\`\`\`

## ETag

A read answers with an \`ETag\`. Send it as \`If-Match\` when you change the resource: if somebody was faster, the answer is
\`412\` and nothing is overwritten. Send it as \`If-None-Match\` to get \`304\` while nothing changed.

\`PATCH\` is a merge patch (RFC 7386): members that you send replace those that are there, \`null\` clears one that may be
empty, everything else stays.
`,
};

const webhooks: Guide = {
  slug: "webhooks",
  title: "Webhooks",
  summary: "Be told of what happens: endpoints, signatures, retries, replays.",
  markdown: (baseUrl) => `
\`POST /v1/account/webhooks\` registers an https address and the types it wants: single ones, \`subscriptions.*\` for an
engine, \`*\` for all; \`GET /v1/account/event-types\` lists them. The secret (\`whsec_…\`) is shown once.

A delivery is a \`POST\` of \`{"type", "timestamp", "data"}\`, signed as [Standard Webhooks](https://www.standardwebhooks.com)
says: \`webhook-id\`, \`webhook-timestamp\` and \`webhook-signature\` (\`v1,\` and the base64 of an HMAC-SHA256 of
\`id.timestamp.body\`). Verify it before you read it, with the body as it came:

\`\`\`js
import { Webhook } from "standardwebhooks";

const event = new Webhook(process.env.WEBHOOK_SECRET).verify(rawBody, request.headers);
\`\`\`

- Answer \`2xx\` within 15 seconds and do the work afterwards. Anything else is tried again: at once, after 5 seconds, 5
  minutes, 30 minutes, 2, 5, 10, 14, 20 and 24 hours. \`410\` switches the endpoint off.
- The same \`webhook-id\` may come twice: remember the ids that you have dealt with. Order is not promised.
- An endpoint that fails for 120 hours is switched off, and you get a mail. So you do before a key or a trial ends, whether
  you have an endpoint or not.
- Rotate the secret with an overlap: deliveries then carry two signatures.
- The log of deliveries is kept for 90 days; one, or a whole range of time, can be sent again. See the
  [reference](${baseUrl}/docs/reference).
`,
};

const browsers: Guide = {
  slug: "browsers",
  title: "Forms and reviews from a page",
  summary: "Publishable keys, allowed origins, form tokens, and forms without script.",
  markdown: (baseUrl) => `
A page that anybody can open must not hold a secret. A **publishable key** (\`plat_pub_…\`) is made to be seen: it reads what
is published and hands in forms and reviews, nothing else, and only from the origins that your store allows. Make one
with your secret key, and name the origins of your pages:

\`\`\`bash
curl ${baseUrl}/v1/account/keys -H "Authorization: Bearer $API_KEY" \\
  -H "Content-Type: application/json" -d '{"name": "Shop pages", "preset": "full"}'
curl -X PATCH ${baseUrl}/v1/account/browser -H "Authorization: Bearer $API_KEY" \\
  -H "Content-Type: application/json" -d '{"origins": ["https://shop.example"]}'
\`\`\`

The answer to the first holds the key as \`api_key\`; write it into the script of the page:

\`\`\`js
const publishableKey = "plat_pub_...";
const answer = await fetch("${baseUrl}/v1/reviews/aggregates?target_id=sourdough", {
  headers: { Authorization: \`Bearer \${publishableKey}\` },
});
\`\`\`

Routes that take a publishable key say so in the [reference](${baseUrl}/docs/reference). They answer preflights of any
origin, and refuse the request itself from an origin that is not on the list. A **form token** (\`POST /v1/forms/{id}/tokens\`)
goes along with a submission: it says when the form was opened and is good once, which keeps most robots out. A visitor is
known to limits by a hash that changes every day; the address itself is not kept.

Without script, a form posts to \`${baseUrl}/api/public/forms/{public_id}\` and the visitor is sent on to your own page. Whoever
sends too often, or a file that is too large, is shown a page that says so and when to try again; a reload then sends what
was typed.
`,
};

const versioning: Guide = {
  slug: "versioning",
  title: "Versions of this API",
  summary: "What may change under /v1, and how you hear of what ends.",
  markdown: () => `
\`/v1\` only grows: new routes, new optional members, new values where the reference says that more may come. Read what you
know and ignore the rest. A change that could break a careful client becomes \`/v2\`, and both live side by side for twelve
months at least. A route that will end says so in its answers: \`Deprecation\` (RFC 9745), \`Sunset\` (RFC 8594) and \`Link\` with
\`rel="successor-version"\`; after its end it answers \`410\`.

Ids are opaque, up to 64 characters of \`A-Z a-z 0-9 _ -\` and sometimes \`@\` and \`.\`: store them as text. Enum values, error
types and codes never change their meaning.
`,
};

/** Every guide, in the order in which a newcomer reads them. */
export const GUIDES: readonly Guide[] = [
  authentication,
  answers,
  rateLimits,
  lists,
  safeWrites,
  webhooks,
  browsers,
  versioning,
];
