import { z } from "zod";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createOpenApi } from "../../server/openapi/document.ts";
import { Instant } from "../../server/core/schema.ts";
import { introduction } from "../../server/site/docs/introduction.ts";
import { eventTypes, namespaces } from "../../server/registry.ts";
import { createHarness } from "../harness.ts";
import type { Harness, TestKey } from "../harness.ts";
import { adminEndpoints, endpoints, keyEndpoints, pathOf, queryOf, titleOf } from "./world.ts";

// What clients of other languages send and read: every place of every route, not a sample.

let harness: Harness;
let key: TestKey;
beforeAll(async () => {
  harness = await createHarness();
  key = await harness.key();
});
afterAll(() => harness.close());

const document = createOpenApi({
  namespaces,
  events: eventTypes,
  baseUrl: "http://platform.test",
  version: "0.0.0",
  introduction,
});

/** One instant as Go, Python, Ruby, PHP, Java and PostgreSQL print it. */
const SAME_INSTANT = [
  "2026-11-21T10:00:00.000Z",
  "2026-11-21T10:00:00Z",
  "2026-11-21t10:00:00z",
  "2026-11-21T10:00:00.0Z",
  "2026-11-21T10:00:00.000000000Z",
  "2026-11-21T10:00:00+00:00",
  "2026-11-21T10:00:00-00:00",
  "2026-11-21T12:30:00+02:30",
  "2026-11-21T02:00:00.000000-08:00",
  "2026-11-21 10:00:00Z",
];
const NO_INSTANT = [
  "2026-11-21",
  "2026-11-21T10:00Z",
  "2026-11-21T10:00:00",
  "2026-02-30T10:00:00Z",
  "2026-11-21T24:00:00Z",
  "2026-11-21T10:00:60Z",
  "2026-11-21T10:00:00+24:00",
  "2026-11-21T10:00:00+0200",
  "0000-01-01T00:00:00+01:00",
  "9999-12-31T23:59:59-01:00",
  `2026-11-21T10:00:00.${"0".repeat(60)}Z`,
  "Sat, 21 Nov 2026 10:00:00 GMT",
  "1795255200",
  "",
];

describe("instants", () => {
  it("are stored in UTC with milliseconds, whatever their offset and fraction", () => {
    for (const text of SAME_INSTANT) expect([text, Instant.parse(text)]).toEqual([text, SAME_INSTANT[0]]);
    expect(Instant.parse("2026-11-21T10:00:00.123987+00:00")).toBe("2026-11-21T10:00:00.123Z");
    expect(Instant.parse("2016-12-31T23:59:60Z")).toBe("2017-01-01T00:00:00.000Z");
    expect(Instant.parse("2017-01-01T00:59:60+01:00")).toBe("2017-01-01T00:00:00.000Z");
    for (const text of NO_INSTANT) expect([text, Instant.safeParse(text).success]).toEqual([text, false]);
  });

  it("are read so by every body, query and path", () => {
    let places = 0;
    for (const endpoint of endpoints) {
      for (const schema of [endpoint.route.body, endpoint.route.query, endpoint.route.params]) {
        if (schema === null) continue;
        for (const place of instantsOf(schema)) {
          places += 1;
          for (const text of SAME_INSTANT) {
            expect([titleOf(endpoint), text, z.safeParse(place, text).data]).toEqual([
              titleOf(endpoint),
              text,
              SAME_INSTANT[0],
            ]);
          }
        }
      }
    }
    expect(places).toBeGreaterThan(30);
  });

  it("keep their plus sign in a query that a client did not encode", async () => {
    const path = "/v1/content/drafts?updated_since=2026-11-21T10:00:00+02:00";
    expect((await harness.call("GET", path, { key })).status).toBe(200);
  });
});

/** The schemas of a request that its document calls `date-time`. */
function instantsOf(schema: z.ZodType): z.core.$ZodType[] {
  // A schema with checks is visited after the one that they were added to, at the same path.
  const places = new Map<string, z.core.$ZodType>();
  z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema, path }) => {
      if (jsonSchema.format === "date-time") places.set(path.join("/"), zodSchema);
    },
  });
  return [...places.values()];
}

describe("query parameters that a route does not know", () => {
  it.each([...keyEndpoints, ...adminEndpoints].map((endpoint) => [titleOf(endpoint), endpoint] as const))(
    "are refused: %s",
    async (_, endpoint) => {
      const query = queryOf(endpoint);
      const token = endpoint.namespace.auth === "key" ? key : harness.adminToken;
      const { route } = endpoint;
      const answer = await harness.call(
        route.method,
        `${pathOf(endpoint)}${query}${query === "" ? "?" : "&"}surprise=1`,
        { key: token, ...(route.body === null ? {} : { body: route.example.body ?? {} }) },
      );
      expect(answer.status).toBe(422);
      const parameters = answer.json.error.errors.map(({ parameter }: { parameter?: string }) => parameter);
      expect(parameters).toEqual(["surprise"]);
    },
  );

  it("are answered with the one that was probably meant", async () => {
    const answer = await harness.call("GET", "/v1/allergens/products?exclude=milk", { key });
    expect(answer.status).toBe(422);
    expect(answer.json.error.errors).toEqual([
      { parameter: "exclude", detail: "Unknown parameter. Did you mean `excludes`?" },
    ]);
    const far = await harness.call("GET", "/v1/account?frobnicate=1", { key });
    expect(far.json.error.errors[0].detail).toBe("Unknown parameter. This route has no parameters.");
  });

  it("pass on links and pages, where mail programs and trackers add their own", async () => {
    const answer = await harness.call("GET", "/?utm_source=mail");
    expect(answer.status).toBe(200);
  });
});

