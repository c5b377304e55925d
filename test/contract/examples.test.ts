import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";

import { toJsonSchema } from "../../server/openapi/schemas.ts";
import { createHarness } from "../harness.ts";
import { callExample, createWorld, endpoints, isStream, keyEndpoints, titleOf } from "./world.ts";

const table = endpoints.map((endpoint) => [titleOf(endpoint), endpoint] as const);
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);

describe("examples", () => {
  it.each(table)("the example is what the route itself takes and gives: %s", (_, { route }) => {
    const { example } = route;
    if (route.params !== null) expect(route.params.safeParse(example.params).error).toBeUndefined();
    if (route.query !== null) expect(route.query.safeParse(example.query ?? {}).error).toBeUndefined();
    if (route.body !== null) expect(route.body.safeParse(example.body).error).toBeUndefined();
    if (example.data === undefined) return;
    expect(route.data.safeParse(example.data).error).toBeUndefined();
  });

  it.each(table.filter(([, { route }]) => !route.hidden))(
    "its JSON Schema says the same: %s",
    (_, { route }) => {
      const { example } = route;
      if (route.body !== null) expect(errorsOf(toJsonSchema(route.body, "input"), example.body)).toBe("");
      if (example.data !== undefined)
        expect(errorsOf(toJsonSchema(route.data, "output"), example.data)).toBe("");
    },
  );

  it.each(table.filter(([, { route }]) => !route.hidden && route.rawType === null && route.status !== 204))(
    "shows its answer: %s",
    (_, { route }) => expect(route.example.data).toBeDefined(),
  );
});

describe("live examples", () => {
  const callable = keyEndpoints.filter((endpoint) => !isStream(endpoint));

  it("gives a documented answer to every example, and a success to most", async () => {
    const harness = await createHarness();
    const refusals: string[] = [];
    const shared = await createWorld(harness);
    for (const endpoint of callable) {
      // The harness holds each answer against the OpenAPI document.
      const world = endpoint.route.method === "GET" ? shared : await createWorld(harness);
      const answer = await callExample(harness, endpoint, { world });
      expect(answer.status, `${titleOf(endpoint)} ${answer.text}`).toBeLessThan(500);
      if (answer.status >= 300) refusals.push(`${endpoint.route.id}: ${answer.text}`);
    }
    await harness.close();
    expect(refusals.length, refusals.join("\n")).toBeLessThan(callable.length / 4);
    // Every writing route gets a filled store of its own.
  }, 300_000);
});

function errorsOf(schema: object, value: unknown): string {
  const validate = ajv.compile(schema);
  return validate(value) ? "" : ajv.errorsText(validate.errors);
}
