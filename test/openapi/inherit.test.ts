import { expect, it } from "vitest";

import { inheritSteps } from "../../server/openapi/inherit.ts";
import { placeSingles } from "../../server/openapi/single.ts";
import type { Shareable } from "../../server/openapi/share.ts";

const id = { type: "string", description: "Id of the resource, as its events have it" };
const made = { type: "string", format: "date-time", description: "When it was made, in UTC" };
const Resource = { type: "object", properties: { id, made }, required: ["id", "made"] };
const loaf = {
  type: "object",
  properties: { id, made, grain: { type: "string" } },
  required: ["id", "made", "grain"],
  description: "A loaf",
  example: { id: "loaf_1" },
};

function inherit(schemas: Shareable["schemas"]): Shareable {
  const steps = inheritSteps({ schemas, paths: {}, webhooks: {}, responses: {}, parameters: {} });
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

it("writes the members of another schema as allOf, and keeps what is said of the whole", () => {
  expect(inherit({ Resource, Loaf: loaf }).schemas).toEqual({
    Resource,
    Loaf: {
      allOf: [
        { $ref: "#/components/schemas/Resource" },
        {
          type: "object",
          properties: { grain: { type: "string" } },
          required: ["grain"],
          example: { id: "loaf_1" },
        },
      ],
      description: "A loaf",
    },
  });
});

it.each([
  ["that refuses unknown members", { ...loaf, additionalProperties: false }],
  ["in which a member is optional", { ...loaf, required: ["made", "grain"] }],
  ["in which a member is another", { ...loaf, properties: { ...loaf.properties, id: { type: "integer" } } }],
])("leaves an object %s as it is", (_, schema) => {
  expect(inherit({ Resource, Loaf: schema }).schemas["Loaf"]).toEqual(schema);
});

it("writes a schema that one place refers to there, with what that place says of it", () => {
  const list = { type: "array", items: { $ref: "#/components/schemas/Loaf", description: "Of today" } };
  const twice = { anyOf: [{ $ref: "#/components/schemas/List" }, { $ref: "#/components/schemas/List" }] };
  const operation = { responses: { 200: { content: { "application/json": { schema: twice } } } } };
  const placed = placeSingles({
    paths: { "/loaves": { get: operation } },
    webhooks: {},
    schemas: { Loaf: loaf, List: list },
    responses: {},
    parameters: {},
  });
  expect(placed.paths).toEqual({ "/loaves": { get: operation } });
  expect(placed.schemas).toEqual({ List: { type: "array", items: { ...loaf, description: "Of today" } } });
});
