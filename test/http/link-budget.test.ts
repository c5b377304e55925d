import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { makeToken } from "../../server/core/link-token.ts";
import { storePartition } from "../../server/core/partitions.ts";
import { reviews } from "../../server/engines/reviews/repository.ts";
import { namespaces } from "../../server/registry.ts";
import { makeReview } from "../engines/reviews/make.ts";
import { createHarness } from "../harness.ts";
import type { Harness, TestKey } from "../harness.ts";
import { storeExport } from "../operations/privacy/store-export.ts";
import { compute, standStill } from "../support/compute.ts";
import { longestOf, many, TURN_MS } from "../support/longest-turn.ts";
import { createPipeline } from "../support/match.ts";

// What is computed for links without a key comes from the CPU budget of the customer whose store they open.

const REVIEWS = 300;
const PARTS = 30;

let harness: Harness;
let key: TestKey;
let part: string;
const paths: Record<string, string> = {};
beforeAll(async () => {
  harness = await createHarness();
  key = await harness.key({ plan: "free" });
  part = storePartition(key.storeId, "live");
  const { ports, runTx } = harness.services;
  for (let start = 0; start < REVIEWS; start += 10)
    await runTx(part, async (tx) => {
      for (let n = start; n < start + 10; n += 1)
        tx.create(reviews, makeReview({ id: `rev_${String(n).padStart(26, "0")}`, body: BODY }));
    });
  const line = (n: number): string =>
    `${JSON.stringify({ part, collection: "forms.submissions", document: { id: `fsb_${n}`, text: BODY } })}\n`;
  const text = many(PARTS * 11, line).join("");
  const request = await storeExport(runTx, part, PARTS, (n) => text.slice(n * 60_000, (n + 1) * 60_000));
  const token = makeToken(ports, "privacy.confirm", part, request.id);
  const sheet = await harness.call("PUT", "/v1/allergens/sheet", { key, body: {} });
  const calendar = await harness.call("GET", "/v1/catering/calendar-feed", { key });
  const settings = await harness.call("GET", "/v1/reviews/settings", { key });
  const content = `/api/public/stores/${part}/content`;
  Object.assign(paths, {
    "reviews as a Google feed": pathOf(settings.json.data.feed_url),
    "the export of a privacy request": `/api/public/privacy/${token}/export`,
    "orders as a calendar": pathOf(calendar.json.data.url),
    "the allergen sheet": pathOf(sheet.json.data.url),
    "posts as RSS": `${content}/rss`,
    "posts as a sitemap": `${content}/sitemap.xml`,
    "the feed with a key": "/v1/reviews/feeds/google.xml",
    "the export with a key": `/v1/account/privacy-requests/${request.id}/export`,
  });
}, 30_000);
afterAll(() => harness.close());

/** From an address of the internet. */
const REQUEST = {
  header: () => undefined,
  stream: () => new ReadableStream<Uint8Array>(),
  body: () => Promise.resolve(new Uint8Array()),
  signal: () => new AbortController().signal,
  peer: "93.184.216.70",
};

const BODY = "good & <b> ".repeat(450);
const pathOf = (url: string): string => new URL(url).pathname;

const used = async (): Promise<number> => {
  const { json } = await harness.call("GET", "/v1/account/usage/budgets", { key });
  return json.data.find(({ budget }: { budget: string }) => budget === "cpu").used;
};

/** Sends a request; only those under /v1 have a key. */
const send = async (name: string): Promise<Response> => {
  const path = paths[name] ?? "";
  const headers = path.startsWith("/v1/") ? { authorization: `Bearer ${key.plaintext}` } : {};
  return harness.app.fetch(new Request(`http://platform.test${path}`, { headers }));
};

it("takes no long turn for reviews with long texts", async () => {
  const longest = await longestOf(
    () => harness.clock.advance(3_600_000),
    async () => void (await (await send("reviews as a Google feed")).arrayBuffer()),
  );
  expect(longest).toBeLessThan(TURN_MS);
});

it("says whom a stream is sent to, so that what is unsent of all of theirs is counted", async () => {
  const pipeline = createPipeline(harness.services, namespaces);
  const out = await pipeline({ ...REQUEST, method: "GET", target: paths["reviews as a Google feed"] ?? "" });
  expect(out).toMatchObject({ body: expect.any(ReadableStream), recipient: REQUEST.peer });
});

