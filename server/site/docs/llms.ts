import type { EngineOutline } from "../../core/engine.ts";
import { GUIDES } from "./guides.ts";

/** `/llms.txt` of this documentation, in the order of llmstxt.org: title, summary, sections of links. */
export const llmsText = ({
  baseUrl,
  engines,
}: {
  readonly baseUrl: string;
  readonly engines: readonly EngineOutline[];
}): string =>
  `# Storefront platform

> Storefront engines behind one REST API with Bearer keys: ${engines.map(({ name }) => name).join(", ")}.

Every request goes to ${baseUrl}/v1/… with the header \`Authorization: Bearer <API_KEY>\`. Responses are
\`{"data", "meta"}\`, errors are \`application/problem+json\` with one object \`error\`.

## Guides

- [Getting started](${baseUrl}/docs): from signup to the first response
${GUIDES.map(({ slug, title, summary }) => `- [${title}](${baseUrl}/docs/guides/${slug}): ${summary}`).join("\n")}

## Engines

${engines.map(({ name, summary }) => `- [${name}](${baseUrl}/docs/engines/${name}): ${summary}`).join("\n")}

## Reference

- [OpenAPI 3.1](${baseUrl}/openapi.json): every route with its schemas and examples
- [Errors](${baseUrl}/docs/errors): every type, what it means and how to resolve it
- [Error codes](${baseUrl}/docs/error-codes): every code by engine, with its cause and what to do
- [Events](${baseUrl}/docs/events): every event type that webhooks can subscribe to
`;
