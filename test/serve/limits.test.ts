import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { readEvents } from "../../cli/live/sse.ts";
import type { RunningServer } from "../../server/serve.ts";
import { createCleanup, serve } from "./rig.ts";

const cleanup = createCleanup();
afterEach(() => cleanup.run());

let server: RunningServer;
let customerId: string;

beforeEach(async () => {
  server = await serve(cleanup, { "server.drainSeconds": 600 });
  customerId = (await admin("POST", "/seed", {})).data.customer_id;
});

// The tests look into answers of every shape.
// oxlint-disable-next-line typescript/no-explicit-any
async function admin(method: string, path: string, body?: object): Promise<any> {
  const response = await fetch(`${server.url}/api/platform/admin${path}`, {
    method,
    headers: { authorization: `Bearer ${server.adminToken}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return response.status === 204 ? { status: 204 } : { status: response.status, ...(await response.json()) };
}

const issue = async (tier?: string): Promise<{ id: string; api_key: string }> =>
  (
    await admin("POST", "/keys", {
      customer_id: customerId,
      preset: "full",
      ...(tier === undefined ? {} : { tier }),
    })
  ).data;

const call = async (key: { api_key: string }, path = "/v1/menus/categories"): Promise<number> => {
  const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${key.api_key}` } });
  await response.arrayBuffer();
  return response.status;
};

interface Told {
  readonly id: string | null;
  readonly type: string;
  readonly key?: string;
  readonly [name: string]: unknown;
}

/** An open event stream; `next` resolves to the next event. */
async function openStream(query = "", lastEventId?: string) {
  const abort = new AbortController();
  cleanup.add(() => abort.abort());
  const response = await fetch(`${server.url}/api/platform/admin/limits/stream${query}`, {
    signal: abort.signal,
    headers: {
      authorization: `Bearer ${server.adminToken}`,
      ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
    },
  });
  const text: string[] = [];
  const decoder = new TextDecoder();
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for await (const chunk of response.body ?? []) {
      text.push(decoder.decode(chunk));
      yield chunk;
    }
  }
  const events = readEvents(chunks())[Symbol.asyncIterator]();
  const next = async (): Promise<Told> => {
    const { value, done } = await events.next();
    if (done === true) throw new Error("The stream ended.");
    const id = [...text.join("").matchAll(/^id: (.+)\nevent: .+\ndata: (.+)$/gm)].find(
      ([, , data]) => data === value.data,
    )?.[1];
    return { id: id ?? null, ...JSON.parse(value.data) };
  };
  return {
    response,
    next,
    close: () => abort.abort(),
    ended: async (): Promise<boolean> => (await events.next()).done === true,
  };
}

