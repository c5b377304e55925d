import { expect, it } from "vitest";

import { briefOpenApi } from "../../server/openapi/brief.ts";

const schema = {
  type: "object",
  title: "Loaf",
  example: { description: "rye", title: "Rye" },
  properties: {
    description: {
      type: "string",
      description: "Text of the shop. Markdown is not rendered.",
      example: "rye",
    },
    title: { type: "string", default: "Loaf" },
  },
};

it("keeps what types follow from, and the first sentence of descriptions", () => {
  const brief = briefOpenApi({
    openapi: "3.1.0",
    info: { title: "Loaves", version: "1", description: "Long." },
    paths: {
      "/loaves": {
        parameters: [{ $ref: "#/components/parameters/Store" }],
        post: {
          operationId: "loaves.create",
          tags: ["loaves"],
          summary: "Create a loaf",
          description: "Scope: `loaves:write`.",
          requestBody: { required: true, content: { "application/json": { schema, examples: {} } } },
          responses: {
            201: { description: "Created", headers: {}, content: { "application/json": { schema } } },
            404: { $ref: "#/components/responses/Missing" },
          },
        },
      },
    },
    webhooks: {},
    components: {
      schemas: { Loaf: schema },
      responses: { Missing: { description: "Not found", "x-codes": ["missing"] } },
      parameters: {
        Store: { name: "store", in: "header", description: "A store", schema: { type: "string" } },
      },
      examples: { loaf: {} },
    },
  });
  const short = {
    type: "object",
    properties: {
      description: { type: "string", description: "Text of the shop." },
      title: { type: "string", default: "Loaf" },
    },
  };
  const json = { content: { "application/json": { schema: short } } };
  expect(brief).toEqual({
    openapi: "3.1.0",
    info: { title: "Loaves", version: "1", description: "" },
    paths: {
      "/loaves": {
        parameters: [{ $ref: "#/components/parameters/Store" }],
        post: {
          operationId: "loaves.create",
          summary: "Create a loaf",
          requestBody: { required: true, ...json },
          responses: {
            201: { description: "", ...json },
            404: { $ref: "#/components/responses/Missing" },
          },
        },
      },
    },
    webhooks: {},
    components: {
      schemas: { Loaf: short },
      responses: { Missing: { description: "" } },
      parameters: { Store: { name: "store", in: "header", schema: { type: "string" } } },
    },
  });
});
