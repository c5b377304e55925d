import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createMemoryDriver } from "../../server/storage/memory.ts";
import { StoreError } from "../../server/storage/contract.ts";
import { createHarness, createTestClock } from "../harness.ts";
import type { Answer, CallOptions, Harness, TestKey } from "../harness.ts";
import { cpuMs } from "../support/longest-turn.ts";

let harness: Harness;
let key: TestKey;
beforeEach(async () => {
  harness = await createHarness();
  key = await harness.key();
});
afterEach(() => harness.close());

const ZONE = { name: "Centre", patterns: ["SW1A"], fee_tiers: [{ from: 0, fee: 499 }] };
const makeZone = (more: CallOptions = {}): Promise<Answer> =>
  harness.call("POST", "/v1/delivery/zones", { key, body: ZONE, ...more });

/** One request for each class of answer. */
const classes: readonly [number, () => Promise<Answer>][] = [
  [200, () => harness.call("GET", "/v1/reviews", { key })],
  [201, () => makeZone()],
  [204, async () => harness.call("DELETE", `/v1/delivery/zones/${(await makeZone()).json.data.id}`, { key })],
  [304, () => harness.call("GET", "/v1/reviews", { key, headers: { "if-none-match": "*" } })],
  [400, () => makeZone({ body: "{" })],
  [401, () => harness.call("GET", "/v1/reviews")],
  [403, () => harness.call("GET", "/v1/reviews", { key, headers: { "x-service-store": "x" } })],
  [404, () => harness.call("GET", "/v1/nowhere", { key })],
  [405, () => harness.call("PUT", "/v1/reviews", { key })],
  [
    412,
    async () => {
      const path = `/v1/delivery/zones/${(await makeZone()).json.data.id}`;
      return harness.call("PATCH", path, { key, body: { name: "x" }, headers: { "if-match": '"999999"' } });
    },
  ],
  [413, () => makeZone({ body: `"${"x".repeat(1_048_576)}"` })],
  [415, () => makeZone({ headers: { "content-type": "text/plain" } })],
  [422, () => makeZone({ body: {} })],
  [204, () => harness.call("OPTIONS", "/v1/reviews")],
  [200, () => harness.call("HEAD", "/v1/reviews", { key })],
  [200, () => harness.call("GET", "/")],
  [200, () => harness.call("GET", "/openapi.json")],
  [404, () => harness.call("GET", "/nowhere")],
  [
    201,
    () =>
      harness.call("POST", "/api/platform/signup", { body: { email: "a@b.example", storeIdentifier: "s" } }),
  ],
];

describe("headers", () => {
  it.each(classes)("name the request and forbid sniffing on a %i", async (status, call) => {
    const answer = await call();
    expect(answer.status).toBe(status);
    expect(answer.headers.get("x-request-id")).toMatch(/^req_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("server")).toBeNull();
    expect(answer.headers.get("x-powered-by")).toBeNull();
    if (status < 400) return;
    const { type } = answer.json.error;
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("link")).toBe(
      `<http://platform.test/docs/errors/${type}>; rel="describedby"; type="text/html"`,
    );
  });

  it("name the same request in the body, and another one each time", async () => {
    const seen = new Set<string | null>();
    for (let count = 0; count < 50; count += 1) {
      const answer = await harness.call("GET", "/v1/reviews", { key, headers: { "x-request-id": "mine" } });
      expect(answer.json.meta.request_id).toBe(answer.headers.get("x-request-id"));
      seen.add(answer.headers.get("x-request-id"));
    }
    expect(seen.size).toBe(50);
  });

  it("answer errors as problem+json, whatever is asked for", async () => {
    for (const accept of ["text/html", "application/xml", "*/*;q=0", "text/plain", ""]) {
      const answer = await harness.call("GET", "/v1/nowhere", { key, headers: { accept } });
      expect(answer.headers.get("content-type")).toBe("application/problem+json");
    }
  });

  it("201 names where the new resource is", async () => {
    const made = await makeZone();
    const found = await harness.call("GET", made.headers.get("location") ?? "", { key });
    expect([found.status, found.json.data]).toEqual([200, made.json.data]);
    expect(found.headers.get("etag")).toBe(made.headers.get("etag"));
  });

  it("304 for a list only as long as nothing in it changes", async () => {
    const path = "/v1/delivery/zones";
    await makeZone();
    const list = await harness.call("GET", path, { key });
    const etag = list.headers.get("etag") ?? "";
    const ask = () => harness.call("GET", path, { key, headers: { "if-none-match": etag } });
    expect((await ask()).status).toBe(304);
    const { id } = list.json.data[0];
    await harness.call("PATCH", `${path}/${id}`, { key, body: { name: "Renamed" } });
    const changed = await ask();
    expect([changed.status, changed.json.data[0].name]).toEqual([200, "Renamed"]);
    expect(changed.headers.get("etag")).not.toBe(etag);
  });
});

describe("what a stranger can write into a request", () => {
  const hundred = (path: string, headers: Record<string, string>) => async () => {
    for (let n = 0; n < 100; n += 1) await harness.call("GET", path, { headers });
  };

  it("reads a long If-None-Match without taking it apart", async () => {
    const path = "/docs/assets/docs.js";
    const etag = (await harness.call("GET", path)).headers.get("etag") ?? "";
    const commas = ",".repeat(15_000);
    const ask = (value: string) => harness.call("GET", path, { headers: { "if-none-match": value } });
    expect((await ask(`${commas}W/${etag}`)).status).toBe(304);
    expect((await ask(etag.slice(0, -2))).status).toBe(200);
    expect(await cpuMs(20, hundred(path, { "if-none-match": commas }))).toBeLessThan(20);
  });

  it("reads no query of more than a hundred parameters", async () => {
    const query = (count: number) => Array.from({ length: count }, (_, n) => n.toString(36)).join("&");
    expect((await harness.call("GET", `/healthz?${query(100)}`)).status).toBe(200);
    const refused = await harness.call("GET", `/healthz?${query(101)}`);
    expect([refused.status, refused.json.error.detail]).toEqual([
      400,
      "The URL has more than 100 parameters.",
    ]);
    expect(await cpuMs(20, hundred(`/healthz?${query(3_500)}`, {}))).toBeLessThan(20);
  });
});