describe("GET /limits/stream", () => {
  it("tells the open windows first, then every change, as it happens", async () => {
    const key = await issue("free");
    await call(key);
    const stream = await openStream();
    expect(stream.response.headers.get("content-type")).toBe("text/event-stream");
    expect(stream.response.headers.get("cache-control")).toBe("no-store");
    const window = { key: key.id, customer: customerId, limit: 60, route: "menus.categories.list" };
    expect(await stream.next()).toMatchObject({ type: "snapshot", remaining: 59, ...window });
    expect(await stream.next()).toMatchObject({ type: "ready" });

    await call(key);
    const update = await stream.next();
    expect(update).toMatchObject({ type: "update", remaining: 58, ...window });
    expect(update.at).toMatch(/^\d{4}-.*Z$/);
    expect(update.reset).toEqual(expect.any(Number));

    for (let count = 2; count < 60; count += 1) {
      await call(key);
      expect((await stream.next()).remaining).toBe(59 - count);
    }
    expect(await call(key)).toBe(429);
    expect(await stream.next()).toMatchObject({
      type: "rejected",
      remaining: 0,
      route: "menus.categories.list",
      key: key.id,
    });

    expect((await admin("POST", `/limits/${key.id}/reset`)).status).toBe(204);
    expect(await stream.next()).toMatchObject({ type: "reset", key: key.id, remaining: 60, reset: null });
    expect(await call(key)).toBe(200);
    expect(await stream.next()).toMatchObject({ type: "update", remaining: 59 });
  });

  it("goes on after Last-Event-ID with what was missed, without a snapshot", async () => {
    const key = await issue();
    const first = await openStream();
    expect((await first.next()).type).toBe("ready");
    await call(key);
    const { id } = await first.next();
    first.close();
    const [one, two] = [await issue(), await issue()];
    await call(one);
    await call(two);
    const second = await openStream("", id ?? "");
    expect([await second.next(), await second.next()]).toMatchObject([
      { type: "update", key: one.id },
      { type: "update", key: two.id },
    ]);
    expect((await second.next()).type).toBe("ready");
    await call(key);
    expect(await second.next()).toMatchObject({ type: "update", key: key.id });
  });

  it("begins anew with a snapshot after an id of another process", async () => {
    const key = await issue();
    await call(key);
    const stream = await openStream("", "boot_01JD8Z5T9QK3M4N5P6R7S8T9V0-1");
    expect(await stream.next()).toMatchObject({ type: "snapshot", key: key.id });
  });

  it.each([
    ["key_id", (key: string) => `?key_id=${key}`],
    ["engine", () => "?engine=reviews"],
  ])("filters by %s", async (_name, query) => {
    const [wanted, other] = [await issue("free"), await issue()];
    const stream = await openStream(query(wanted.id));
    expect((await stream.next()).type).toBe("ready");
    await call(other);
    await call(wanted, "/v1/reviews");
    expect(await stream.next()).toMatchObject({ key: wanted.id, remaining: 59 });
    await call(other);
    await call(wanted, "/v1/reviews");
    expect(await stream.next()).toMatchObject({ key: wanted.id, remaining: 58 });
  });

  it("filters by the share that is used", async () => {
    const [free, large] = [await issue("free"), await issue()];
    const stream = await openStream("?min_used=5");
    expect((await stream.next()).type).toBe("ready");
    for (let count = 0; count < 3; count += 1) {
      await call(large);
      await call(free);
    }
    // 3 of 60 are five per cent; 3 of many thousand are none.
    expect(await stream.next()).toMatchObject({ key: free.id, remaining: 57 });
  });

  it("filters by refusal", async () => {
    const key = await issue("free");
    const stream = await openStream("?only_rejected=true");
    expect((await stream.next()).type).toBe("ready");
    for (let count = 0; count < 61; count += 1) await call(key);
    expect(await stream.next()).toMatchObject({ type: "rejected", key: key.id });
  });

  it("401 without the operator's token, 422 for a filter that is none", async () => {
    const path = `${server.url}/api/platform/admin/limits/stream`;
    expect((await fetch(path)).status).toBe(401);
    expect((await admin("GET", "/limits/stream?min_used=lots")).status).toBe(422);
  });

  it("ends when the server drains", async () => {
    const stream = await openStream();
    expect((await stream.next()).type).toBe("ready");
    await server.stop("test");
    expect(await stream.ended()).toBe(true);
  });

  it("answers HEAD without opening a stream", async () => {
    const response = await fetch(`${server.url}/api/platform/admin/limits/stream`, {
      method: "HEAD",
      headers: { authorization: `Bearer ${server.adminToken}` },
    });
    expect([response.status, await response.text()]).toEqual([200, ""]);
  });
});

describe("limits of keys", () => {
  it("lists the open windows page by page, of a customer, of a key", async () => {
    const keys = [await issue(), await issue("free"), await issue()];
    for (const key of keys) await call(key);
    const ids = keys.map(({ id }) => id).sort();
    const first = await admin("GET", "/limits?limit=2");
    expect(first.data.map((window: { key_id: string }) => window.key_id)).toEqual(ids.slice(0, 2));
    const second = await admin("GET", `/limits?limit=2&cursor=${first.meta.pagination.next_cursor}`);
    expect(second.data.map((window: { key_id: string }) => window.key_id)).toEqual(ids.slice(2));
    expect(second.meta.pagination).toMatchObject({ has_more: false, next_cursor: null });
    const one = await admin("GET", `/limits?key_id=${keys[1]!.id}`);
    expect(one.data).toEqual([
      {
        key_id: keys[1]!.id,
        customer_id: customerId,
        limit: 60,
        used: 1,
        remaining: 59,
        reset: expect.any(Number),
        rejected: 0,
        route: "menus.categories.list",
      },
    ]);
    expect((await admin("GET", "/limits?customer_id=cus_other")).data).toEqual([]);
  });

  it("shows a key that made no request yet; 404 for one that is none", async () => {
    const key = await issue("free");
    expect((await admin("GET", `/limits/${key.id}`)).data).toMatchObject({
      limit: 60,
      used: 0,
      remaining: 60,
      reset: null,
    });
    expect((await admin("GET", "/limits/key_01JD8Z5T9QK3M4N5P6R7S8T9V0")).status).toBe(404);
    expect((await admin("POST", "/limits/key_01JD8Z5T9QK3M4N5P6R7S8T9V0/reset")).status).toBe(404);
  });

  it("gives a key its window back, and writes that down", async () => {
    const key = await issue("free");
    for (let count = 0; count < 60; count += 1) await call(key);
    expect(await call(key)).toBe(429);
    expect((await admin("GET", `/limits/${key.id}`)).data).toMatchObject({
      used: 60,
      remaining: 0,
      rejected: 1,
    });
    expect((await admin("POST", `/limits/${key.id}/reset`)).status).toBe(204);
    expect(await call(key)).toBe(200);
    expect(JSON.stringify((await admin("GET", "/audit")).data)).toContain("limit.reset");
  });
});
