import { describe, expect, it } from "vitest";

import { shareParts } from "../../server/openapi/share.ts";
import type { Json } from "../../server/openapi/schemas.ts";

const price = {
  type: "object",
  properties: {
    amount: { type: "integer", description: "Minor units of the currency, as ISO 4217 counts them" },
    currency: { type: "string", pattern: "^[A-Z]{3}$", description: "ISO 4217 code" },
  },
  required: ["amount", "currency"],
};
const refused = {
  description: "Not Found\n\n- No loaf with this id",
  content: {
    "application/problem+json": {
      schema: { type: "object" },
      example: { error: { type: "not_found", status: 404 } },
    },
  },
};
const loaf = { type: "object", properties: { price, old_price: price } };
const document = {
  paths: {
    "/loaves/{id}": {
      get: { responses: { 200: answer(loaf), 404: refused } },
      delete: { responses: { 404: refused } },
    },
  },
  webhooks: { "loaf.sold": { post: { requestBody: answer({ type: "array", items: price }) } } },
  schemas: { Loaf: loaf },
  responses: {},
  parameters: {},
};

function answer(schema: unknown): Json {
  return { description: "OK", content: { "application/json": { schema } } };
}

/** The document with every reference replaced by what it refers to. */
function inlined(value: unknown, root: Json): unknown {
  if (typeof value !== "object" || value === null) return value;
  if ("$ref" in value && typeof value.$ref === "string") {
    const [, , kind = "", name = ""] = value.$ref.split("/");
    return inlined(Object(root[kind])[name], root);
  }
  if (Array.isArray(value)) return value.map((member) => inlined(member, root));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, inlined(member, root)]));
}

describe("a document with shared parts", () => {
  const shared = shareParts(document);

  it("is the same document once references are replaced", () => {
    for (const part of ["paths", "webhooks"] as const) {
      expect(inlined(shared[part], { ...shared })).toEqual(document[part]);
    }
    expect(inlined(shared.schemas["Loaf"], { ...shared })).toEqual(loaf);
  });

  it("has equal schemas and responses once, under the name of the place where they are met first", () => {
    expect(Object.keys(shared.schemas)).toEqual(["Loaf", "Price"]);
    expect(Object.keys(shared.responses)).toEqual(["NotFound"]);
    expect(JSON.stringify(shared).match(/ISO 4217 code/g)).toHaveLength(1);
    expect(shared.schemas["Loaf"]).toEqual({
      type: "object",
      properties: {
        price: { $ref: "#/components/schemas/Price" },
        old_price: { $ref: "#/components/schemas/Price" },
      },
    });
  });

  it("writes what a schema says for people and its default next to the reference", () => {
    const noted = { ...price, description: "Before the offer", default: { amount: 0, currency: "GBP" } };
    const both = { type: "object", properties: { price, old_price: noted } };
    expect(
      shareParts({ ...document, paths: {}, webhooks: {}, schemas: { Loaf: both } }).schemas["Loaf"],
    ).toEqual({
      type: "object",
      properties: {
        price: { $ref: "#/components/schemas/Price" },
        old_price: {
          $ref: "#/components/schemas/Price",
          description: "Before the offer",
          default: { amount: 0, currency: "GBP" },
        },
      },
    });
  });

  it("looks into a schema that has an example", () => {
    const shown = { ...loaf, example: { price: { amount: 350, currency: "GBP" } } };
    const { schemas } = shareParts({ ...document, paths: {}, webhooks: {}, schemas: { Loaf: shown } });
    expect(Object.keys(schemas)).toEqual(["Loaf", "Price"]);
  });

  it("counts a part in every list that it is in", () => {
    const parameters = [
      {
        name: "id",
        in: "path",
        required: true,
        description: "Id of the loaf, as its events have it",
        schema: { type: "string", maxLength: 64 },
      },
    ];
    const loaves = { responses: {}, parameters };
    const paths = {
      "/loaves/{id}/a": { get: loaves },
      "/loaves/{id}/b": { get: loaves },
      "/loaves/{id}/c": { get: loaves },
    };
    const { parameters: pool } = shareParts({ ...document, paths, webhooks: {}, schemas: {} });
    expect(pool).toEqual({ LoavesAId: parameters[0] });
  });

  it("leaves a part that occurs once where it is", () => {
    const alone = {
      ...document,
      schemas: {},
      webhooks: {},
      paths: { "/a": { get: { responses: { 404: refused } } } },
    };
    expect(shareParts(alone)).toEqual(alone);
  });
});
