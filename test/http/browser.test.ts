import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import type { Incoming, Outgoing } from "../../server/http/messages.ts";
import type { Namespace } from "../../server/http/namespace.ts";
import { ok } from "../../server/core/reply.ts";
import { defineRoute } from "../../server/core/route.ts";
import { createHarness } from "../harness.ts";
import type { Harness, TestKey } from "../harness.ts";
import { many } from "../support/longest-turn.ts";
import { createPipeline } from "../support/match.ts";

// Routes of the test's own, so that it holds whatever the engines open.
const Seen = z.object({ is_public: z.boolean(), address_hash: z.string(), origin: z.string().nullable() });
const shared = { data: Seen, summary: "A route of the test" };
const show = (_: unknown, ctx: Parameters<Parameters<typeof defineRoute>[0]["handle"]>[1]) => {
  const { address_hash, origin } = ctx.visitor();
  return Promise.resolve(ok({ is_public: ctx.isPublic, address_hash, origin }));
};
const params = z.object({ id: z.string() });
const open: Namespace = {
  name: "forms",
  mount: "/v1/opentest",
  summary: "Test",
  auth: "key",
  part: "store",
  envelope: true,
  routes: [
    defineRoute({
      ...shared,
      id: "opentest.things.get",
      method: "GET",
      path: "/things/:id",
      open: "public",
      params,
      example: { params: { id: "x" } },
      handle: show,
    }),
    defineRoute({
      ...shared,
      id: "opentest.things.submit",
      method: "POST",
      path: "/things/:id",
      open: "submit",
      params,
      example: { params: { id: "x" } },
      handle: show,
    }),
    defineRoute({
      ...shared,
      id: "opentest.things.drop",
      method: "DELETE",
      path: "/things/:id",
      status: 200,
      params,
      example: { params: { id: "x" } },
      handle: show,
    }),
    defineRoute({
      ...shared,
      id: "opentest.closed.get",
      method: "GET",
      path: "/closed",
      example: {},
      handle: show,
    }),
  ],
};

const SHOP = "https://shop.example";
let harness: Harness;
let handle: (req: Incoming) => Promise<Outgoing>;
let secret: TestKey;
let pub: TestKey;

interface Sent {
  readonly method?: string;
  readonly key?: TestKey | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly peer?: string | null;
}
interface Got {
  readonly status: number;
  readonly header: (name: string) => string | null;
  readonly json: { data?: z.output<typeof Seen>; error?: { code?: string; type: string; detail: string } };
}

async function send(
  target: string,
  { method = "GET", key = pub, headers = {}, peer = null }: Sent,
): Promise<Got> {
  const all: Record<string, string> = {
    ...(key === null ? {} : { authorization: `Bearer ${key.plaintext}` }),
    ...headers,
  };
  const out = await handle({
    method,
    target,
    header: (name) => all[name],
    stream: () => new ReadableStream<Uint8Array>(),
    body: () => Promise.resolve(new Uint8Array()),
    signal: () => new AbortController().signal,
    peer,
  });
  return {
    status: out.status,
    header(name) {
      const at = out.headers.findIndex((value, index) => index % 2 === 0 && value.toLowerCase() === name);
      return at < 0 ? null : (out.headers[at + 1] ?? null);
    },
    json: typeof out.body === "string" && out.body !== "" ? JSON.parse(out.body) : {},
  };
}

const from = (origin: string) => ({ origin });

beforeAll(async () => {
  harness = await createHarness();
  handle = createPipeline(harness.services, [open]);
  secret = await harness.key({ scopes: ["forms:read", "forms:write", "account:write", "account:read"] });
  pub = await harness.key({
    kind: "publishable",
    scopes: ["forms:public", "forms:submit"],
    customer_id: secret.customerId,
    store_id: secret.storeId,
  });
  const told = await harness.call("PATCH", "/v1/account/browser", { key: secret, body: { origins: [SHOP] } });
  expect(told.status).toBe(200);
});
afterAll(() => harness.close());

