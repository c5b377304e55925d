import { ERRORS } from "../lib/errors.ts";
import { errorExamples, sharedCodeLines } from "./errors.ts";
import { Id, Instant, LocalTime, Metadata, Minor, TimeZone, Version } from "../core/schema.ts";
import { toJsonSchema } from "./schemas.ts";
import type { Json } from "./schemas.ts";
import { eventSchema } from "./webhooks.ts";

const object = (properties: Json, optional: readonly string[] = []): Json => ({
  type: "object",
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const requestId = { type: "string", description: "Id of the request. Include it when contacting support." };

/** Schemas that the gateway itself adds to every answer. */
export const sharedSchemas = (): Record<string, Json> => ({
  ...scalars(),
  Event: eventSchema,
  Resource: object({
    id: toJsonSchema(Id, "output"),
    created_at: toJsonSchema(Instant, "output"),
    updated_at: toJsonSchema(Instant, "output"),
    version: toJsonSchema(Version, "output"),
  }),
  RateLimit: object({
    limit: { type: "integer", description: "Requests allowed per window of 60 seconds." },
    remaining: { type: "integer", minimum: 0, description: "Requests remaining in the current window." },
    reset: { type: "integer", description: "When the window ends, in epoch seconds." },
  }),
  Pagination: object({
    limit: { type: "integer", description: "Maximum number of items per page." },
    has_more: { type: "boolean" },
    next_cursor: {
      type: ["string", "null"],
      description: 'Pass it as `cursor` to fetch the next page, or follow `rel="next"` of the Link header.',
    },
  }),
  Meta: object({ request_id: requestId, rate_limit: ref("RateLimit") }),
  ListMeta: object({ request_id: requestId, rate_limit: ref("RateLimit"), pagination: ref("Pagination") }),
  OperatorMeta: object({ request_id: requestId }),
  OperatorListMeta: object({ request_id: requestId, pagination: ref("Pagination") }),
  FieldError: object(
    {
      pointer: { type: "string", description: "JSON pointer into the body, as in `#/postcode`." },
      parameter: { type: "string", description: "Name of a query or path parameter." },
      header: { type: "string", description: "Name of a header." },
      detail: { type: "string" },
    },
    ["pointer", "parameter", "header"],
  ),
  Problem: {
    ...object({
      error: object(
        {
          type: { type: "string", enum: Object.keys(ERRORS) },
          title: { type: "string" },
          status: { type: "integer", description: "The HTTP status." },
          detail: { type: "string", description: "What went wrong and how to resolve it." },
          code: {
            type: "string",
            description: `Machine-readable code of the specific error. Any route can return:\n\n${sharedCodeLines()}`,
          },
          errors: {
            type: "array",
            items: ref("FieldError"),
            description: "One entry per invalid field or parameter. Only with status 422.",
          },
        },
        ["code", "errors"],
      ),
    }),
    // RapiDoc shows `example` only.
    example: errorExamples()[0],
    examples: errorExamples(),
  },
});

/** Values that many resources have, under the names they have in `core/schema.ts`. */
const scalars = (): Record<string, Json> => {
  const values = { Id, Instant, LocalTime, Metadata, Minor, TimeZone, Version };
  const nullable = { NullableId: Id.nullable(), NullableInstant: Instant.nullable() };
  return Object.fromEntries(
    Object.entries({ ...values, ...nullable }).map(([name, schema]) => [
      name,
      toJsonSchema(schema, "output"),
    ]),
  );
};

export const securitySchemes: Json = {
  api_key: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "plat_live_…",
    description: "An API key. The first one is issued when an e-mail address is verified.",
  },
  operator_token: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "plat_admin_…",
    description: "The operator's token for this server.",
  },
};
