import { afterAll, beforeAll, expect, it } from "vitest";

import { indexEntries, toText } from "../../server/core/collection.ts";
import type { Collection } from "../../server/core/collection.ts";
import { storePartition } from "../../server/core/partitions.ts";
import { submissions } from "../../server/engines/forms/repository.ts";
import { items } from "../../server/engines/menus/repository.ts";
import { reviews } from "../../server/engines/reviews/repository.ts";
import { contracts } from "../../server/engines/subscriptions/repository.ts";
import type { Op } from "../../server/storage/contract.ts";
import { createHarness } from "../harness.ts";
import type { Harness, TestKey } from "../harness.ts";
import { longestOf, many, TURN_MS } from "../support/longest-turn.ts";

// What reads a store's documents must not keep the event loop from all others, however large and many they are.

const AT = "2026-05-20T09:00:00.000Z";

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
}, 120_000);
afterAll(() => harness.close());

const make = async (key: TestKey, path: string, body: unknown) => {
  const answer = await harness.call("POST", `/v1${path}`, { key, body });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  const { version: _version, ...document } = answer.json.data;
  return document;
};

/** Stores documents without the checks of a transaction, which take longer than what is measured. */
async function store<T extends { id: string }>(
  { storeId }: TestKey,
  collection: Collection<T>,
  documents: readonly T[],
): Promise<void> {
  const part = storePartition(storeId, "live");
  for (const document of documents) {
    const ops: Op[] = [
      { put: `${part}:${collection.name}:${document.id}`, value: toText(collection, document) },
    ];
    for (const [index, id] of indexEntries(collection, document))
      ops.push({ put: `${part}:${index}:${id}`, value: "1" });
    expect(await harness.store.commit(part, ops, [])).toMatchObject({ ok: true });
  }
}

const idOf = (prefix: string, n: number): string => `${prefix}_${String(n).padStart(26, "0")}`;

/** CPU milliseconds of the longest turn of the event loop while a request is answered. */
const turnOf = (key: TestKey, method: string, path: string, body?: unknown): Promise<number> =>
  longestOf(
    () => harness.clock.advance(60_000),
    async () => expect((await harness.call(method, `/v1${path}`, { key, body })).status).toBe(200),
  );

it("the metrics of contracts with many lines and overrides", async () => {
  const key = await harness.key();
  const line = { product_ref: "r".repeat(100), title: "t".repeat(100), quantity: 1, unit_price: 1800 };
  const contract = await make(key, "/subscriptions/contracts", {
    customer: { id: "ada", email: "ada@shop.example", name: "Ada" },
    lines: many(50, () => line),
    interval: { unit: "month", count: 1 },
    start_date: "2026-12-01",
  });
  const cycles = many(12, (n) => [String(n + 2), { skip: false, date: null, lines: contract.lines }]);
  const large = { ...contract, status: "active", overrides: Object.fromEntries(cycles) };
  await store(
    key,
    contracts,
    many(40, (n) => ({ ...large, id: idOf("sub", n) })),
  );
  expect(await turnOf(key, "GET", "/subscriptions/metrics")).toBeLessThan(TURN_MS);
}, 30_000);

it("the recount of reviews with many attributes", async () => {
  const key = await harness.key();
  const made = await make(key, "/reviews", {
    target: { type: "product", id: "oat-bar" },
    rating: 5,
    body: "Good.",
    author: { display_name: "Ada" },
    incentive: { type: "none" },
  });
  const { value: review } = await harness.services.runTx(storePartition(key.storeId, "live"), (tx) =>
    tx.require(reviews, made.id),
  );
  const attributesOf = (n: number) =>
    Object.fromEntries(many(20, (k) => [`k${k}`, `option-${(n + k) % 20}`]));
  const published = { ...review, status: "published" as const, published_at: AT };
  await store(
    key,
    reviews,
    many(500, (n) => ({ ...published, id: idOf("rev", n), attributes: attributesOf(n) })),
  );
  expect(await turnOf(key, "POST", "/reviews/aggregates/rebuild")).toBeLessThan(TURN_MS);
}, 30_000);

it("a step of a privacy request over large documents", async () => {
  const key = await harness.key();
  const large = {
    created_at: AT,
    updated_at: AT,
    form_id: "frm_1",
    form_version: 1,
    channel: "api" as const,
    locale: null,
    page_url: null,
    referrer: null,
    utm: {},
    assignee: null,
    tags: [],
    notes: [],
    quote_request_id: null,
    erased_at: null,
    status: "new" as const,
    data: Object.fromEntries(many(19, (n) => [`f${n}`, "t".repeat(10_000)])),
    files: [],
    consents: [],
    spam: { verdict: "accept" as const, score: 0, reasons: [] },
    expires_at: null,
  };
  const documents = many(24, (n) => ({
    ...large,
    id: idOf("fsb", n),
    respondent_ref: idOf("rsp", n),
    // Some are about the person.
    contact: { name: null, email: n % 8 === 0 ? "ada@people.example" : `a${n}@people.example`, phone: null },
  }));
  await store(key, submissions, documents);
  const turn = await longestOf(
    () => harness.clock.advance(60_000),
    async () => {
      await make(key, "/account/privacy-requests", { type: "export", email: "ada@people.example" });
      await harness.services.jobs.run("privacy.work");
    },
  );
  expect(turn).toBeLessThan(TURN_MS);
}, 30_000);

it("the draft of a menu in a large catalogue", async () => {
  const key = await harness.key();
  const locales = "en de fr es it nl pl pt sv da".split(" ");
  const description = Object.fromEntries(locales.map((locale) => [locale, "d".repeat(1900)]));
  const item = await make(key, "/menus/items", { title: "x", price: 100, description });
  await store(
    key,
    items,
    many(800, (n) => ({ ...item, id: idOf("itm", n) })),
  );
  const menu = await make(key, "/menus", { title: "x" });
  await make(key, "/menus/categories", { title: "x", menu_ids: [menu.id], item_ids: [item.id] });
  expect(await turnOf(key, "GET", `/menus/${menu.id}/diff?from=draft&to=draft`)).toBeLessThan(TURN_MS);
}, 30_000);

it("a large menu, compared and published", async () => {
  const key = await harness.key();
  const description = { en: "d".repeat(1900), de: "e".repeat(1900) };
  const item = await make(key, "/menus/items", { title: "x", price: 100, description });
  const documents = many(800, (n) => ({ ...item, id: idOf("itm", n) }));
  await store(key, items, documents);
  const menu = await make(key, "/menus", { title: "x" });
  for (let at = 0; at < documents.length; at += 100) {
    const item_ids = documents.slice(at, at + 100).map(({ id }) => id);
    await make(key, "/menus/categories", { title: `x${at}`, menu_ids: [menu.id], item_ids });
  }
  expect(await turnOf(key, "GET", `/menus/${menu.id}/diff?from=draft&to=draft`)).toBeLessThan(TURN_MS);
  expect(await turnOf(key, "POST", `/menus/${menu.id}/publish`, {})).toBeLessThan(TURN_MS);
}, 30_000);
