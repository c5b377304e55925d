import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { demoBrands, demoObservations } from "../../../server/engines/answeros/data/demo-tracking.ts";
import { answeros } from "../../../server/engines/answeros/index.ts";
import { DEMO_IDS } from "../../../server/engines/answeros/data/demo-ids.ts";
import { lintLlms } from "../../../server/engines/answeros/rules/llms-txt.ts";
import { demoFiles, demoMarkups } from "../../../server/engines/answeros/data/demo-files.ts";
import { demoPages } from "../../../server/engines/answeros/demo.ts";
import { checkParity } from "../../../server/engines/answeros/rules/check-parity.ts";
import { readFacts } from "../../../server/engines/answeros/services/facts.ts";
import { DAY_MS, NOW } from "./fixture.ts";
import { createShop } from "./http/shop.ts";
import type { Shop } from "./http/shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
  for (const { collection, values } of answeros.seed(NOW)) {
    for (const value of values) {
      await shop.harness.services.runTx(shop.part, async (tx) => tx.create(collection, value));
    }
  }
});
afterAll(() => shop.harness.close());

describe("the demo", () => {
  it("is the same for the same instant", () => expect(answeros.seed(NOW)).toEqual(answeros.seed(NOW)));

  it("has the sums that its observations give when they are handed in", async () => {
    const seeded = await shop.must("GET", `/visibility?from=2026-04-01&brand_id=${DEMO_IDS.own}`);
    const other = await createShop();
    const { runTx } = other.harness.services;
    for (const { collection, values } of answeros.seed(NOW)) {
      if (!["answeros.brands", "answeros.prompts"].includes(collection.name)) continue;
      for (const value of values) await runTx(other.part, async (tx) => tx.create(collection, value));
    }
    const given = demoObservations(NOW).observations.map((one) => ({
      prompt_id: one.prompt_id,
      engine: one.engine,
      model: one.model,
      sample: one.sample,
      at: one.at,
      answer_text: one.answer_text,
      citations: one.citations.map(({ url }) => ({ url })),
      sentiment: one.sentiment,
    }));
    await other.must("POST", "/observations", { observations: given });
    const counted = await other.must("GET", `/visibility?from=2026-04-01&brand_id=${DEMO_IDS.own}`);
    await other.harness.close();
    expect(counted).toEqual(seeded);
    expect(seeded.answers).toBe(given.length);
  });

  it("shows a shop that becomes more visible", async () => {
    const data = await shop.must(
      "GET",
      `/visibility?from=2026-05-12&compare=previous&brand_id=${DEMO_IDS.own}`,
    );
    const [{ metrics, previous }] = data.brands;
    expect(metrics.visibility.value).toBeGreaterThan(previous.visibility.value);
    expect(metrics.citation_rate.value).toBeGreaterThan(previous.citation_rate.value);
    expect(demoBrands(NOW).filter(({ own }) => own)).toHaveLength(1);
  });

  it("has a gap to work on, citations, pages that want work first", async () => {
    const gaps = await shop.must("GET", "/gaps");
    expect(gaps.map((gap: { topic: string }) => gap.topic)).toContain("catering");
    expect((await shop.must("GET", "/citations")).length).toBeGreaterThan(3);
    const [worst] = await shop.must("GET", "/scores?latest=true&sort=total");
    expect(worst.page_id).toBe(DEMO_IDS.pages.get("rye"));
    expect((await shop.must("GET", "/crawlers")).length).toBeGreaterThan(10);
    const { answer } = await shop.must("GET", "/answers?q=how%20long%20does%20sourdough%20keep");
    expect(answer.answer).toContain("four days");
  });

  it("publishes nothing that its page does not show", async () => {
    const { contents } = demoPages(NOW);
    for (const markup of demoMarkups(NOW)) {
      const content = contents.find(({ id }) => id === markup.page_id);
      const facts = await readFacts({
        html: content?.html ?? "",
        url: null,
        locale: "en",
        x_robots_tag: null,
      });
      expect(checkParity(markup.jsonld, facts.text.text)).toEqual(markup.parity);
      expect(markup.status).toBe(
        markup.parity.missing.length + markup.errors.length === 0 ? "published" : "invalid",
      );
    }
    for (const file of demoFiles(NOW)) expect(lintLlms(file.content)).toEqual([]);
  });

  it("has six weeks of answers", () => {
    const days = new Set(demoObservations(NOW).observations.map(({ at }) => at.slice(0, 10)));
    expect(days.size).toBe(6);
    expect(Math.min(...[...days].map(Date.parse))).toBeGreaterThan(NOW - 42 * DAY_MS);
  });
});
