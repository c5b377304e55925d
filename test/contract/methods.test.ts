import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";
import { createWorld, endpoints, isStream, pathOf, queryOf, titleOf } from "./world.ts";
import type { World } from "./world.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

let harness: Harness;
let world: World;
beforeAll(async () => {
  harness = await createHarness();
  world = await createWorld(harness);
});
afterAll(() => harness.close());

const byPath = [...new Set(endpoints.map(({ path }) => path))].map(
  (path) => [path, endpoints.filter((endpoint) => endpoint.path === path)] as const,
);
const tokenFor = (auth: string): string | undefined =>
  auth === "key" ? world.key.plaintext : auth === "admin" ? harness.adminToken : undefined;

describe("paths", () => {
  it("has paths to look at", () => expect(byPath.length).toBeGreaterThan(20));

  it.each(byPath)("405 with Allow for every other method: %s", async (_, found) => {
    const [first] = found;
    if (first === undefined) throw new Error("no endpoint");
    const known = found.map(({ route }) => route.method);
    const allow = known.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
    const others = [...METHODS.filter((method) => !known.includes(method)), "PURGE"];
    for (const method of others) {
      const answer = await harness.call(method, pathOf(first), { key: tokenFor(first.namespace.auth) });
      expect([method, answer.status]).toEqual([method, 405]);
      expect(new Set(answer.headers.get("allow")?.split(", "))).toEqual(new Set([...allow, "OPTIONS"]));
    }
  });

  it.each(byPath)("OPTIONS is 204 with Allow, without a key and without cost: %s", async (_, [first]) => {
    if (first === undefined) throw new Error("no endpoint");
    const answer = await harness.call("OPTIONS", pathOf(first));
    expect(answer.status).toBe(204);
    expect(answer.text).toBe("");
    expect(answer.headers.get("allow")).toContain(first.route.method);
    expect(answer.headers.get("x-ratelimit-limit")).toBeNull();
  });

  it.each(byPath)("404 below: %s", async (_, [first]) => {
    if (first === undefined) throw new Error("no endpoint");
    const path = `${pathOf(first)}/no/such/thing/here`.replaceAll("//", "/");
    const answer = await harness.call("GET", path, { key: tokenFor(first.namespace.auth) });
    expect(answer.status).toBe(404);
    expect(answer.json.error.detail).not.toContain("such/thing");
  });
});

describe("HEAD", () => {
  const readable = endpoints.filter((endpoint) => endpoint.route.method === "GET" && !isStream(endpoint));
  // What a one-time link shows once is tested where it is made.
  const repeatable = readable.filter(({ route }) => !route.sensitive);
  it("has routes to look at", () => expect(repeatable.length).toBeGreaterThan(15));

  it.each(repeatable.map((endpoint) => [titleOf(endpoint), endpoint] as const))(
    "HEAD has the status and headers of GET and no body: %s",
    async (_, endpoint) => {
      const key = tokenFor(endpoint.namespace.auth);
      const path = pathOf(endpoint, world) + queryOf(endpoint, world);
      const get = await harness.call("GET", path, { key });
      const head = await harness.call("HEAD", path, { key });
      expect(head.text).toBe("");
      expect(head.status).toBe(get.status);
      const VARYING = /^(x-request-id|ratelimit|x-ratelimit-remaining|content-length)$/;
      const headers = ({ headers: all }: { headers: Headers }) =>
        [...all].filter(([name]) => !VARYING.test(name));
      expect(headers(head)).toEqual(headers(get));
    },
  );
});
