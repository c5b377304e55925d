import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { collectGarbage } from "../support/collect-garbage.ts";
import { createWorld, endpoints, isStream, pathOf, titleOf } from "../contract/world.ts";
import type { World } from "../contract/world.ts";
import { createWatchedStore } from "../contract/dump.ts";
import type { SeenAnswer } from "../contract/validator.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { createHarness, createTestClock } from "../harness.ts";
import type { Harness } from "../harness.ts";
import { openWire } from "./wire.ts";
import type { Wire, WireRequest } from "./wire.ts";

// Whatever is sent to whichever route: the answer is a documented refusal, and the store is as it was.

const { store, changes } = createWatchedStore(createMemoryDriver({ clock: createTestClock() }));
let harness: Harness;
let wire: Wire;
let world: World;
beforeAll(async () => {
  harness = await createHarness({ store });
  wire = await openWire(harness);
  world = await createWorld(harness);
});
afterAll(async () => {
  await wire.close();
  await harness.close();
});

type Target = (typeof endpoints)[number];

const tokenOf = ({ namespace }: Target): Record<string, string> => {
  if (namespace.auth === "none") return {};
  return { authorization: `Bearer ${namespace.auth === "key" ? world.key.plaintext : harness.adminToken}` };
};

function send(endpoint: Target, request: Partial<WireRequest>): Promise<SeenAnswer> {
  return wire.send({
    method: endpoint.route.method,
    path: pathOf(endpoint, world),
    ...request,
    headers: { ...tokenOf(endpoint), ...request.headers },
  });
}

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const join = (...parts: (string | Uint8Array)[]): Uint8Array =>
  Buffer.concat(parts.map((part) => Buffer.from(part)));

const BODIES: readonly [string, number, string | Uint8Array][] = [
  ["nothing", 400, ""],
  ["blanks", 400, "  \n "],
  ["half an object", 400, '{"name":'],
  ["two values", 400, "{} {}"],
  ["a comment", 400, "{/* */}"],
  ["single quotes", 400, "{'name':1}"],
  ["a trailing comma", 400, '{"name":1,}'],
  ["NaN", 400, '{"name":NaN}'],
  ["a NUL byte", 400, '{"name":"a\0b"}'],
  ["a raw line feed in a string", 400, '{"name":"a\nb"}'],
  ["two byte order marks", 400, join(bytes(0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf), "{}")],
  ["UTF-16", 400, Buffer.from("{}", "utf16le")],
  ["invalid UTF-8", 400, join('{"name":"', bytes(0xff, 0xfe), '"}')],
  ["overlong UTF-8", 400, join('{"name":"', bytes(0xc0, 0xaf), '"}')],
  ["half a surrogate in UTF-8", 400, join('{"name":"', bytes(0xed, 0xa0, 0x80), '"}')],
  ["__proto__", 400, '{"__proto__":{"admin":true}}'],
  ["__proto__, escaped", 400, '{"\\u005f\\u005fproto\\u005f\\u005f":{"admin":true}}'],
  ["__proto__, deep inside", 400, '{"a":[{"b":{"__proto__":1}}]}'],
  ["10,000 arrays", 400, "[".repeat(10_000) + "]".repeat(10_000)],
  ["10,000 objects", 400, '{"a":'.repeat(10_000) + "1" + "}".repeat(10_000)],
  ["33 levels", 400, "[".repeat(33) + "]".repeat(33)],
  ["half a surrogate, escaped", 422, '{"name":"\\ud800"}'],
  ["half a surrogate in the name of a member", 422, '{"a":[{"\\udc00":1}]}'],
  ["a list", 422, "[]"],
  ["null", 422, "null"],
  ["a number", 422, "1e309"],
  ["a string", 422, '"{}"'],
  ["2 MiB of brackets", 413, "[".repeat(2 * 1_048_576)],
];

/** Members that hold an object of the caller's own making. */
const OPEN_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  "forms.validations.create": ["data"],
  "answeros.schemas.create": ["jsonld"],
  "answeros.schemas.update": ["jsonld"],
};

/** What strangers may hand in is limited by visitor as well; the console asks for a login first. */
function refusals({ route }: Target, ...statuses: readonly number[]): number[] {
  return [
    ...statuses,
    ...(route.open === "submit" ? [429] : []),
    ...(route.id.startsWith("pages.console-") ? [401] : []),
  ];
}

const withBody = endpoints.filter(({ route }) => route.body !== null);

