import { describe, expect, it } from "vitest";

import { demoReviews } from "../../../server/engines/reviews/demo.ts";
import { reviews } from "../../../server/engines/reviews/index.ts";
import { recount } from "../../../server/engines/reviews/services/recount.ts";
import { createHarness } from "../../harness.ts";

const NOW = Date.parse("2026-06-01T09:00:00.000Z");

describe("the demo bakery", () => {
  it("is the same for the same instant", () => {
    expect(demoReviews(NOW)).toEqual(demoReviews(NOW));
    const ids = demoReviews(NOW).reviews.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThanOrEqual(60);
  });

  it("has every state, good and bad, and what a shop has to disclose", () => {
    const { reviews: all } = demoReviews(NOW);
    expect(new Set(all.map(({ rating }) => rating))).toEqual(new Set([1, 2, 3, 4, 5]));
    expect(new Set(all.map(({ status }) => status))).toEqual(
      new Set(["published", "pending", "rejected", "spam", "withdrawn"]),
    );
    expect(all.filter(({ disclosure }) => disclosure !== null).length).toBeGreaterThan(4);
    expect(all.filter(({ reply }) => reply !== null).length).toBeGreaterThan(6);
  });

  it("fits its schemas, and its averages are what a recount gives", async () => {
    const harness = await createHarness();
    const part = "sto_demo";
    for (const { collection, values } of reviews.seed(NOW)) {
      for (let start = 0; start < values.length; start += 5) {
        await harness.services.runTx(part, async (tx) => {
          for (const value of values.slice(start, start + 5)) tx.create(collection, value);
        });
      }
    }
    expect(await harness.services.runTx(part, recount)).toMatchObject({ differences: [] });
    await harness.close();
  });
});