describe("a publishable key", () => {
  it("calls what is open, and the handler knows it", async () => {
    const got = await send("/v1/opentest/things/a", { headers: from(SHOP) });
    expect([got.status, got.json.data?.is_public, got.json.data?.origin]).toEqual([200, true, SHOP]);
    expect((await send("/v1/opentest/things/a", { key: secret })).json.data?.is_public).toBe(false);
  });

  it("calls nothing else: 403 insufficient_scope", async () => {
    for (const [method, path] of [
      ["GET", "/v1/opentest/closed"],
      ["DELETE", "/v1/opentest/things/a"],
    ] as const) {
      const got = await send(path, { method });
      expect([got.status, got.json.error?.code]).toEqual([403, "insufficient_scope"]);
      expect(got.header("www-authenticate")).toBe('Bearer realm="platform", error="insufficient_scope"');
    }
  });

  it("needs the scope of the open route, whatever other scopes it was given", async () => {
    const key = await harness.key({
      kind: "publishable",
      scopes: ["forms:public", "forms:write", "forms:read"],
    });
    expect((await send("/v1/opentest/things/a", { key })).status).toBe(200);
    const got = await send("/v1/opentest/things/a", { method: "POST", key });
    expect([got.status, got.json.error?.code]).toEqual([403, "insufficient_scope"]);
    expect(got.header("www-authenticate")).toContain('scope="forms:submit"');
  });

  it("speaks for no store but its own", async () => {
    const other = await harness.key({ customer_id: secret.customerId, identifier: "second" });
    const headers = { "x-service-store": other.storeId };
    expect((await send("/v1/opentest/things/a", { headers })).status).toBe(403);
    expect(
      (await send("/v1/opentest/things/a", { headers: { "x-service-store": pub.storeId } })).status,
    ).toBe(200);
  });
});

describe("pages", () => {
  it("call with a publishable key from an origin that the store names, and from no other", async () => {
    const good = await send("/v1/opentest/things/a", { headers: from(SHOP) });
    expect(good.header("access-control-allow-origin")).toBe(SHOP);
    expect(good.header("vary")).toBe("Origin");
    expect(good.header("access-control-expose-headers")).toMatch(/X-Request-Id, Retry-After, .*ETag/);
    expect([good.header("etag") !== null, good.header("cache-control")]).toEqual([true, "private, no-cache"]);
    expect(good.header("access-control-allow-credentials")).toBeNull();
    for (const origin of ["https://evil.example", "http://shop.example", `${SHOP}.evil.example`, "null"]) {
      const got = await send("/v1/opentest/things/a", { headers: from(origin) });
      expect([origin, got.status, got.json.error?.code]).toEqual([origin, 403, "origin_not_allowed"]);
    }
  });

  it("without an Origin are no pages: a publishable key works on a server as well", async () => {
    expect((await send("/v1/opentest/things/a", {})).status).toBe(200);
    expect((await send("/v1/opentest/things/a", {})).header("access-control-allow-origin")).toBeNull();
  });

  it("may be any, where the store says so; test data have settings of their own", async () => {
    const key = await harness.key({ scopes: ["account:write"] });
    const page = {
      kind: "publishable" as const,
      scopes: ["forms:public"],
      customer_id: key.customerId,
      store_id: key.storeId,
    };
    const live = await harness.key(page);
    const test = await harness.key({ ...page, mode: "test" });
    await harness.call("PATCH", "/v1/account/browser", { key, body: { origins: ["*"] } });
    const headers = from("https://any.example");
    expect((await send("/v1/opentest/things/a", { key: live, headers })).status).toBe(200);
    expect((await send("/v1/opentest/things/a", { key: test, headers })).status).toBe(403);
  });

  it("must not hold a secret key, unless the store accepts that", async () => {
    const refused = await send("/v1/opentest/closed", { key: secret, headers: from(SHOP) });
    expect([refused.status, refused.json.error?.code]).toEqual([403, "secret_key_in_browser"]);
    const key = await harness.key();
    const body = { secret_keys: "accept" };
    expect((await harness.call("PATCH", "/v1/account/browser", { key, body })).status).toBe(200);
    expect((await send("/v1/opentest/closed", { key, headers: from(SHOP) })).status).toBe(200);
  });

  it("of the service itself may use any key, under whatever name they were opened", async () => {
    const own = await send("/v1/opentest/closed", { key: secret, headers: from("http://platform.test") });
    expect(own.status).toBe(200);
    const byHost = { origin: "http://127.0.0.1:3000", host: "127.0.0.1:3000" };
    expect((await send("/v1/opentest/closed", { key: secret, headers: byHost })).status).toBe(200);
    const byOther = { origin: "http://127.0.0.1:3001", host: "127.0.0.1:3000" };
    expect((await send("/v1/opentest/closed", { key: secret, headers: byOther })).status).toBe(403);
  });

  it("that the operator names may use secret keys, but publishable ones only where the store says so", async () => {
    const h = await createHarness({ config: { cors: { origins: [SHOP] } } });
    const ask = createPipeline(h.services, [open]);
    const own = handle;
    handle = ask;
    try {
      const key = await h.key();
      expect((await send("/v1/opentest/closed", { key, headers: from(SHOP) })).status).toBe(200);
      const page = await h.key({ kind: "publishable", scopes: ["forms:public"] });
      const got = await send("/v1/opentest/things/a", { key: page, headers: from(SHOP) });
      expect([got.status, got.json.error?.code]).toEqual([403, "origin_not_allowed"]);
    } finally {
      handle = own;
      await h.close();
    }
  });
});

