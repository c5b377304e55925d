import { afterAll, beforeAll, expect, it } from "vitest";

import { longestCall, many, TURN_MS } from "../../../support/longest-turn.ts";
import { createShop } from "./shop.ts";
import type { Shop } from "./shop.ts";

// URLs of citations with as many tracking parameters as fit: each that was removed by itself wrote the whole URL again.

let shop: Shop;
let prompt: string;
beforeAll(async () => {
  shop = await createShop();
  prompt = (await shop.must("POST", "/prompts", { text: "Where do I buy rye?" })).id;
});
afterAll(() => shop.harness.close());

const answer = (n: number, urls: readonly string[]) => ({
  prompt_id: prompt,
  engine: `engine-${n % 30}`,
  at: new Date(Date.parse("2026-05-01T00:00:00.000Z") + n * 1_000).toISOString(),
  answer_text: "Crumb bakes rye.",
  citations: urls.map((url) => ({ url })),
});
const longest = (path: string, body: unknown): Promise<number> =>
  longestCall(shop, ["POST", path, body], 200);

it("citations with hundreds of tracking parameters are uploaded", async () => {
  const marks = many(250, (n) => `utm_${n.toString(36)}`).join("&");
  const observations = many(10, (n) =>
    answer(
      n,
      many(50, () => `https://crumb.example/?a=b+c&${marks}&d`),
    ),
  );
  const { items } = await shop.must("POST", "/observations", { observations });
  expect((await shop.must("GET", `/observations/${items[0].id}`)).citations[0].url).toBe(
    "https://crumb.example/?a=b+c&d=",
  );
  expect(await longest("/observations", { observations })).toBeLessThan(2 * TURN_MS);
}, 60_000);
