import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";

import { recordExamples } from "../../server/examples.ts";
import { createOpenApi } from "../../server/openapi/document.ts";
import { withExamples } from "../../server/openapi/examples.ts";
import { toJsonSchema } from "../../server/openapi/schemas.ts";
import { engines, namespaces } from "../../server/registry.ts";
import { introduction } from "../../server/site/docs/introduction.ts";
import { createHarness } from "../harness.ts";
import type { Answer } from "../harness.ts";
import type { Endpoint } from "../../server/http/namespace.ts";
import { preludes } from "./preludes.ts";
import { follow, memberOf, operationsOf } from "./document.ts";
import { createScene } from "./scene.ts";
import type { Scene, Target } from "./scene.ts";
import { adminEndpoints, endpoints, isStream, keyEndpoints, pathOf, queryOf, titleOf } from "./world.ts";
import type { World } from "./world.ts";

const table = endpoints.map((endpoint) => [titleOf(endpoint), endpoint] as const);
const recorded = await recordExamples();
/** What the reference shows of the answer of a route. */
const shown = new Map(
  endpoints.map(({ route }) => [route.id, recorded[route.id]?.data ?? route.example.data]),
);
const ajv = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } });
addFormats.default(ajv);

describe("examples", () => {
  it.each(table)("the example is what the route itself takes and gives: %s", (_, { route }) => {
    const { example } = route;
    if (route.params !== null) expect(route.params.safeParse(example.params).error).toBeUndefined();
    if (route.query !== null) expect(route.query.safeParse(example.query ?? {}).error).toBeUndefined();
    if (route.body !== null) expect(route.body.safeParse(example.body).error).toBeUndefined();
  });

  it.each(table.filter(([, { route }]) => !route.hidden))(
    "its JSON Schema says the same: %s",
    (_, { route }) => {
      const { example } = route;
      if (route.body !== null) expect(errorsOf(toJsonSchema(route.body, "input"), example.body)).toBe("");
      const data = shown.get(route.id);
      if (data !== undefined) expect(errorsOf(toJsonSchema(route.data, "output"), data)).toBe("");
    },
  );

  it("show answers that the demo data gave, the same in every build", async () => {
    expect(await recordExamples()).toEqual(recorded);
    const byHand = engines.flatMap(({ routes }) =>
      routes.filter(({ example }) => example.data !== undefined),
    );
    // A random one.
    expect(byHand.map(({ id }) => id)).toEqual(["forms.challenges.create"]);
  });

  it("show an answer of every resource", () => {
    const document = createOpenApi({
      namespaces: withExamples(namespaces, recorded),
      events: [],
      baseUrl: "https://api.shop.example",
      version: "1.0.0",
      introduction,
    });
    const lacking = operationsOf(document).filter(({ operation }) => {
      const [success] = Object.entries(Object(operation["responses"])).filter(([status]) =>
        status.startsWith("2"),
      );
      const media = memberOf(follow(document, success?.[1]), "content", "application/json");
      if (media === undefined || memberOf(media, "example") !== undefined) return false;
      const schema = follow(document, memberOf(media, "schema"));
      const data = follow(document, memberOf(schema, "properties", "data") ?? schema);
      const one = follow(document, memberOf(data, "items") ?? data);
      return memberOf(one, "example") === undefined;
    });
    // Its demo source takes no file; the answer is that of PATCH /headcount-sources/{id} with what was read.
    expect(lacking.map(({ title }) => title)).toEqual(["POST /v1/catering/headcount-sources/{id}/refresh"]);
  });
});

describe("live examples", () => {
  const callable = [...keyEndpoints, ...adminEndpoints].filter((endpoint) => !isStream(endpoint));

  it("give the documented success to every example, and 304 to what the client has already", async () => {
    const refused: string[] = [];
    const notRevalidated: string[] = [];
    // The harness compares each answer with the OpenAPI document.
    const harness = await createHarness();
    const shared = await createScene(harness);
    for (const endpoint of callable) {
      const { id, method, status } = endpoint.route;
      if (id in ELSEWHERE) continue;
      // What an operator reads is about the whole platform: it has one store.
      const own = endpoint.namespace.auth === "admin" ? await createHarness() : harness;
      const isShared = own === harness && method === "GET" && preludes[id] === undefined;
      const scene = isShared ? shared : await createScene(own, {}, endpoint.namespace.name);
      const { answer, target } = await play(scene, endpoint);
      if (answer.status !== status) refused.push(`${id} ${answer.status} ${answer.text.slice(0, 300)}`);
      const etag = answer.headers.get("etag");
      if (method === "GET" && etag !== null && !CHANGES.has(id)) {
        const again = await scene.send(id, { ...target, headers: { "if-none-match": etag } });
        if (again.status !== 304) notRevalidated.push(`${id} ${again.status}`);
      }
      if (own !== harness) await own.close();
    }
    await harness.close();
    expect({ refused, notRevalidated }).toEqual({ refused: [], notRevalidated: [] });
    // Every writing route gets a filled store of its own.
  }, 600_000);
});

/** It contains how much of its limits the key has left, and each request takes some. */
const CHANGES: ReadonlySet<string> = new Set(["account.account.get"]);

/** Routes that no memory driver and no working mail server brings to a success, and the tests that do. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "admin.storage.compact": "serve/operator.test.ts",
  "admin.mail.retry": "mail/outbox.test.ts",
};

/** Sends an example, after its prelude; without one, to the documents of its list in turn. */
async function play(scene: Scene, endpoint: Endpoint): Promise<{ answer: Answer; target: Target }> {
  const { route } = endpoint;
  const prelude = preludes[route.id];
  if (prelude !== undefined) {
    const target = await prelude(scene);
    return { answer: await scene.send(route.id, target), target };
  }
  let answer = await scene.send(route.id);
  let target: Target = {};
  // Another document of the list may be in the state that the example needs.
  for (const path of otherPaths(endpoint, scene.world)) {
    if (answer.status < 300) break;
    target = { path };
    answer = await scene.send(route.id, target);
  }
  return { answer, target };
}

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