describe("a preflight", () => {
  const preflight = (target: string) =>
    send(target, {
      method: "OPTIONS",
      key: null,
      headers: { ...from("https://any.example"), "access-control-request-method": "POST" },
    });

  it("of an open route is answered for any origin, with exactly these headers", async () => {
    const got = await preflight("/v1/opentest/things/a");
    expect(got.status).toBe(204);
    expect(got.header("access-control-allow-origin")).toBe("https://any.example");
    expect(got.header("access-control-allow-headers")?.toLowerCase()).toBe(
      "authorization, content-type, idempotency-key, if-match, if-none-match, x-form-token, x-service-store",
    );
    expect(got.header("access-control-allow-methods")).toContain("POST");
    expect(got.header("access-control-max-age")).toBe("600");
    expect(got.header("vary")).toBe("Origin");
    expect(got.header("access-control-allow-credentials")).toBeNull();
  });

  it("of any other route of the API is answered as well, so that a page can read why it is refused", async () => {
    const got = await preflight("/v1/opentest/closed");
    expect([got.status, got.header("access-control-allow-origin")]).toEqual([204, "https://any.example"]);
    const refused = await send("/v1/opentest/closed", { headers: from(SHOP) });
    expect([refused.status, refused.header("access-control-allow-origin")]).toEqual([403, SHOP]);
  });

  it("outside the API says nothing to a page", async () => {
    const got = await preflight("/api/platform/admin/keys");
    expect(got.header("access-control-allow-origin")).toBeNull();
  });
});