describe("bodies", () => {
  it("has routes of every family to look at", () => {
    const families = new Set(withBody.map(({ namespace }) => namespace.name));
    expect([...families]).toEqual(
      expect.arrayContaining(["delivery", "account", "signup", "admin", "pages"]),
    );
  });

  it.each(withBody.map((endpoint) => [titleOf(endpoint), endpoint] as const))(
    "the documented 4xx and no change: %s",
    async (_, endpoint) => {
      const before = changes();
      const mayBeLeftOut = endpoint.route.body?.safeParse(undefined).success === true;
      for (const [title, status, body] of BODIES) {
        if (body === "" && mayBeLeftOut) continue;
        const answer = await send(endpoint, { body, headers: { "content-type": "application/json" } });
        expect([title, answer.status, answer.text.slice(0, 200)]).toEqual([
          title,
          expect.toBeOneOf(refusals(endpoint, status)),
          expect.anything(),
        ]);
      }
      expect(changes()).toBe(before);
    },
  );

  it.each(withBody.map((endpoint) => [titleOf(endpoint), endpoint] as const))(
    "422 for members of every wrong type: %s",
    async (_, endpoint) => {
      const before = changes();
      const example = Object(endpoint.route.example.body ?? {});
      const open = OPEN_MEMBERS[endpoint.route.id] ?? [];
      for (const name of Object.keys(example)) {
        // `metadata` is a map of texts: the first is one.
        const operator = name === "metadata" ? [] : [{ $gt: "" }];
        const objects: readonly unknown[] = open.includes(name)
          ? []
          : [...operator, { toString: 1 }, { length: 1e9 }];
        for (const value of [[[[]]], ...objects]) {
          const body = JSON.stringify({ ...example, [name]: value });
          const answer = await send(endpoint, { body, headers: { "content-type": "application/json" } });
          expect([name, value, answer.status]).toEqual([
            name,
            value,
            expect.toBeOneOf(refusals(endpoint, 422)),
          ]);
        }
      }
      expect(changes()).toBe(before);
    },
  );
});

const SEGMENTS: readonly string[] = [
  "%00",
  "a%00b",
  "..%2f..%2f..%2fetc%2fpasswd",
  "%2e%2e%2f%2e%2e",
  "..%5c..%5c",
  "%252e%252e%252f",
  "a%0d%0aSet-Cookie:%20a=b",
  "%E2%80%AE",
  "%F0%9F%8D%9E",
  "'%20OR%201=1--",
  "%7B%22$gt%22:%22%22%7D",
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "undefined",
  "null",
  "*",
  "~",
  "a:b",
  "a;b",
  "zon_",
  "x".repeat(4000),
];
const BROKEN = ["%", "%zz", "%c0%af", "%ff", "%ed%a0%80", "%u0041"];

/** A cart goes by whatever id the shop gives it: no name is unknown there. */
const NAMED_BY_CALLER = ["cart.carts.put", "cart.carts.convert"];
const withParams = endpoints.filter(
  (endpoint) =>
    endpoint.path.includes("/:") && !isStream(endpoint) && !NAMED_BY_CALLER.includes(endpoint.route.id),
);
const fill = ({ path }: Target, segment: string): string => path.replaceAll(/:[A-Za-z_]\w*/g, segment);

describe("paths", () => {
  it.each(withParams.map((endpoint) => [titleOf(endpoint), endpoint] as const))(
    "a 4xx and no change: %s",
    async (_, endpoint) => {
      const before = changes();
      const body =
        endpoint.route.body === null ? {} : { body: JSON.stringify(endpoint.route.example.body ?? {}) };
      const headers = { "content-type": "application/json" };
      for (const segment of SEGMENTS) {
        const answer = await send(endpoint, { path: fill(endpoint, segment), headers, ...body });
        // A question about anything may be answered, with a no; nothing else may come of it.
        const isQuestion = endpoint.route.method === "GET";
        const expected = refusals(endpoint, 404, 409, 422, ...(isQuestion ? [200] : []));
        expect([segment, answer.status]).toEqual([segment, expect.toBeOneOf(expected)]);
        expect(answer.headers.get("set-cookie")).toBeNull();
      }
      for (const segment of BROKEN) {
        const answer = await send(endpoint, { path: fill(endpoint, segment), headers, ...body });
        expect([segment, answer.status]).toEqual([segment, 400]);
      }
      expect(changes()).toBe(before);
    },
  );

  it.each([
    "/v1/../v1/reviews",
    "/v1/%2e%2e/api/platform/admin/keys",
    "/v1//reviews",
    "//v1/reviews",
    "/v1/reviews/..",
    "/V1/reviews",
    "/v1/reviews%2f",
    "/v1/rev%69ews",
    "/v1/reviews;x=1",
    "/v1/./reviews",
    "/v1/reviews%00",
    "/v1\\reviews",
    "/api/platform/../../v1/reviews",
    "/docs/assets/../../../package.json",
    "/docs/assets/..%2f..%2f..%2fpackage.json",
    "/.git/config",
    "/.env",
  ])("leads nowhere else: %s", async (path) => {
    const answer = await wire.send({ path, headers: { authorization: `Bearer ${world.key.plaintext}` } });
    expect([path, answer.status]).toEqual([path, expect.toBeOneOf([400, 401, 404, 422])]);
  });

  it("does not let a customer's key or a twisted path into the operator's routes", async () => {
    for (const path of [
      "/api/platform/admin/keys",
      "/api/platform/%61dmin/keys",
      "/api//platform/admin/keys",
      "/API/platform/admin/keys",
    ]) {
      const answer = await wire.send({ path, headers: { authorization: `Bearer ${world.key.plaintext}` } });
      expect([path, answer.status]).toEqual([path, expect.toBeOneOf([401, 404])]);
    }
  });
});

