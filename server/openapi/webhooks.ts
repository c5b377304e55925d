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
        description: "Delivered. Any other response is retried for three days; redirects are not followed.",
      },
      410: { description: "The receiver no longer exists: the endpoint is disabled." },
    },
  };
}

const schemaOf = (type: string): Json => ({
  type: "object",
  properties: {
    type: { type: "string", const: type },
    timestamp: { type: "string", format: "date-time", description: "When the event occurred" },
    data: { type: "object", description: "Ids, states and amounts. Fetch the resource for everything else." },
    store_id: {
      type: "string",
      description: "The store in which the event occurred; absent on the operator's endpoints",
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
  header("webhook-id", "Id of the event, identical across retries: use it to ignore duplicates."),
  header(
    "webhook-timestamp",
    "Time of this attempt in epoch seconds. Reject deliveries that are older than five minutes.",
  ),
  header(
    "webhook-signature",
    "`v1,` followed by the base64 of HMAC-SHA256 over `id.timestamp.body` with the endpoint's secret. Several signatures, separated by spaces, while a secret is being rotated.",
  ),
];
