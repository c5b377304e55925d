import { afterEach, expect, it } from "vitest";

import { storePartition } from "../../server/core/partitions.ts";
import { articleMetrics, articles, readSettings } from "../../server/engines/content/repository.ts";
import { newArticle } from "../../server/engines/content/services/articles.ts";
import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";
import { longestOf, many, TURN_MS } from "../support/longest-turn.ts";

// Documents of one store that a job reads and that are in memory: nothing that it awaits ends a turn of the event loop.

let harness: Harness;
afterEach(() => harness.close());

const PER_COMMIT = 20;

/** So many tracked pages, which link to others that are not tracked. */
async function track(count: number, links: number): Promise<void> {
  harness = await createHarness();
  const part = storePartition((await harness.key()).storeId, "live");
  const { runTx } = harness.services;
  const settings = await runTx(part, readSettings);
  const page = { source: "import" as const, focus_keyphrase: null, title: "", locale: "en-GB", metadata: {} };
  for (let from = 0; from < count; from += PER_COMMIT)
    await runTx(part, async (tx) => {
      for (const n of many(PER_COMMIT, (at) => from + at)) {
        const input = { ...page, url: `https://shop.example/${n}`, draft_id: null };
        const { id } = tx.create(articles, newArticle(input, settings, "2026-06-01T09:00:00.000Z"));
        const targets = many(links, (at) => `art_${String(links * n + at).padStart(26, "0")}`);
        if (links > 0) tx.create(articleMetrics, { id, days: [], targets });
      }
    });
}

const review = async (count: number): Promise<void> => {
  const { counts, error } = await harness.services.jobs.run("content.review-articles");
  expect([error, counts["articles"]]).toEqual([null, count]);
};

it("a job that reads thousands of them, each in a transaction of its own, leaves the event loop to requests in between", async () => {
  await track(20_000, 0);
  expect(
    await longestOf(
      () => undefined,
      () => review(20_000),
    ),
  ).toBeLessThan(TURN_MS);
}, 300_000);

it("links to two million pages that nobody tracks are not counted", async () => {
  await track(11_000, 200);
  expect(
    await longestOf(
      () => undefined,
      () => review(11_000),
    ),
  ).toBeLessThan(TURN_MS);
}, 300_000);
