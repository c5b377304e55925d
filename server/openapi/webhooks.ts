import type { EventType } from "../core/engine.ts";
import type { Json } from "./schemas.ts";

/** The `webhooks` of the document: what is sent for each type of event to the endpoints that ask for it. */
export const webhookPaths = (types: readonly EventType[]): Record<string, Json> =>
  Object.fromEntries(types.map((event) => [event.type, { post: toOperation(event) }]));

const toOperation = ({ type, summary, example, optional }: EventType): Json => ({
  operationId: `webhook.${type}`,
  tags: ["webhooks"],
  summary,
  security: [],
  parameters: Object.keys(eventParameters).map((name) => ({ $ref: `#/components/parameters/${name}` })),
  requestBody: {
    required: true,
    content: {
      "application/json": {
        schema: {
          allOf: [{ $ref: "#/components/schemas/Event" }],
          properties: { type: { const: type }, data: dataOf(example, optional) },
        },
      },
    },
  },
  responses: { "2XX": { description: "Delivered" } },
});

const dataOf = (example: EventType["example"], optional: EventType["optional"]): Json => ({
  ...(optional === undefined
    ? {}
    : { description: `Only some events have ${Object.keys(optional).join(", ")}.` }),
  example,
});

/** What every event has, whatever its type. */
export const eventSchema: Json = {
  type: "object",
  properties: {
    type: { type: "string", description: "Type of the event", example: "reviews.review.submitted" },
    timestamp: {
      type: "string",
      format: "date-time",
      description: "When the event occurred",
      example: "2026-06-01T09:00:00.000Z",
    },
    data: { type: "object", description: "Ids, states and amounts. Fetch the resource for everything else." },
    store_id: {
      type: "string",
      description: "The store in which the event occurred; absent on the operator's endpoints",
      example: "sto_01JD8Z5T9QK3M4N5P6R7S8T9V1",
    },
    mode: { type: "string", enum: ["live", "test"] },
  },
  required: ["type", "timestamp", "data"],
};

const header = (name: string, description: string): Json => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
});

/** Standard Webhooks 1.0, as `components.parameters`. */
export const eventParameters: Readonly<Record<string, Json>> = {
  EventId: header("webhook-id", "Id of the event, identical across retries: use it to ignore duplicates."),
  Timestamp: header(
    "webhook-timestamp",
    "Time of this attempt in epoch seconds. Reject deliveries that are older than five minutes.",
  ),
  Signature: header(
    "webhook-signature",
    "`v1,` followed by the base64 of HMAC-SHA256 over `id.timestamp.body` with the endpoint's secret. Several signatures, separated by spaces, while a secret is being rotated.",
  ),
};