describe("bodies as the world sends them", () => {
  const path = "/v1/delivery/validate";
  const body = { postcode: "SW1A 1AA", basketTotal: 5_000 };
  const send = (text: string | Uint8Array<ArrayBuffer>, type = "application/json") =>
    harness.app.request(path, {
      method: "POST",
      headers: { authorization: `Bearer ${key.plaintext}`, "content-type": type },
      body: text,
    });

  it.each([
    "application/json",
    "Application/JSON",
    "application/json;charset=UTF-8",
    'application/json; charset="utf-8"',
    "application/json; charset=utf8",
    "application/json; charset=us-ascii",
    "application/json; profile=https://shop.example/profile; charset=utf-8",
    "application/vnd.shop.v2+json",
    "application/merge-patch+json; charset=utf-8",
    "application/ld+json",
  ])("are read with Content-Type %s", async (type) => {
    expect((await send(JSON.stringify(body), type)).status).toBe(200);
  });

  it.each([
    "application/json; charset=latin1",
    "application/vnd.shop+json; charset=utf-16",
    "application/jsonp",
    "application/vnd.shop+xml",
    "text/json",
    "application/+json",
    "application/json, text/plain",
    "+json",
  ])("are refused with Content-Type %s", async (type) => {
    expect((await send(JSON.stringify(body), type)).status).toBe(415);
  });

  it("are read behind a byte order mark", async () => {
    expect((await send(`\u{feff}${JSON.stringify(body)}`)).status).toBe(200);
    expect((await send(`\u{feff}\u{feff}${JSON.stringify(body)}`)).status).toBe(400);
  });

  it.each(["5e3", "5E+3", "50.00e2", "5000.0"])("have integers written %s", async (text) => {
    const answer = await send(JSON.stringify(body).replace("5000", text));
    expect(answer.status).toBe(200);
    expect((await send(JSON.stringify(body).replace("5000", "5e-1"))).status).toBe(422);
    const page = await harness.call("GET", "/v1/reviews?limit=1e1", { key });
    expect(page.json.meta.pagination.limit).toBe(10);
  });
});

describe("the document in other languages", () => {
  it("has patterns that ECMAScript, Python, Java and Go compile", () => {
    const patterns = new Set(findAll(document, "pattern").filter((value) => typeof value === "string"));
    expect(patterns.size).toBeGreaterThan(20);
    for (const pattern of patterns) {
      expect(() => new RegExp(pattern, "u"), pattern).not.toThrow();
      expect([pattern, foreignTo(pattern)]).toEqual([pattern, null]);
    }
  });

  it.each([
    [String.raw`^\P{Cc}*$`, "Python"],
    [String.raw`^(?!-)a$`, "Go"],
    [String.raw`^(?<=a)b$`, "Go"],
    [String.raw`^(a)\1$`, "Go"],
    [String.raw`^\u0041$`, "Go"],
    [String.raw`^(?<year>\d)$`, "Python"],
    [String.raw`^[^[]$`, "Java"],
    [String.raw`^[a&&b]$`, "Java"],
    [String.raw`^a{1,1001}$`, "Go"],
  ])("has none like %s, which %s refuses", (pattern, language) => {
    expect(foreignTo(pattern)).toBe(language);
  });

  it("has examples of parameters that have the type of the parameter", () => {
    const wrong = findAll(document, "parameters")
      .flatMap((list) => (Array.isArray(list) ? list : []))
      .filter((parameter) => Parameter.safeParse(parameter).success)
      .map((parameter) => Parameter.parse(parameter))
      .filter(({ schema: { type }, example }) => !isOfType(type, example))
      .map(({ name, schema, example }) => [name, schema.type, example]);
    expect(wrong).toEqual([]);
  });
});

const Parameter = z.object({
  name: z.string(),
  schema: z.object({ type: z.string() }),
  example: z.union([z.string(), z.number(), z.boolean()]),
});

function isOfType(type: string, value: unknown): boolean {
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

/** Every value of a member of that name, at any depth; examples are somebody else's data. */
function findAll(value: unknown, name: string): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [
    ...(key === name ? [member] : []),
    ...(key === "example" || key === "examples" ? [] : findAll(member, name)),
  ]);
}

/**
 * The first language whose regular expressions lack something that a pattern uses: re of Python, java.util.regex and
 * RE2 of Go have no common grammar to ask, so what they are known to differ in is listed here.
 */
function foreignTo(pattern: string): string | null {
  if (/\\[pP]/.test(pattern) || /\(\?<[A-Za-z]/.test(pattern)) return "Python";
  if (/\(\?(?!:)/.test(pattern) || /\\(?![\\^$.*+?()[\]{}|/\-dDwWsSbBnrtfx])/.test(pattern)) return "Go";
  if (/\\x(?![0-9a-f]{2})/i.test(pattern)) return "Go";
  const counts = Array.from(pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g), (match) =>
    Number(match[2] || match[1]),
  );
  if (counts.some((count) => count > 1_000)) return "Go";
  return /\[[^\]]*(?:\[|&&)[^\]]*\]/.test(pattern) ? "Java" : null;
}