describe("the limits of a visitor", () => {
  const post = (form: string, peer: string | null, key?: TestKey) =>
    send(`/v1/opentest/things/${form}`, {
      method: "POST",
      peer,
      headers: from(SHOP),
      ...(key ? { key } : {}),
    });
  const statusesOf = async (calls: readonly (() => Promise<Got>)[]): Promise<number[]> => {
    const statuses: number[] = [];
    for (const call of calls) statuses.push((await call()).status);
    return statuses;
  };

  it("are 15 a minute for one form, then 429 with Retry-After; another visitor and form are not concerned", async () => {
    const got = await statusesOf(many(16, () => () => post("limit", "192.0.2.1")));
    expect(got).toEqual([...many(15, () => 200), 429]);
    const refused = await post("limit", "192.0.2.1");
    expect(refused.json.error?.detail).toMatch(
      /^Too many requests: at most 15 per minute from one IP address to this path\. Retry in \d+ seconds?\.$/,
    );
    expect(refused.header("retry-after")).toMatch(/^([1-9]|[1-5]\d|60)$/);
    expect(refused.header("access-control-allow-origin")).toBe(SHOP);
    expect((await post("limit", "192.0.2.2")).status).toBe(200);
    expect((await post("other", "192.0.2.1")).status).toBe(200);
    harness.clock.advance(60_000);
    expect((await post("limit", "192.0.2.1")).status).toBe(200);
  });

  it("are those of one form however its path is spelled", async () => {
    harness.clock.advance(60_000);
    const spelled = ["spelled", "%73pelled", "s%70elled", "spe%6Cled", "spe%6cled", "spelle%64"];
    const got = await statusesOf(many(16, (n) => () => post(spelled[n % 6] ?? "", "192.0.2.8")));
    expect(got).toEqual([...many(15, () => 200), 429]);
  });

  it("are 30 a minute over all forms", async () => {
    harness.clock.advance(60_000);
    const calls = Array.from({ length: 31 }, (_, index) => () => post(`form-${index % 10}`, "192.0.2.7"));
    const got = await statusesOf(calls);
    expect(got.filter((status) => status === 200)).toHaveLength(30);
    expect(got.at(-1)).toBe(429);
  });

  it("are those of the key for one path, whoever sends: on Friday evening all guests of a shop hold slots by the same", async () => {
    harness.clock.advance(60_000);
    const calls = Array.from({ length: 61 }, (_, index) => () => post("busy", `198.51.100.${index + 1}`));
    expect(new Set(await statusesOf(calls))).toEqual(new Set([200]));
    const free = await harness.key({ kind: "publishable", scopes: ["forms:submit"], plan: "free" });
    const all = Array.from({ length: 61 }, (_, n) => () => post("free", `198.51.101.${n + 1}`, free));
    const refused = (await statusesOf(all)).filter((status) => status === 429);
    expect(refused).toHaveLength(1);
  });

  it("are 100 an hour and 200 a day for one form", async () => {
    harness.clock.advance(3_600_000);
    const counts: number[] = [];
    for (let hour = 0; hour < 3; hour += 1) {
      let count = 0;
      for (let minute = 0; minute < 8; minute += 1) {
        const got = await statusesOf(many(14, () => () => post("slow", "192.0.2.9")));
        count += got.filter((status) => status === 200).length;
        harness.clock.advance(60_000);
      }
      counts.push(count);
      harness.clock.advance(52 * 60_000);
    }
    expect(counts).toEqual([100, 100, 0]);
  });

  it("let the forty guests of an event, who have one address, answer within three minutes", async () => {
    harness.clock.advance(86_400_000);
    const statuses: number[] = [];
    for (let minute = 0; minute < 3; minute += 1) {
      statuses.push(
        ...(await statusesOf(many(minute < 2 ? 15 : 10, () => () => post("event", "192.0.2.10")))),
      );
      harness.clock.advance(60_000);
    }
    expect(statuses).toEqual(many(40, () => 200));
  });

  it("do not hold for a secret key", async () => {
    const got = await statusesOf(
      Array.from(
        { length: 8 },
        () => () => send("/v1/opentest/things/limit", { method: "POST", key: secret, peer: "192.0.2.1" }),
      ),
    );
    expect(new Set(got)).toEqual(new Set([200]));
  });

  it("are a share of what the key may do: one who uses it up takes nothing from the others", async () => {
    const key = await harness.key({ kind: "publishable", scopes: ["forms:public"], plan: "free" });
    const paths = ["/v1/opentest/closed", "/v1/opentest/things/a", "/v1/opentest/none"];
    const flood = await statusesOf(
      Array.from({ length: 45 }, (_, n) => () => send(paths[n % 3] ?? "", { key, peer: "93.184.216.20" })),
    );
    expect(flood.slice(0, 3)).toEqual([403, 200, 404]);
    expect(flood.filter((status) => status !== 429)).toHaveLength(20);
    const refused = await send("/v1/opentest/things/a", { key, peer: "93.184.216.20" });
    expect(refused.header("retry-after")).toMatch(/^([1-9]|[1-5]\d|60)$/);
    expect(refused.header("x-ratelimit-remaining")).toBe("40");
    const others = await statusesOf(
      Array.from(
        { length: 30 },
        (_, n) => () => send("/v1/opentest/things/a", { key, peer: `93.184.216.${21 + (n % 2)}` }),
      ),
    );
    expect(new Set(others)).toEqual(new Set([200]));
    harness.clock.advance(60_000);
    expect((await send("/v1/opentest/things/a", { key, peer: "93.184.216.20" })).status).toBe(200);
  });

  it("repeat what they sent themselves with an Idempotency-Key, and never what another visitor or the shop's server sent", async () => {
    const submit = (peer: string, by: TestKey = pub) =>
      send("/v1/opentest/things/guess", {
        method: "POST",
        key: by,
        peer,
        headers: { "idempotency-key": "order-1" },
      });
    const replayed = [
      await submit("198.51.100.1", secret),
      await submit("198.51.100.1"),
      await submit("198.51.100.1"),
      await submit("198.51.100.2"),
      await submit("198.51.100.2", secret),
    ].map(({ header }) => header("idempotency-replayed"));
    expect(replayed).toEqual([null, null, "true", null, "true"]);
  });

  it("go by an address that is never kept, and is another the next day", async () => {
    const hashOf = async () =>
      (await send("/v1/opentest/things/a", { peer: "203.0.113.77" })).json.data?.address_hash ?? "";
    const first = await hashOf();
    expect(first).toMatch(/^[\w-]{43}$/);
    expect(await hashOf()).toBe(first);
    harness.clock.advance(86_400_000);
    expect(await hashOf()).not.toBe(first);
  });
});
