import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  exportJobs,
  exportPartId,
  exportParts,
  reviews,
} from "../../../server/engines/reviews/repository.ts";
import { saveReview } from "../../../server/engines/reviews/services/save-review.ts";
import { longestCall, longestOf, longestTurn, many, TURN_MS } from "../../support/longest-turn.ts";
import { makeReview } from "./make.ts";
import { aReview, createShop } from "./shop.ts";
import type { Shop } from "./shop.ts";

// Reviews as large as a document may be: what reads many of them must not keep the event loop from other requests.

const TARGETS = 20;
const REVIEWS = 220;
const LOCALES = "ar bg cs da de el es et fi fr hr hu it lt lv nl pl pt ro sv".split(" ");
/** A translation of which each second character is escaped. */
const LINES = `a${"\n\u00e9".repeat(2_400)}b`;
const translations = Object.fromEntries(LOCALES.map((locale) => [locale, { title: "", body: LINES }]));

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
  await storeReviews(shop, REVIEWS);
}, 120_000);
afterAll(() => shop.harness.close());

/** One review each second, of twenty targets in turn, as an import and a change of each would leave them. */
async function storeReviews({ harness, part }: Shop, count: number): Promise<void> {
  for (const n of Array(count).keys()) {
    const at = new Date(Date.parse("2026-05-01T09:00:00.000Z") + n * 1_000).toISOString();
    const review = makeReview({
      id: harness.services.newId("rev"),
      // Most are of one target, one of them as another site shows it.
      target: { type: "product", id: n < 80 ? `t${n % TARGETS}` : "t0" },
      rating: 1 + (n % 5),
      body: `Text number ${n} says ${n * 7_919}.`,
      author: { display_name: `A${n}`, customer_id: null, is_anonymous: false, location: null },
      email: `a${n}@shop.example`,
      submitted_at: at,
      published_at: at,
      translations,
      ...(n === 0
        ? {
            collection_method: "import",
            source: { system: "other", external_id: "1", displayed_on_page: false },
          }
        : {}),
    });
    await harness.services.runTx(part, (tx) => saveReview(tx, null, review));
  }
}

/** Without parsing the answer, which is as large. */
const get = (path: string): Promise<number> =>
  longestTurn({ harness: shop.harness, world: shop, path: `/reviews${path}` }, null, 200, { method: "GET" });

describe("among large reviews", () => {
  it("a submitted review is compared with the newest ones", async () => {
    const turn = longestCall(shop, ["POST", "", aReview({ target: { type: "product", id: "new" } })], 201);
    expect(await turn).toBeLessThan(TURN_MS);
  }, 120_000);

  it("the reviews of a group are listed, newest first", async () => {
    const targets = many(TARGETS, (n) => ({ type: "product", id: `t${n}` }));
    const { id } = await shop.make("/groups", { name: "All", targets });
    const read: string[] = [];
    let cursor = "";
    do {
      const { json } = await shop.call("GET", `?group_id=${id}&limit=50${cursor}`);
      read.push(...json.data.map(({ submitted_at: at }: { submitted_at: string }) => at));
      cursor = json.meta.pagination.next_cursor;
      cursor = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    } while (cursor !== "");
    expect(new Set(read).size).toBe(REVIEWS);
    expect(read).toEqual(read.toSorted().toReversed());
    expect(await get(`?group_id=${id}&limit=5`)).toBeLessThan(TURN_MS);
    expect(await get(`?group_id=${id}&limit=25`)).toBeLessThan(TURN_MS);
  }, 120_000);

  it("those that match a filter without an index are searched", async () => {
    expect(await get("?limit=100&since=2000-01-01T00:00:00.000Z&featured=true")).toBeLessThan(TURN_MS);
  }, 120_000);

  it("they are listed by an index", async () => {
    expect(await get("?rating=1&limit=25")).toBeLessThan(TURN_MS);
  }, 120_000);

  it("schema.org markup is written", async () => {
    expect(await get("/aggregates/product/t0/jsonld")).toBeLessThan(TURN_MS);
  }, 120_000);

  it("all averages are recomputed", async () => {
    const turn = longestOf(
      () => null,
      async () => {
        const counted = await shop.make("/aggregates/rebuild");
        expect(counted).toMatchObject({ differences: [], repaired: 0 });
      },
    );
    expect(await turn).toBeLessThan(TURN_MS);
  }, 120_000);

  it("a page with the reviews of a product is shown", async () => {
    const path = `http://platform.test/api/public/stores/${shop.part}/reviews/product/t0`;
    const turn = longestOf(
      () => shop.harness.clock.advance(60_000),
      async () => {
        const answer = await shop.harness.app.fetch(new Request(path));
        expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("Text number")]);
      },
    );
    expect(await turn).toBeLessThan(TURN_MS);
  }, 120_000);
});

it("an export has all of large reviews, in parts that a document can hold", async () => {
  for (const format of ["json", "csv"] as const) {
    const { id } = await shop.make("/exports", { format });
    await shop.run("reviews.transfer");
    const ended = await shop.read(`/exports/${id}`);
    expect(ended).toMatchObject({ state: "done" });
    const file = await shop.call("GET", `/exports/${id}/file.${format === "csv" ? "csv" : "ndjson"}`);
    const lines = file.text.trim().split("\n");
    if (format === "json") {
      const texts = lines.map((line) => JSON.parse(line));
      expect(texts.filter(({ translations: { de } }) => de?.body === LINES)).toHaveLength(REVIEWS);
    } else {
      expect(lines.filter((line) => line.includes("Text number"))).toHaveLength(REVIEWS);
    }
  }
}, 120_000);

it("all parts with a piece of a review name its author, whose erasure deletes them", async () => {
  const own = await createShop();
  await storeReviews(own, 2);
  const { id } = await own.make("/exports", { format: "json" });
  await own.run("reviews.transfer");
  const subjects = await own.harness.services.runTx(own.part, async (tx) => {
    const { value } = await tx.require(exportJobs, id);
    const parts = await tx.getAll(
      exportParts,
      many(value.parts, (part) => exportPartId(id, part)),
    );
    return parts.map((part) => part && exportParts.personal?.subjects(part.value));
  });
  const half = subjects.length / 2;
  expect(half).toBeGreaterThan(2);
  expect(subjects).toEqual([
    ...many(half, () => ["a1@shop.example"]),
    ...many(half, () => ["a0@shop.example"]),
  ]);
  await own.harness.close();
}, 120_000);

it("refuses more than twenty translations of a review, and serves one that was stored with more", async () => {
  const { id } = await shop.make("", aReview({ target: { type: "product", id: "translated" } }));
  const more = { ...translations, nb: { title: "", body: "Brød" } };
  const small = Object.fromEntries(Object.keys(more).map((locale) => [locale, { title: "", body: "Bread" }]));
  const refused = await shop.call("PATCH", `/${id}`, { translations: small });
  expect([refused.status, refused.json.error?.errors]).toEqual([
    422,
    [{ pointer: "#/translations", detail: "At most 20 languages are allowed. Remove some." }],
  ]);
  await shop.harness.services.runTx(shop.part, async (tx) => {
    const stored = await tx.require(reviews, id);
    await saveReview(tx, stored, { ...stored.value, translations: small });
  });
  expect(Object.keys((await shop.read(`/${id}`)).translations)).toHaveLength(21);
  const changed = await shop.call("PATCH", `/${id}`, { featured: true });
  expect([changed.status, Object.keys(changed.json.data.translations).length]).toEqual([200, 21]);
});
