import { readFileSync } from "node:fs";

import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";

import { toJsonSchema } from "../../server/openapi/schemas.ts";
import { createHarness } from "../harness.ts";
import type { Endpoint } from "../../server/http/namespace.ts";
import {
  callExample,
  createWorld,
  endpoints,
  isStream,
  keyEndpoints,
  pathOf,
  queryOf,
  titleOf,
} from "./world.ts";
import type { World } from "./world.ts";

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

  it("gives a documented answer to every example, and a success to all but those that are listed", async () => {
    const harness = await createHarness();
    const refusals: string[] = [];
    const shared = await createWorld(harness);
    for (const endpoint of callable) {
      // The harness compares each answer with the OpenAPI document.
      const world = endpoint.route.method === "GET" ? shared : await createWorld(harness);
      let answer = await callExample(harness, endpoint, { world });
      expect(answer.status, `${titleOf(endpoint)} ${answer.text}`).toBeLessThan(500);
      // Another document of the list may be in the state that the example needs.
      for (const path of otherPaths(endpoint, world)) {
        if (answer.status < 300) break;
        answer = await callExample(harness, endpoint, { world, path });
      }
      if (answer.status >= 300) refusals.push(endpoint.route.id);
    }
    await harness.close();
    // A line less is removed from the file; a route that needs one more should have data in the demo store instead.
    expect(refusals.sort()).toEqual(LISTED);
    // Every writing route gets a filled store of its own.
  }, 300_000);
});

/** Routes whose example needs a state that no document of the demo store has; tests of the engines bring it about. */
const LISTED = readFileSync(new URL("example-refusals.txt", import.meta.url), "utf8")
  .split("\n")
  .filter(Boolean);

const PATHS_MAX = 8;

/** The path of a route with its first parameter from each document of its list. */
function otherPaths(endpoint: Endpoint, world: World): string[] {
  const listPath = endpoint.path.slice(0, Math.max(0, endpoint.path.indexOf("/:")));
  const own = pathOf(endpoint, world);
  const rest = own
    .slice(listPath.length + 1)
    .split("/")
    .slice(1);
  return (world.lists.get(listPath) ?? [])
    .slice(0, PATHS_MAX)
    .map(({ id }) => [listPath, String(id), ...rest].join("/"))
    .filter((path) => path !== own)
    .map((path) => path + queryOf(endpoint, world));
}

function errorsOf(schema: object, value: unknown): string {
  const validate = ajv.compile(schema);
  return validate(value) ? "" : ajv.errorsText(validate.errors);
}
