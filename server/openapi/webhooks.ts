import type { EventType } from "../core/engine.ts";
import type { Json } from "./schemas.ts";

/** The `webhooks` of the document: what is sent for each type of event to the endpoints that ask for it. */
export const webhookPaths = (types: readonly EventType[]): Record<string, Json> =>
  Object.fromEntries(types.map((event) => [event.type, { post: toOperation(event) }]));

function toOperation({ type, summary, example }: EventType): Json {
  return {
    operationId: `webhook.${type}`,
    tags: ["webhooks"],
    summary,
    security: [],
    parameters: HEADERS,
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: schemaOf(type),
          example: {
            type,
            timestamp: "2026-06-01T09:00:00.000Z",
            data: example,
            store_id: "sto_01JD8Z5T9QK3M4N5P6R7S8T9V1",
            mode: "live",
          },
        },
      },
    },
    responses: {
      "2XX": {
        description: "Taken. Anything else is tried again for three days; redirects are not followed.",
      },
      410: { description: "Nobody is there any more: the endpoint is switched off." },
    },
  };
}

const schemaOf = (type: string): Json => ({
  type: "object",
  properties: {
    type: { type: "string", const: type },
    timestamp: { type: "string", format: "date-time", description: "When it happened" },
    data: { type: "object", description: "Ids, states and amounts; ask the API for the rest." },
    store_id: {
      type: "string",
      description: "The store it happened in; missing at the operator's own endpoints",
    },
    mode: { type: "string", enum: ["live", "test"] },
  },
  required: ["type", "timestamp", "data"],
});

const header = (name: string, description: string): Json => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
});

/** Standard Webhooks 1.0. */
const HEADERS: readonly Json[] = [
  header(
    "webhook-id",
    "Id of the event, the same however often it is sent: what was seen before can be left out.",
  ),
  header("webhook-timestamp", "Epoch seconds of this attempt; refuse what is older than five minutes."),
  header(
    "webhook-signature",
    "`v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the endpoint's secret; several, with blanks between, while a secret is being changed.",
  ),
];