describe("errors of our own", () => {
  const failing = async (error: Error) => {
    const inner = createMemoryDriver({ clock: createTestClock() });
    const lines: object[] = [];
    const log = { debug() {}, info() {}, warn() {}, error: (fields: object) => void lines.push(fields) };
    let isDown = false;
    const page: typeof inner.page = async (...query) => {
      if (isDown) throw error;
      return inner.page(...query);
    };
    const broken = await createHarness({ store: { ...inner, page }, log });
    const caller = await broken.key();
    isDown = true;
    const answer = await broken.call("GET", "/v1/reviews", { key: caller });
    await broken.close();
    return { answer, lines };
  };

  it("500 tells nothing but the request id, and logs the cause once", async () => {
    const secret = new Error("connect postgres://user:hunter2@10.0.0.7");
    const { answer, lines } = await failing(secret);
    expect([answer.status, answer.json.error.type]).toEqual([500, "internal_server_error"]);
    expect(answer.text).toContain(answer.headers.get("x-request-id"));
    expect(answer.text).not.toMatch(/hunter2|postgres|\.ts|at \w+ \(/);
    expect(lines.filter((line) => "err" in line && line.err === secret).length).toBe(1);
  });

  it("503 with Retry-After when storage cannot be reached", async () => {
    const { answer } = await failing(new StoreError("UNAVAILABLE", "EIO on /srv/data/part.log"));
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(answer.text).not.toContain("/srv/data");
  });

  it("503 says that the storage is full, where it is: a retry helps only once there is room", async () => {
    const { answer } = await failing(new StoreError("FULL", "OOM command not allowed"));
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(answer.json.error.detail).toMatch(/is full\. Nothing was written; reads continue\./);
  });
});

// A route that no publishable key may call: open ones may be read by any page.
const CLOSED = "/v1/delivery/zones";

describe("CORS", () => {
  const EXPOSED = ["X-Request-Id", "Retry-After", "RateLimit", "X-RateLimit-Remaining", "Link", "ETag"];
  const withOrigins = (origins: string[]) => createHarness({ config: { cors: { origins } } });
  const from = (origin: string) => ({ headers: { origin } });

  it("lets a page read why a secret key is refused, unless its origin is configured", async () => {
    const answer = await harness.call("GET", CLOSED, { key, ...from("https://shop.example") });
    expect(answer.json.error.code).toBe("secret_key_in_browser");
    expect(answer.headers.get("access-control-allow-origin")).toBe("https://shop.example");
    expect((await harness.call("OPTIONS", CLOSED, from("https://shop.example"))).status).toBe(204);
  });

  it("lets a configured origin read answers, and any other only why it is refused", async () => {
    const open = await withOrigins(["https://shop.example"]);
    for (const path of [CLOSED, "/v1/nowhere"]) {
      const caller = await open.key();
      const good = await open.call("GET", path, { key: caller, ...from("https://shop.example") });
      expect(good.headers.get("access-control-allow-origin")).toBe("https://shop.example");
      expect(good.headers.get("vary")).toBe("Origin");
      for (const name of EXPOSED) expect(good.headers.get("access-control-expose-headers")).toContain(name);
      expect(good.headers.get("access-control-allow-credentials")).toBeNull();
      for (const other of [
        "https://evil.example",
        "https://shop.example.evil.example",
        "http://shop.example",
        "null",
      ]) {
        const answer = await open.call("GET", path, { key: caller, ...from(other) });
        expect([other, answer.json.error.code]).toEqual([other, "secret_key_in_browser"]);
      }
    }
    const refused = await open.call("GET", CLOSED, from("https://shop.example"));
    expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([
      401,
      "https://shop.example",
    ]);
    await open.close();
  });

  it("answers a preflight without a key, for the headers and methods that are used", async () => {
    const open = await withOrigins(["*"]);
    const preflight = await open.call("OPTIONS", "/v1/delivery/zones", {
      headers: {
        origin: "https://any.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization, content-type, idempotency-key",
      },
    });
    expect([preflight.status, preflight.text]).toEqual([204, ""]);
    expect(preflight.headers.get("access-control-allow-origin")).toMatch(/^(\*|https:\/\/any\.example)$/);
    const allowed = (preflight.headers.get("access-control-allow-headers") ?? "").toLowerCase();
    for (const name of ["authorization", "content-type", "idempotency-key", "if-match", "x-service-store"]) {
      expect(allowed).toContain(name);
    }
    const methods = preflight.headers.get("access-control-allow-methods") ?? "";
    for (const method of ["GET", "POST"]) expect(methods).toContain(method);
    const patch = await open.call("OPTIONS", "/v1/delivery/zones/zon_1", {
      headers: { origin: "https://any.example", "access-control-request-method": "PATCH" },
    });
    for (const method of ["PATCH", "DELETE"]) {
      expect(patch.headers.get("access-control-allow-methods")).toContain(method);
    }
    await open.close();
  });
});
