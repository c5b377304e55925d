/** The first page of the documentation, in Markdown; `baseUrl` has no slash at the end. */
export const introduction = (baseUrl: string): string =>
  `
Eleven storefront engines behind one REST API. Any HTTP client will do; there is no SDK to install.
For programs: [openapi.json](${baseUrl}/openapi.json).

## Get a key

1. [Sign up](${baseUrl}/signup) with an e-mail address and the identifier of your store, or
   \`POST ${baseUrl}/api/platform/signup\`.
2. Follow the link in the mail. The key is shown **once**; only its SHA-256 hash is kept.
3. Send it with every request under \`/v1\`:

\`\`\`bash
curl ${baseUrl}/v1/reviews -H "Authorization: Bearer $API_KEY"
\`\`\`

A key speaks for one store. On a plan with several stores, the header \`X-Service-Store\` names another one of yours.
Each route says which scope it needs, such as \`reviews:read\`; \`write\` does not include \`read\`.

## Answers

Every success is \`{"data": …, "meta": {"request_id", "rate_limit"}}\`. Lists add \`meta.pagination\`.
Every answer carries \`X-Request-Id\`: quote it when you ask for help.
Money is an integer in minor units (pence, cents). Instants are RFC 3339 in UTC.

## Errors

Every error is \`application/problem+json\` with one object: \`{"error": {"type", "title", "status", "detail"}}\`.
\`400\` could not be read; \`422\` was read, but \`errors[]\` names what is wrong with it. Programs should look at
\`type\`, and at \`code\` where an engine adds its own word. All types: [${baseUrl}/docs/errors](${baseUrl}/docs/errors).

## Rate limits

Requests are counted per key in windows of 60 seconds that start with your first request. \`meta.rate_limit\` and the
\`X-RateLimit-*\` headers tell where you stand; \`reset\` is in epoch seconds. Past the limit the answer is \`429\`, and
\`Retry-After\` says how many seconds to wait. \`GET /v1/account/rate-limit\` looks without counting.

## Lists

\`limit\` is 1 to 100 (25 unless told). When \`meta.pagination.has_more\` is true, ask again with
\`cursor\` = \`meta.pagination.next_cursor\`, or follow the \`Link\` header with \`rel="next"\`.

## Safe repeats

Send \`Idempotency-Key\` (such as a UUID) with a write. Repeated within 24 hours, it gives the first answer again with
\`Idempotency-Replayed: true\`, and nothing happens twice. The same key with another body is \`422\`; while the first
request still runs, the answer is \`409\`.
A read answers with an \`ETag\`. Send it as \`If-Match\` when you change the resource: if somebody was faster, the answer
is \`412\` and nothing is overwritten. Send it as \`If-None-Match\` to get \`304\` while nothing changed.
`.trim();
