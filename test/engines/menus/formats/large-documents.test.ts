import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { cpuMs, longestTurn, TURN_MS } from "../../../support/longest-turn.ts";
import { readText } from "../../../../server/engines/menus/services/read-document.ts";
import { Problem } from "../../../../server/lib/errors.ts";
import { createShop } from "../http/shop.ts";
import type { Shop } from "../http/shop.ts";
import { LARGE } from "./large-documents.ts";

/** CPU time of one reading. Where a reader copied a list for each of its entries, it was up to 46 seconds. */
const READING_MS = 2_000;

describe("a document that repeats one thing very often", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await createShop();
  });
  afterAll(() => shop.harness.close());

  it.each(LARGE)("is read in time that grows with its size: %s", async (_name, format, data) => {
    const text = JSON.stringify(data);
    expect(text.length).toBeLessThan(1_000_000);
    const read = () => {
      try {
        readText(format, text, { locale: "en", currency: "GBP" });
      } catch (error) {
        expect(error).toBeInstanceOf(Problem);
      }
    };
    expect(await cpuMs(READING_MS, read)).toBeLessThan(READING_MS);
  });

  it.each(LARGE)(
    "keeps no other request waiting: %s",
    async (_name, format, data) => {
      const body = { format, dry_run: true, data };
      const answer = await shop.post("/import", body);
      expect([200, 422]).toContain(answer.status);
      const { key } = shop;
      const turn = await longestTurn(
        { harness: shop.harness, world: { key }, path: "/menus/import" },
        body,
        answer.status,
      );
      expect(turn).toBeLessThan(TURN_MS);
    },
    300_000,
  );
});
