import { readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";

import { describe, expect, it } from "vitest";

import { createOpenApi } from "../../server/openapi/document.ts";
import { eventTypes, namespaces } from "../../server/registry.ts";
import { breaksBetween } from "./breaking.ts";
import { withoutProse } from "./document.ts";

/*
 * `golden/released-contract.json.br` is the document of the last release without prose and examples. What breaks its clients is
 * in `golden/contract-breaks.txt`, in words, for review. PLATFORM_TEST_RELEASE=1 makes today's document the released one.
 */
const RELEASED = new URL("../golden/released-contract.json.br", import.meta.url);

const today = withoutProse(
  createOpenApi({
    namespaces,
    events: eventTypes,
    baseUrl: "http://platform.test",
    version: "0.0.0",
    introduction: () => "",
  }),
);
if (process.env["PLATFORM_TEST_RELEASE"] === "1") {
  writeFileSync(RELEASED, brotliCompressSync(JSON.stringify(today)));
}
const released: unknown = JSON.parse(brotliDecompressSync(readFileSync(RELEASED)).toString("utf8"));

describe("the contract since the last release", () => {
  it("breaks no client, except where it was reviewed", async () => {
    const lines = breaksBetween(released, today).map((line) => `${line}\n`);
    await expect(lines.join("")).toMatchFileSnapshot("../golden/contract-breaks.txt");
  });
});

const loaf = {
  type: "object",
  properties: {
    name: { type: "string", maxLength: 80 },
    crust: { type: "string", enum: ["dark", "light"] },
    weight: { type: ["integer", "null"], minimum: 0 },
    parts: { type: "array", items: { $ref: "#/components/schemas/Part" } },
  },
  required: ["name", "crust"],
};
const part = { anyOf: [{ type: "string" }, { type: "array", items: { $ref: "#/components/schemas/Part" } }] };

function documentOf(schema: unknown, more: Readonly<Record<string, unknown>> = {}): unknown {
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Loaf" } } };
  const operation = { parameters: [], requestBody: { content }, responses: { 200: { content } }, ...more };
  return { paths: { "/loaves": { post: operation } }, components: { schemas: { Loaf: schema, Part: part } } };
}
const changed = (name: string, member: unknown) => ({
  ...loaf,
  properties: { ...loaf.properties, [name]: member },
});

describe("the comparison of two documents", () => {
  it.each<[string, unknown, readonly string[]]>([
    ["nothing", documentOf(loaf), []],
    ["a new member", documentOf(changed("crumb", { type: "string" })), []],
    ["a longer text", documentOf(changed("name", { type: "string", maxLength: 90 })), []],
    ["a route that was removed", { paths: {} }, ["was removed"]],
    [
      "a shorter text",
      documentOf(changed("name", { type: "string", maxLength: 40 })),
      ["body.name has maxLength 40 instead of 80"],
    ],
    [
      "a value that was removed",
      documentOf(changed("crust", { type: "string", enum: ["dark"] })),
      ['body.crust is no longer "light"', 'response 200.crust is no longer "light"'],
    ],
    [
      "a type that was replaced",
      documentOf(changed("name", { type: "integer" })),
      ["body.name is integer instead of string", "response 200.name is integer instead of string"],
    ],
    [
      "null that is refused",
      documentOf(changed("weight", { type: "integer", minimum: 0 })),
      ["body.weight is integer instead of null"],
    ],
    [
      "null that was never sent",
      documentOf(changed("name", { type: ["string", "null"], maxLength: 80 })),
      ["response 200.name is null instead of string"],
    ],
    [
      "members that are required, or no longer sent",
      documentOf({ ...loaf, required: ["name", "weight"] }),
      ["body.weight is now required", "response 200.crust is no longer always present"],
    ],
    [
      "a member that was removed",
      documentOf({ ...changed("parts", undefined), additionalProperties: false }),
      ["body.parts was removed", "response 200.parts was removed"],
    ],
    [
      "a parameter that is required",
      documentOf(loaf, { parameters: [{ in: "query", name: "day", required: true, schema: {} }] }),
      ["the query parameter day is now required"],
    ],
    [
      "another scope",
      documentOf(loaf, { security: [{ api_key: ["bread:write"] }] }),
      ['the caller needs [{"api_key":["bread:write"]}] instead of undefined'],
    ],
  ])("finds %s", (_, after, breaks) => {
    // Members without a value are left out, as in a document that was read from a file.
    const document: unknown = JSON.parse(JSON.stringify(after));
    expect(breaksBetween(documentOf(loaf), document)).toEqual(breaks.map((line) => `POST /loaves: ${line}`));
  });
});
