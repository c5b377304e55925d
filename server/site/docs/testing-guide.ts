import type { Guide } from "./guide.ts";

export const testing: Guide = {
  slug: "testing",
  title: "Testing with the clock",
  summary: "Test data, a clock that you advance, and the mails that would have been sent.",
  markdown: (baseUrl) => `
A key that begins with \`plat_test_\` reads and writes the test data of its store. Live and test data are separate. All routes are the same.

| In test mode | |
|---|---|
| Mails | Never sent. \`GET /v1/account/test-mail\` returns the newest 500 |
| Webhooks | Sent to the endpoints that were created with a test key |
| Payments | Gateways of kind \`test\`, \`manual\` and \`external\`, and \`stripe\` with a test key of Stripe; a live key is refused |

## Set the time

Without a clock, test data use real time. Create a clock at the time that your test begins with; a store has one:

\`\`\`bash
curl ${baseUrl}/v1/account/test-clock -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" \\
  -d '{"now": "2026-06-01T09:00:00Z"}'
\`\`\`

All requests with a test key of the store now use this time, and so do the jobs of all engines. It does not move by itself.

## Advance it

\`\`\`bash
curl ${baseUrl}/v1/account/test-clock/advance -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" \\
  -d '{"to": "2026-07-01T09:00:00Z"}'
\`\`\`

The clock stops at each moment at which something is due, in whatever engine, and does it as for live data: charges and their retries, quotes
that expire, orders that are confirmed, mails about carts, invitations to review, ends of levels. Work without a due time, such as retention,
is done every six hours. \`runs\` lists what was done, in order of time:

\`\`\`json
{ "at": "2026-06-15T09:00:00.000Z", "job": "reviews.invite", "counts": { "sent": 1 } }
\`\`\`

- \`reached\` is \`false\` if there is more to do than one call can, about a year. Repeat the call.
- \`failed\` counts what failed. The clock stops there, so that nothing is passed over.
- A clock cannot be set back. \`DELETE /v1/account/test-clock\` returns to real time.

## Read the mails

\`GET /v1/account/test-mail\` lists subject, text and link of each mail, newest first; \`/test-mail/{id}\` includes the HTML. With
\`platform dev\`, \`/_/inbox\` shows them too.
`,
};