const QUERIES: readonly [string, readonly number[]][] = [
  ["?%", [400]],
  ["?a=%zz", [400]],
  ["?limit=%ff", [400]],
  ["?limit=1&limit=1", [422]],
  ["?cursor=a&cursor=b", [422]],
  ["?limit=%00", [422]],
  ["?limit=1%00", [422]],
  ["?limit=1e400", [422]],
  ["?limit=0x10", [200, 422]],
  ["?cursor=%00", [422]],
  [`?cursor=${"A".repeat(5000)}`, [422]],
  ["?limit[]=1&limit[$gt]=", [200]],
  ["?__proto__=1&constructor=2&toString=3", [200]],
  ["?&&&===&", [200]],
  ["??", [200]],
  [`?${"a=b&".repeat(99)}`, [422]],
  [`?${"a=b&".repeat(3000)}`, [400]],
  [`?${Array.from({ length: 2000 }, (_, index) => `q${index}`).join("&")}`, [400]],
];

describe("queries", () => {
  const lists = endpoints.filter(
    ({ namespace, route }) =>
      namespace.auth === "key" &&
      route.method === "GET" &&
      route.isList &&
      route.query !== null &&
      "cursor" in route.query.shape,
  );

  it.each(lists.map((endpoint) => [titleOf(endpoint), endpoint] as const))(
    "never a 5xx: %s",
    async (_, endpoint) => {
      for (const [query, statuses] of QUERIES) {
        const answer = await send(endpoint, { path: pathOf(endpoint, world) + query });
        // A list may need a parameter of its own, and says so first or last.
        expect([query.slice(0, 60), answer.status]).toEqual([
          query.slice(0, 60),
          expect.toBeOneOf([...statuses, 422]),
        ]);
      }
    },
  );
});

describe("headers and methods", () => {
  const HEADERS: readonly [string, Record<string, string | readonly string[]>, number][] = [
    [
      "a huge ETag list",
      { "if-none-match": Array.from({ length: 400 }, (_, index) => `"${index}"`).join(", ") },
      200,
    ],
    ["a broken ETag", { "if-none-match": '"' }, 200],
    ["a prototype as content type", { "content-type": "__proto__" }, 200],
    ["a body that is announced twice over", { "content-type": ["application/json", "text/plain"] }, 200],
    ["an origin of nonsense", { origin: "javascript:alert(1)" }, 200],
    ["a forwarded address of nonsense", { "x-forwarded-for": "' OR 1=1, ::::, 999.1.1.1" }, 200],
    ["bytes beyond ASCII", { "user-agent": "\xff\xfe\xe9", accept: "\xe9" }, 200],
    ["a method in a header", { "x-http-method-override": "DELETE" }, 200],
  ];
  it.each(HEADERS)("%s", async (_, headers, status) => {
    const authorization = `Bearer ${world.key.plaintext}`;
    expect((await wire.send({ path: "/v1/reviews", headers: { authorization, ...headers } })).status).toBe(
      status,
    );
  });

  it.each(["TRACE", "PROPFIND", "MKCOL", "LOCK", "SEARCH", "PURGE", "LINK", "M-SEARCH", "SOURCE"])(
    "405 for %s on every family, and nothing changes",
    async (method) => {
      const before = changes();
      for (const path of [
        "/v1/delivery/zones",
        "/v1/account",
        "/api/platform/signup",
        "/api/platform/admin/keys",
        "/signup",
      ]) {
        const token = path.includes("admin") ? harness.adminToken : world.key.plaintext;
        const answer = await wire.send({ method, path, headers: { authorization: `Bearer ${token}` } });
        expect([path, answer.status]).toEqual([path, 405]);
        expect(answer.headers.get("allow")).toContain("OPTIONS");
      }
      expect(changes()).toBe(before);
    },
  );
});

describe("memory", () => {
  it("is given back after hundreds of refused requests", async () => {
    const authorization = `Bearer ${world.key.plaintext}`;
    const large = "[".repeat(1_000_000);
    const round = async (): Promise<number> => {
      for (let count = 0; count < 100; count += 1) {
        const id = `${count}${"x".repeat(500)}`;
        await wire.send({ path: `/v1/delivery/zones/${id}`, headers: { authorization } });
        await wire.send({ path: "/v1/reviews", headers: { authorization: `Bearer ${id}` } });
        await wire.send({
          method: "POST",
          path: "/v1/delivery/zones",
          headers: { authorization, "content-type": "application/json", "idempotency-key": id.slice(0, 200) },
          body: count % 10 === 0 ? large : "{}",
        });
      }
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    await round();
    const before = await round();
    const after = await round();
    expect((after - before) / 1_048_576).toBeLessThan(8);
  });
});
