import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { fetchPages } from "../../../../server/engines/answeros/jobs/fetch-pages.ts";
import { runPrompts } from "../../../../server/engines/answeros/jobs/run-prompts.ts";
import { writeRewrites } from "../../../../server/engines/answeros/jobs/write-rewrites.ts";
import type { FetchedAnswer, OutgoingGet } from "../../../../server/core/ports.ts";
import { createShop, RYE, shopOf } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.harness.close());

const own = async (): Promise<Shop> => shopOf(shop.harness, await shop.harness.key());

/** A fault of the service, which no status of the work describes. */
const broken = (): never => {
  throw new TypeError("A fault of the service");
};

describe("work that always fails", () => {
  it("keeps no other page from being fetched", async () => {
    const store = await own();
    const rye = await store.must("POST", "/pages", { url: "https://crumb.example/rye" });
    const odd = await store.must("POST", "/pages", { url: "https://crumb.example/odd" });
    const fetch = async ({ url }: OutgoingGet): Promise<FetchedAnswer> => {
      if (url.endsWith("/odd")) broken();
      const text = (): string => (url.endsWith("/rye") ? RYE : "");
      const headers = { "content-type": "text/html" };
      return { status: 200, headers, body: new Uint8Array(), isCut: false, location: null, text };
    };
    const ports = { ...store.harness.services.ports, fetch };
    expect(await store.run(fetchPages, { ports })).toEqual({ fetched: 1, failed: 0 });
    expect((await store.must("GET", `/pages/${rye.id}`)).status).toBe("ready");
    expect((await store.must("GET", `/pages/${odd.id}`)).status).toBe("queued");
  });

  it("keeps no other run from being asked", async () => {
    const store = await own();
    const { ports: real } = store.harness.services;
    const ai = { ...real.ai, generate: broken, providers: [{ id: "oracle", model: "o", is_local: false }] };
    const ports = { ...real, ai };
    const text = "Where can I buy bread?";
    await store.must("POST", "/prompts", { text, engines: ["oracle", "builtin"], cadence: "daily" });
    expect(await store.run(runPrompts, { ports })).toEqual({ queued: 2, done: 1, failed: 0 });
  });

  it("keeps no other rewrite from being written", async () => {
    const store = await own();
    const { ports: real } = store.harness.services;
    const page = await store.must("POST", "/pages", { url: "https://crumb.example/r", html: RYE });
    const ids: string[] = [];
    for (const question of ["What is rye?", "What does rye cost?"])
      ids.push((await store.must("POST", "/rewrites", { page_id: page.id, question })).id);
    const generate: typeof real.ai.generate = (request) =>
      request.resource === ids[1] ? broken() : real.ai.generate(request);
    await store.run(writeRewrites, { ports: { ...real, ai: { ...real.ai, generate } } });
    const statuses = [];
    for (const id of ids) statuses.push((await store.must("GET", `/rewrites/${id}`)).status);
    expect([statuses[0] === "queued", statuses[1]]).toEqual([false, "queued"]);
  });
});

it("queues the runs of more due prompts than one commit can hold", async () => {
  const store = await own();
  const engines = ["builtin", "oracle", "sibyl"];
  for (let at = 0; at < 20; at += 1)
    await store.must("POST", "/prompts", { text: `Where is bread ${at}?`, engines, cadence: "daily" });
  const { ports: real } = store.harness.services;
  const providers = engines.slice(1).map((id) => ({ id, model: "m", is_local: false }));
  const ports = { ...real, ai: { ...real.ai, generate: broken, providers } };
  expect(await store.run(runPrompts, { ports })).toEqual({ queued: 60, done: 20, failed: 0 });
});
