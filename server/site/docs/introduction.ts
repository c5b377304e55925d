import { GUIDES } from "./guides.ts";

/** The first page of the reference, in Markdown; `baseUrl` has no slash at the end. */
export const introduction = (baseUrl: string): string =>
  `
Storefront engines behind one REST API. Use any HTTP client; no SDK is required.
Machine-readable: [openapi.json](${baseUrl}/openapi.json). Getting started: [documentation](${baseUrl}/docs).

1. [Sign up](${baseUrl}/signup), or \`POST ${baseUrl}/api/platform/signup\`.
2. Follow the link in the mail. The key is shown **once**; only its SHA-256 hash is stored.
3. Send it with every request under \`/v1\`:

\`\`\`bash
curl ${baseUrl}/v1/account -H "Authorization: Bearer $API_KEY"
\`\`\`

${GUIDES.map(({ slug, title, summary }) => `- [${title}](${baseUrl}/docs/guides/${slug}): ${summary}`).join("\n")}
- Every response has the header \`X-Request-Id\`, and under \`/v1\` the rate limit headers and, for JSON, an \`ETag\`: see \`components.headers\` of the document.
- [Error types](${baseUrl}/docs/errors): what each one means and how to resolve it.
`.trim();
