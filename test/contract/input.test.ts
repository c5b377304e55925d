import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createHarness } from "../harness.ts";
import type { Answer, Harness, TestKey } from "../harness.ts";
import { endpoints, isStrictBody, pathOf, requiredPlaces, titleOf, without } from "./world.ts";

let harness: Harness;
let key: TestKey;
beforeAll(async () => {
  harness = await createHarness();
  key = await harness.key();
});
afterAll(() => harness.close());

const withBody = endpoints.filter(({ route }) => route.body !== null);
const table = withBody.map((endpoint) => [titleOf(endpoint), endpoint] as const);
type Target = (typeof withBody)[number];

function send(endpoint: Target, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const { auth } = endpoint.namespace;
  const token = auth === "key" ? key : auth === "admin" ? harness.adminToken : undefined;
  return harness.call(endpoint.route.method, pathOf(endpoint), { key: token, body, headers });
}

describe("bodies", () => {
  it("has routes to look at", () => expect(withBody.length).toBeGreaterThan(5));

  it.each(table)("400 for malformed JSON: %s", async (_, endpoint) => {
    for (const body of ["{", '{"a":}', "nonsense", '{"a":1}}', '"']) {
      expect((await send(endpoint, body)).status).toBe(400);
    }
  });

  it.each(table)("415 for another media type: %s", async (_, endpoint) => {
    for (const type of ["text/plain", "application/xml", "application/json; charset=latin1"]) {
      const answer = await send(endpoint, "{}", { "content-type": type });
      expect([type, answer.status]).toEqual([type, 415]);
      expect(answer.headers.get("accept-post")).toBe("application/json");
    }
  });

  it.each(table)("413 past the limit: %s", async (_, endpoint) => {
    const answer = await send(endpoint, `"${"x".repeat(1_048_576)}"`);
    expect(answer.status).toBe(413);
  });

  it.each(table.filter(([, { route }]) => !route.hidden))(
    "422 for each required member that is missing: %s",
    async (_, endpoint) => {
      for (const place of requiredPlaces(endpoint)) {
        const answer = await send(endpoint, without(endpoint.route.example.body, place));
        expect([place, answer.status]).toEqual([place, 422]);
        const pointers = answer.json.error.errors.map((error: { pointer?: string }) => error.pointer);
        expect(pointers, JSON.stringify(answer.json)).toContain(`#/${place.join("/")}`);
      }
    },
  );

  it("finds required members to remove", () =>
    expect(withBody.flatMap(requiredPlaces).length).toBeGreaterThan(10));

  it.each(table.filter(([, endpoint]) => isStrictBody(endpoint)))(
    "422 for an unknown member: %s",
    async (_, endpoint) => {
      for (const name of ["surprise", "constructor", "customer_id_", "version_"]) {
        const answer = await send(endpoint, { ...Object(endpoint.route.example.body), [name]: 1 });
        expect([name, answer.status]).toEqual([name, 422]);
        expect(answer.json.error.errors).toContainEqual({
          pointer: `#/${name}`,
          detail: "Unknown member. Remove it or check its spelling.",
        });
      }
    },
  );

  it("takes unknown members nowhere but in the specification's own two requests and in documents of other systems", () => {
    const open = withBody.filter((endpoint) => !endpoint.route.hidden && !isStrictBody(endpoint));
    expect(open.map(({ route, path }) => `${route.method} ${path}`).sort()).toEqual([
      "POST /api/platform/signup",
      "POST /v1/delivery/validate",
      "POST /v1/menus/import",
    ]);
  });

  it.each(table)("422 for a body that is no object: %s", async (_, endpoint) => {
    for (const body of ["[]", "null", "1", '"text"', "true"]) {
      const answer = await send(endpoint, body);
      expect([body, answer.status]).toEqual([body, 422]);
    }
  });
});
