import { afterAll, beforeAll, expect, it } from "vitest";

import { scoreSource } from "../../../../server/engines/answeros/services/page-tasks.ts";
import { longestCall, longestOf, many, TURN_MS } from "../../../support/longest-turn.ts";
import { createShop } from "./shop.ts";
import type { Shop } from "./shop.ts";

// Short texts that take long together with what else a task reads.

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.harness.close());

it("short answers in a store of many brands with long names", async () => {
  // This letter is read as the eighteen that it stands for.
  const name = (start: string) => `${start} `.padEnd(100, "\uFDFA");
  for (let brand = 0; brand < 50; brand += 1) {
    const aliases = many(20, (n) => name(`${brand} ${n}`));
    await shop.must("POST", "/brands", { name: name(`${brand}`), aliases, domains: [] });
    shop.harness.clock.advance(60_000);
  }
  const prompt = { text: "Where can I order bread?", engines: ["chatgpt"] };
  const { id } = await shop.must("POST", "/prompts", prompt);
  const observations = many(10, (n) => ({
    prompt_id: id,
    engine: "chatgpt",
    at: "2026-05-01T08:00:00.000Z",
    answer_text: `Crumb bakes ${n}`,
  }));
  expect(await longestCall(shop, ["POST", "/observations", { observations }], 200)).toBeLessThan(TURN_MS);
}, 120_000);

it("structured data of thousands of objects", async () => {
  const jsonld = JSON.stringify(many(2_400, () => ({ "@type": "Product" })));
  expect(await longestCall(shop, ["POST", "/schemas/validate", { jsonld }], 200)).toBeLessThan(TURN_MS);
  const { data } = (await shop.call("POST", "/schemas/validate", { jsonld })).json;
  expect([data.valid, data.errors.length, data.warnings.length]).toEqual([false, 100, 100]);
}, 60_000);

it("a short page of a site with a long robots.txt", async () => {
  const url = `https://crumb.example/${"a".repeat(900)}`;
  const source = { html: "<main>Bread</main>", url, locale: "en-GB", x_robots_tag: null };
  const robots_txt = `User-agent: *\nDisallow: /${"*".repeat(49_900)}`;
  const context = { url, page_type: "other" as const, entity: null, questions: [], robots_txt, now: 0 };
  const measured = longestOf(
    () => ({ source, context }),
    async (page) => expect((await scoreSource(shop.part, page)).meta).toMatchObject({ word_count: 1 }),
  );
  expect(await measured).toBeLessThan(TURN_MS);
}, 60_000);
