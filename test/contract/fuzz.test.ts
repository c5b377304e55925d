import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createOpenApi } from "../../server/openapi/document.ts";
import { namespaces } from "../../server/registry.ts";
import { createHarness } from "../harness.ts";
import type { Answer, CallOptions, Harness } from "../harness.ts";
import { seeded } from "../seeded.ts";
import { arbitraryOf, spoilt } from "./arbitrary.ts";
import { follow, memberOf, operationsOf } from "./document.ts";
import type { DocumentedOperation, Tree } from "./document.ts";
import { createWorld, endpoints, isStream } from "./world.ts";
import type { World } from "./world.ts";

/*
 * Requests made from the document's own schemas to every operation, some of them a little wrong. The harness compares each
 * response with the document; none may be a failure of the server. `TEST_SEED` selects other requests.
 */
const RUNS = 5;
const settings = seeded(RUNS);

const document = createOpenApi({
  namespaces,
  events: [],
  baseUrl: "http://platform.test",
  version: "0.0.0",
  introduction: () => "",
});
const byId = new Map(endpoints.map((endpoint) => [endpoint.route.id, endpoint]));
/** Streams have no end; these two read or write the whole store of every file that runs in this process. */
const LEFT_OUT = new Set(["admin.storage.export", "admin.storage.backup", "admin.storage.restore"]);
const operations = operationsOf(document).filter(({ operation }) => {
  const id = String(operation["operationId"]);
  const endpoint = byId.get(id);
  return endpoint !== undefined && !isStream(endpoint) && !LEFT_OUT.has(id);
});

let harness: Harness;
let world: World;
beforeAll(async () => {
  harness = await createHarness();
  world = await createWorld(harness);
});
afterAll(() => harness.close());

const statuses = new Map<number, number>();

describe(`requests made from the document, seed ${settings.seed}`, () => {
  it.each(operations.map((operation) => [operation.title, operation] as const))(
    "%s",
    async (_, operation) => {
      await fc.assert(
        fc.asyncProperty(requestTo(operation), async ({ path, ...options }) => {
          const answer = await send(operation, path, options);
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          expect(
            answer.status,
            `${operation.method} ${path} ${JSON.stringify(options)} ${answer.text}`,
          ).toBeLessThan(500);
        }),
        { ...settings, endOnFailure: true },
      );
    },
  );

  it("are accepted and refused in turn", () => {
    expect((statuses.get(200) ?? 0) + (statuses.get(201) ?? 0)).toBeGreaterThan(operations.length / 2);
    expect(statuses.get(422) ?? 0).toBeGreaterThan(operations.length / 2);
  });
});

function send(
  { method, operation }: DocumentedOperation,
  path: string,
  options: CallOptions,
): Promise<Answer> {
  const [scheme = {}] = Array.isArray(operation["security"]) ? operation["security"] : [];
  const key = "api_key" in scheme ? world.key : "operator_token" in scheme ? harness.adminToken : undefined;
  return harness.call(method, path, { ...options, key });
}

type Request = { readonly path: string } & Pick<CallOptions, "body" | "headers">;

function requestTo({ path, operation, parameters }: DocumentedOperation): fc.Arbitrary<Request> {
  const named = (place: string) =>
    Object.fromEntries(
      parameters
        .filter((parameter) => parameter["in"] === place)
        .map((parameter) => [String(parameter["name"]), ofParameter(parameter)]),
    );
  const schema = memberOf(follow(document, operation["requestBody"]), "content", "application/json");
  const example = memberOf(schema, "example");
  const right =
    schema === undefined ? fc.constant(undefined) : arbitraryOf(document, memberOf(schema, "schema"));
  const body = fc.oneof(
    { weight: 3, arbitrary: right },
    { weight: 2, arbitrary: right.chain(spoilt) },
    { weight: 2, arbitrary: fc.constant(linked(example)) },
    { weight: 2, arbitrary: spoilt(linked(example)) },
  );
  return fc
    .record({
      params: fc.record(named("path")),
      query: fc.record(named("query"), { requiredKeys: [] }),
      headers: fc.record(named("header"), { requiredKeys: [] }),
      body: schema === undefined ? fc.constant(undefined) : body,
    })
    .map(({ params, query, headers, ...rest }) => ({
      path:
        path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(wellFormed(params[name]))) +
        queryText(query),
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      ...(rest.body === undefined ? {} : { body: rest.body }),
    }));
}

/** What the example shows, a live document's id, what the schema allows, or any text. */
function ofParameter({ schema, example, in: place, name }: Tree): fc.Arbitrary<unknown> {
  const typed = arbitraryOf(document, schema);
  const shown = example === undefined ? [] : [fc.constant(linked(example))];
  if (place === "header") return headerOf(String(name));
  const ids = [...world.ids.values()].flat();
  return fc.oneof(
    ...shown.map((arbitrary) => ({ weight: 5, arbitrary })),
    { weight: 2, arbitrary: typed },
    { weight: 1, arbitrary: fc.constantFrom(...ids) },
    { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 20, unit: "binary" }) },
    { weight: 1, arbitrary: fc.constantFrom("constructor", "__proto__", "a".repeat(3_000)) },
  );
}

const headerOf = (name: string): fc.Arbitrary<string> =>
  name === "X-Service-Store"
    ? fc.constant(world.key.storeId)
    : fc.oneof(fc.constantFrom('"1"', '"2"', "*", 'W/"x"'), fc.stringMatching(/^[!-~]{1,60}$/));

const queryText = (query: Readonly<Record<string, unknown>>): string => {
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, wellFormed(value)]);
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs).toString()}`;
};

/** As text that a URL can carry; a dot alone would change the path. */
const wellFormed = (value: unknown): string => {
  const text = (typeof value === "string" ? value : JSON.stringify(value)).replaceAll(/\p{Surrogate}/gu, "?");
  return /^\.{0,2}$/.test(text) ? "dots" : text;
};

/** An example with its ids replaced by those of documents that this store has. */
function linked(value: unknown): unknown {
  const text = JSON.stringify(value);
  if (text === undefined) return undefined;
  return JSON.parse(
    text.replaceAll(/"([a-z]+)_[0-9A-HJKMNP-TV-Z]{26}"/g, (id, prefix: string) => {
      const live = world.ids.get(prefix)?.[0];
      return live === undefined ? id : JSON.stringify(live);
    }),
  );
}
