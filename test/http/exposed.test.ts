import { gunzipSync } from "node:zlib";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { ConfigSchema } from "../../server/config/schema.ts";
import { STREAMS_MAX } from "../../server/operations/admin/event-stream.ts";
import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";

// What a service that is open to the internet must hold.

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness.close());

describe("HSTS", () => {
  it.each([
    ["https://api.shop.example", "max-age=31536000"],
    ["http://api.shop.example", null],
    ["https://localhost:3000", null],
    ["https://127.0.0.1:3000", null],
  ])("at %s is %s", async (baseUrl, value) => {
    const served = await createHarness({ config: { ...ConfigSchema.parse({}), baseUrl } });
    const answer = await served.app.request("/healthz");
    expect([answer.status, answer.headers.get("strict-transport-security")]).toEqual([200, value]);
    await served.close();
  });
});

describe("If-Match on settings that were never saved", () => {
  const patch = (key: Awaited<ReturnType<Harness["key"]>>, version: string) =>
    harness.call("PATCH", "/v1/content/settings", {
      key,
      body: { title: "Blog" },
      headers: { "if-match": version },
    });

  it("412 for any version but the 0 that they are shown with", async () => {
    const key = await harness.key();
    const refused = await patch(key, '"5"');
    expect([refused.status, refused.headers.get("etag")]).toEqual([412, '"0"']);
    expect((await patch(key, '"0"')).status).toBe(200);
    expect((await patch(key, '"0"')).status).toBe(412);
    expect((await patch(await harness.key(), "*")).status).toBe(200);
  });
});

describe("what a key reads", () => {
  it("is kept by no shared cache: the address is the same for all stores", async () => {
    const key = await harness.key();
    const body = {
      content: "# Crumb\n\n> Bread.\n\n## Products\n\n- [Bread](https://crumb.example/bread)\n",
    };
    expect((await harness.call("PUT", "/v1/answeros/files/llms.txt", { key, body })).status).toBe(200);
    const answer = await harness.call("GET", "/v1/answeros/files/llms.txt/content", { key });
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "private, no-cache"]);
  });
});

describe("event streams", () => {
  it("are bounded, and a closed one makes room", async () => {
    const url = "http://platform.test/api/platform/admin/limits/stream";
    const headers = { authorization: `Bearer ${harness.adminToken}` };
    const connect = async () => harness.app.fetch(new Request(url, { headers }));
    const streams = await Promise.all(Array.from({ length: STREAMS_MAX }, connect));
    expect(streams.every(({ status }) => status === 200)).toBe(true);
    const refused = await connect();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "10"]);
    await streams.pop()?.body?.cancel();
    const next = await connect();
    expect(next.status).toBe(200);
    for (const { body } of [...streams, next]) await body?.cancel();
  });
});

describe("the OpenAPI document", () => {
  it("is made between other requests", async () => {
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    // An address of its own: the document of another one may be in memory already.
    const fresh = await createHarness({ config: { baseUrl: "http://slices.test" } });
    const answer = await fresh.app.request("/openapi.json");
    await fresh.close();
    isDone = true;
    expect(answer.status).toBe(200);
    expect(turns).toBeGreaterThan(500);
  });

  it("is compressed for whoever takes that, under an ETag of its own", async () => {
    const plain = await harness.app.request("/openapi.json");
    const text = await plain.text();
    const headers = { "accept-encoding": "br, gzip;q=0.8" };
    const small = await harness.app.request("/openapi.json", { headers });
    expect([small.headers.get("content-encoding"), small.headers.get("vary")]).toEqual([
      "gzip",
      "Accept-Encoding",
    ]);
    const bytes = Buffer.from(await small.arrayBuffer());
    expect(gunzipSync(bytes).toString("utf8")).toBe(text);
    expect(bytes.length * 5).toBeLessThan(text.length);
    const etag = small.headers.get("etag") ?? "";
    expect(etag).not.toBe(plain.headers.get("etag"));
    const again = await harness.app.request("/openapi.json", {
      headers: { ...headers, "if-none-match": etag },
    });
    expect(again.status).toBe(304);
    const none = await harness.app.request("/openapi.json", { headers: { "accept-encoding": "gzip;q=0" } });
    expect(none.headers.get("content-encoding")).toBeNull();
  });
});
