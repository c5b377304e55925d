import { createHash } from "node:crypto";

import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createOpenApi } from "../../server/openapi/document.ts";
import { withExamples } from "../../server/openapi/examples.ts";
import { introduction } from "../../server/site/docs/introduction.ts";
import { toTemplate } from "../../server/openapi/operation.ts";
import { eventTypes, namespaces } from "../../server/registry.ts";
import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";
import { createAnswerCheck } from "./validator.ts";
import { endpoints, titleOf } from "./world.ts";
import { contractOf, memberOf, operationsOf, responsesOf, webhooksOf } from "./document.ts";

const BASE_URL = "http://platform.test";
const BYTES_MAX = 1_500_000;
const source = { namespaces, events: eventTypes, baseUrl: BASE_URL, version: "0.0.0", introduction };
const made = createOpenApi(source);
const documented = new Map(operationsOf(made).map((operation) => [operation.title, operation]));
const text = JSON.stringify(made);
const shown = endpoints.filter(({ route }) => !route.hidden);

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness.close());

describe("the OpenAPI document", () => {
  it("has the structure that was reviewed: a line for each route and schema", async () => {
    await expect(digestOf(made)).toMatchFileSnapshot("../golden/openapi-digest.txt");
  });

  it("is what the server serves, with an ETag", async () => {
    const answer = await harness.call("GET", "/openapi.json");
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect({ ...answer.json, info: { ...answer.json.info, version: "0.0.0" } }).toEqual(made);
    const etag = answer.headers.get("etag") ?? "";
    const again = await harness.call("GET", "/openapi.json", { headers: { "if-none-match": etag } });
    expect([again.status, again.text]).toEqual([304, ""]);
  });

  it("describes a file of a multipart form by its bytes, and as an object with base64 in JSON alone", () => {
    const { operation } = documented.get("POST /v1/forms/{id}/uploads") ?? {};
    const content = memberOf(operation, "requestBody", "content");
    expect(Object.keys(content ?? {})).toEqual(["application/json", "multipart/form-data"]);
    const schema = memberOf(content, "multipart/form-data", "schema");
    expect(schema).toMatchObject({ required: ["field", "file"] });
    expect(memberOf(schema, "properties", "file")).toEqual({ type: "string", format: "binary" });
  });

  it("has every route that is not hidden, and no other", () => {
    const listed = Array.from(documented.values(), ({ operation }) => String(operation["operationId"]));
    expect(listed.toSorted()).toEqual(shown.map(({ route }) => route.id).toSorted());
    expect(shown.length).toBeGreaterThan(15);
  });

  it.each(shown.map((endpoint) => [titleOf(endpoint), endpoint] as const))(
    "tells who may call: %s",
    (_, endpoint) => {
      const { namespace, route, path, scope } = endpoint;
      const operation = documented.get(`${route.method} ${toTemplate(path)}`)?.operation;
      const caller = { key: [{ api_key: [scope] }], admin: [{ operator_token: [] }], none: [] };
      expect(operation?.["security"]).toEqual(caller[namespace.auth]);
      const statuses = [...responsesOf(made, operation).keys()];
      expect(statuses).toEqual(expect.arrayContaining([route.status, 400, 431, 500, 503]));
      if (namespace.auth === "key") expect(statuses).toEqual(expect.arrayContaining([401, 403]));
    },
  );

  it("has every type of event under webhooks, with a body of its own", () => {
    const webhooks = Object.entries(Object(made["webhooks"]));
    expect(webhooks.map(([type]) => type)).toEqual(eventTypes.map(({ type }) => type));
    for (const [type, item] of webhooks) expect(JSON.stringify(item)).toContain(`"const":"${type}"`);
  });

  it("has no reference that leads nowhere", () => {
    const refs = new Set(Array.from(text.matchAll(/"\$ref":"#\/([^"]+)"/g), ([, ref = ""]) => ref));
    expect(refs.size).toBeGreaterThan(20);
    const lost = [...refs].filter((ref) => memberOf(made, ...ref.split("/")) === undefined);
    expect(lost).toEqual([]);
  });

  it("has schemas that compile", { timeout: 90_000 }, () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema({ ...made }, "document");
    const names = Object.keys(Object(memberOf(made, "components", "schemas")));
    for (const name of names)
      expect(ajv.getSchema(`document#/components/schemas/${name}`), name).toBeDefined();
    expect(names.length).toBeGreaterThan(15);
  });

  it("is small enough for editors and generators", () =>
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(BYTES_MAX));

  it("shares the schemas of resources with their examples", () => {
    const examples = { "reviews.reviews.list": { data: [{ id: "rev_recorded" }] } };
    const shared = createOpenApi({ ...source, namespaces: withExamples(namespaces, examples) });
    expect(memberOf(shared, "components", "schemas", "Reviews", "example")).toEqual({ id: "rev_recorded" });
    // One route answers with a JSON Schema, and shows one.
    const schemas = JSON.stringify(made, (name, value: unknown) => (name === "example" ? undefined : value));
    expect(schemas).not.toMatch(/"(\$schema|\$defs)":/);
  });
});

