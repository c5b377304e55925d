import type { Guide } from "./guide.ts";

/** What one customer can do to another, for operators. Its table is what `npm run attack` prints. */
export const security: Guide = {
  slug: "security",
  title: "Isolation of customers",
  summary: "What one customer can do to another, the limits that prevent it, and measurements under attack.",
  markdown: () => `
Anybody can sign up, so every customer may be hostile. Each request, mail and job of a customer counts towards limits of that
customer only. An exhausted limit fails with \`429\` or \`409\` and the name, the size and the renewal of the limit.

| Attack | Limit | Setting |
|---|---|---|
| Floods of requests | Requests per minute and key; expensive routes count as 5 to 20 requests | \`plans[].requestsPerMinute\` |
| Clients that go on although they are refused | After 30 responses with \`429\` in a minute, each further one of that key or IP address comes 250 ms later | |
| Requests without a valid key | 30 per minute and IP address | |
| The documentation, the OpenAPI document and other pages without a key | 300 per minute and IP address in each process | |
| Requests with a publishable key, which every visitor can read | A quarter of the key's requests per minute and IP address, at least 20 | \`plans[].requestsPerMinute\` |
| Feeds, sitemaps and pages behind links | 120 per minute, path and IP address; 600 per route | |
| Slow names in DNS | Names that customers choose are looked up without threads of the process | |
| Floods of signups | Per IP address and hour; 3 mails per mailbox and day | \`signup\` |
| Mail to strangers | Mails to new recipients per day, until \`platform customers trust\` | \`plans[].newRecipientsPerDay\` |
| Mail in another's name | The sender's name ends with the domain of \`mail.from\`; links that a store typed are not clickable | |
| Recipients whose mail servers are slow | At most 3 deliveries of one store at a time; one that takes 5 seconds gives its place to others | |
| Requests of many parts | Pauses after each 3 ms; orders with at most 5,000 modifiers | |
| Heavy texts | Processed in worker threads with deadlines; stores take turns. CPU seconds per hour | \`plans[].cpuSecondsPerHour\` |
| Slow URLs in jobs and webhooks | Stores take turns of 5 seconds; requests to other servers overlap, at most 4 stores of one customer and 8 deliveries of one store at a time | \`plans[].outgoingPerHour\`, \`plans[].backgroundSecondsPerHour\` |
| Texts by AI providers that the operator pays | Tokens per day | \`plans[].aiTokensPerDay\` |
| Filling the disk | Documents and bytes per store, checked in the commit | \`plans[].documentsPerStore\`, \`plans[].megabytesPerStore\` |
| Large responses that their clients do not read | Beyond 64 MB of unsent bytes in a process, the connections with most of them are closed | |
| Large bodies, idle connections, streams | Size and deadlines of requests, at most 100 event streams per process | \`limits.bodyBytes\`, \`server\` |

Customers never share data: a key reads and writes the partition of its own store only.

## What remains

- Customers share the CPU and the disk of a node. Within its limits a customer can use what is idle, and responses of others become
  slower by the time that one step of its work takes.
- A page of a list is written in one piece, and large pages one after the other: 100 documents of 100 KB take about 20 ms of the event loop.
- Callbacks of payment providers (\`/api/hooks\`) have no limit. Limit them per IP address at your proxy.
- Limits per IP address need the visitor's address: set \`server.trustedProxies\` behind a proxy. Without it, all visitors share the limits of signups and
  forms, and a private address of a proxy is not limited at all for failed keys, publishable keys, feeds, links and pages.
- A host or range in \`outgoing.allow\` can be reached by every customer, on every port, with webhooks and fetched pages. List only servers that all
  customers may call.
- A refused upload is read with pauses for up to one second, and its connection is closed. What arrives within that second is your bandwidth: limit the body
  size at your proxy too.
- Signups from many IP addresses are many customers, each with the limits of the plan Free. Keep this plan small.
- An attack on the network is the task of your proxy or provider.

## Measurements

\`npm run attack\` starts the platform on loopback as behind a proxy, with a mail server and a slow web server, and plays one hostile customer on the
plan Free next to an honest one. The honest customer sends 20 requests per second, has a page checked every second and sends a mail every
second. The goals: p99 latency at most 3 times that without an attack, \`/healthz\` of one node on fs within 50 ms (p99), pages checked within
twice the time, no request or mail lost, no mail to strangers beyond the budget, and no byte beyond the quota. The exit code is 1 if a goal
is missed.

Measured on an idle virtual machine with two cores: two rounds of 5 seconds for each attack. A page waits up to 5 seconds for its job, under
every attack as without. Under every attack 0 requests and mails of the honest customer were lost, at most 20 mails of each hostile customer
reached strangers, and the quota was kept.

| Attack | p99 (fs) | × alone | \`/healthz\` p99 (fs) | p99 (Redis, 2 nodes) | × alone |
|---|---|---|---|---|---|
| None | 7.2 ms | | 8.3 ms | 9.4 ms | |
| Flood of requests with a key | 8.2 ms | 0.9 | 8.8 ms | 14 ms | 1.5 |
| Flood of requests with wrong keys | 8.9 ms | 1.2 | 10.0 ms | 8.5 ms | 0.9 |
| Mail to strangers | 8.1 ms | 1.3 | 8.5 ms | 11 ms | 1.4 |
| Heavy texts | 12 ms | 2.0 | 28 ms | 20 ms | 2.4 |
| OpenAPI document and documentation | 18 ms | 2.7 | 42 ms | 27 ms | 3.1 |
| Large bodies | 25 ms | 4.9 | 42 ms | 53 ms | 6.1 |
| Expensive lists | 7.4 ms | 1.2 | 11 ms | 11 ms | 1.3 |
| Carts under many offers | 17 ms | 2.6 | 27 ms | 23 ms | 2.7 |
| Pictures of many pixels | 16 ms | 2.3 | 24 ms | 20 ms | 1.0 |
| Slow URLs in jobs | 6.7 ms | 1.3 | 7.5 ms | 9.9 ms | 1.2 |
| Filling the disk | 11 ms | 1.6 | 29 ms | 25 ms | 3.3 |
| Streams and idle connections | 6.6 ms | 0.8 | 11 ms | 24 ms | 2.8 |
| Large responses that are not read | 18 ms | 2.4 | 31 ms | 133 ms | 15.6 |
| Flood of signups | 6.2 ms | 1.0 | 8.0 ms | 23 ms | 2.3 |

Large bodies, and on Redis also large responses, the documentation and a full quota, exceed the goal: there two nodes, Redis and both
customers share two cores, and what is sent takes the time of all of them.
Limit requests per IP address at your proxy where that matters.
`,
};