/** Has each read of the store take so long. */
function slow(ms: { readonly page: number; readonly get: number }) {
  const { store } = harness.services;
  const [get, page] = [store.get.bind(store), store.page.bind(store)];
  let computed = 0;
  const spies = [
    vi.spyOn(store, "get").mockImplementation((...args) => {
      compute(ms.get);
      computed += ms.get;
      return get(...args);
    }),
    vi.spyOn(store, "page").mockImplementation((...args) => {
      compute(ms.page);
      computed += ms.page;
      return page(...args);
    }),
  ];
  return {
    computed: () => computed / 1_000,
    restore: () => spies.forEach((spy) => spy.mockRestore()),
  };
}

describe("while the clock stands still", () => {
  standStill();

  const STREAMED = [
    ["reviews as a Google feed", REVIEWS * 5_000],
    ["the export of a privacy request", 5_000],
    ["the feed with a key", REVIEWS * 5_000],
    ["the export with a key", 5_000],
  ] as const;

  it.each(STREAMED)("charges what the whole of %s computes", async (name, bytes) => {
    await harness.services.store.resetCounter(key.id);
    const before = await used();
    const { computed, restore } = slow({ page: 40, get: 40 });
    const answer = await send(name);
    const head = await used();
    expect([answer.status, (await answer.arrayBuffer()).byteLength > bytes]).toEqual([200, true]);
    restore();
    const charged = (await used()) - before;
    expect(charged).toBeGreaterThan(computed() / 2);
    // The parts that are written as they are read are charged too.
    expect((await used()) - head).toBeGreaterThan(0.01);
  });

  it("charges what was computed for a client that disconnects", async () => {
    const before = await used();
    // Whose link it is is read before anything is charged.
    const { computed, restore } = slow({ page: 90, get: 0 });
    const reader = (await send("reviews as a Google feed")).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    restore();
    expect((await used()) - before).toBeGreaterThan(computed() / 2);
  });

  const EXPENSIVE = [
    "reviews as a Google feed",
    "the export of a privacy request",
    "orders as a calendar",
    "the allergen sheet",
    "posts as RSS",
    "posts as a sitemap",
    "the feed with a key",
    "the export with a key",
  ] as const;

  it.each(EXPENSIVE)(
    "refuses %s while the budget of the customer is used up, if it computes for long",
    async (name) => {
      harness.clock.advance(3_600_000);
      const { budgets } = harness.services;
      const { restore } = slow({ page: 60, get: 60 });
      await (await send(name)).arrayBuffer();
      restore();
      // What strangers can open uses half of it.
      const isLink = !(paths[name] ?? "").startsWith("/v1/");
      const limit = isLink ? 60 : 120;
      const endMs = await budgets.charge(key.customerId, "cpu", 0);
      const counted = isLink ? `${key.customerId}.visitors.${endMs}` : key.customerId;
      await budgets.charge(counted, "cpu", limit * 1_000);
      const refused = await send(name);
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "3600"]);
      const { error } = await refused.json();
      expect(error?.detail ?? "").toContain(
        `The budget of ${limit} CPU seconds per hour is exhausted. It renews at`,
      );
      harness.clock.advance(3_600_000);
      expect((await send(name)).status).not.toBe(429);
    },
  );

  it.each(["orders as a calendar", "the allergen sheet", "posts as a sitemap"])(
    "neither charges nor refuses %s where it computes next to nothing",
    async (name) => {
      harness.clock.advance(3_600_000);
      await (await send(name)).arrayBuffer();
      expect(await used()).toBe(0);
      await harness.services.budgets.charge(key.customerId, "cpu", 120_000);
      expect((await send(name)).status).not.toBe(429);
    },
  );

  // Of the second, each is signed with a secret that the gateway does not have.
  it.each([
    ["views of a page that is quick", "GET", () => paths["posts as a sitemap"] ?? "", 404],
    ["callbacks", "POST", () => `/api/hooks/payments/${part}.gw_01KDVDNA00GGGGGGGGGGGGGGGG`, 403],
  ] as const)("charges an address for many %s", async (_, method, targetOf, expected) => {
    harness.clock.advance(3_600_000);
    const { services } = harness;
    const handle = createPipeline(services, namespaces);
    const { restore } = slow({ page: 12, get: 9 });
    for (let n = 0; n < 110; n += 1) {
      const { status } = await handle({ ...REQUEST, method, target: targetOf() });
      // There are no posts, which takes one page to see.
      expect(status).toBe(expected);
    }
    restore();
    expect(await used()).toBeGreaterThan(0);
  });
});