/**
 * One line for each operation and webhook with a hash of its contract, references replaced by what they refer to.
 * Descriptions and examples are left out: they can be reworded freely. A diff of this file names the routes whose
 * contract changed.
 */
function digestOf(value: unknown): string {
  const lines = [...operationsOf(value), ...webhooksOf(value)].map(
    (operation) => `${operation.title} ${hashOf(contractOf(value, operation))}`,
  );
  return `${lines.sort().join("\n")}\n`;
}

const hashOf = (part: unknown): string =>
  createHash("sha256").update(JSON.stringify(part)).digest("hex").slice(0, 12);

describe("the check of every answer", () => {
  const check = createAnswerCheck(namespaces, BASE_URL);
  const good = async () => {
    const answer = await harness.call("GET", "/v1/reviews", { key: await harness.key() });
    return { status: answer.status, headers: new Headers(answer.headers), text: answer.text };
  };

  it("passes a real answer", async () => {
    const answer = await good();
    expect(() => check("GET", "/v1/reviews", answer)).not.toThrow();
  });

  it.each([
    [
      "a member that is not documented",
      (text: string) => text.replace('"meta":{', '"meta":{"extra":1,'),
      /additional properties/,
    ],
    ["a member that is missing", (text: string) => text.replace(/"rate_limit":\{[^}]*\},/, ""), /rate_limit/],
    [
      "a member of another type",
      (text: string) => text.replace(/"remaining":\d+/, '"remaining":"1"'),
      /integer/,
    ],
    ["data that is no list", (text: string) => text.replace('"data":[]', '"data":{}'), /array/],
  ])("fails on %s", async (_, change, message) => {
    const answer = await good();
    const changed = { ...answer, text: change(answer.text) };
    expect(changed.text).not.toBe(answer.text);
    expect(() => check("GET", "/v1/reviews", changed)).toThrow(message);
  });

  it("fails on a member that is not documented in a resource that has members of another schema", async () => {
    expect(made).toHaveProperty("components.schemas.DeliveryZones.allOf");
    const zone = { name: "Hackney", patterns: ["E8"], fee_tiers: [{ from: 0, fee: 599 }] };
    const answer = await harness.call("POST", "/v1/delivery/zones", { key: await harness.key(), body: zone });
    expect([answer.status, answer.text]).toEqual([201, expect.stringContaining('"name":')]);
    const seen = { status: answer.status, headers: answer.headers, text: answer.text };
    expect(() => check("POST", "/v1/delivery/zones", seen)).not.toThrow();
    const more = { ...seen, text: seen.text.replace('"name":', '"extra":1,"name":') };
    expect(() => check("POST", "/v1/delivery/zones", more)).toThrow(/additional properties/);
  });

  it("fails on a status, a header or a media type that is not documented", async () => {
    const answer = await good();
    expect(() => check("GET", "/v1/reviews", { ...answer, status: 206 })).toThrow(/not documented/);
    const noLimit = new Headers(answer.headers);
    noLimit.delete("x-ratelimit-limit");
    expect(() => check("GET", "/v1/reviews", { ...answer, headers: noLimit })).toThrow(/X-RateLimit-Limit/);
    const asText = new Headers(answer.headers);
    asText.set("content-type", "text/plain");
    expect(() => check("GET", "/v1/reviews", { ...answer, headers: asText })).toThrow(/text\/plain/);
  });

  it("fails on an error that is not the specification's", async () => {
    const answer = await harness.call("GET", "/v1/reviews");
    const seen = { status: answer.status, headers: answer.headers, text: answer.text };
    expect(() => check("GET", "/v1/reviews", seen)).not.toThrow();
    const wrong = { ...seen, text: seen.text.replace("unauthorized", "forbidden") };
    expect(() => check("GET", "/v1/reviews", wrong)).toThrow(/error table/);
    const more = { ...seen, text: seen.text.replace('"status":401', '"status":401,"code":"x"') };
    expect(() => check("GET", "/v1/reviews", more)).toThrow(/extra members/);
  });
});
