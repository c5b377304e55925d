import { afterAll, beforeAll, expect, it } from "vitest";

import { crawlerPrints } from "../../../../server/engines/answeros/repository.ts";
import { longestCall, longestOf, many, TURN_MS } from "../../../support/longest-turn.ts";
import { createShop } from "./shop.ts";
import type { Shop } from "./shop.ts";

// Logs as long as a request may have them must not keep the event loop from other stores.

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.harness.close());

const lineOf = (path: string, n: number) =>
  `1.1.1.1 - - [01/Jun/2026:06:00:00 +0000] "GET /${path} H" ${100 + (n % 500)} 1 "-" "GPTBot"`;
let round = 0;
const logOf = (lines: number): string => {
  round += 1;
  return many(lines, (n) => lineOf(`${round}-${n}`, n)).join("\n");
};

it("counts thousands of requests with pauses", async () => {
  const turn = await longestOf(
    () => {
      shop.harness.clock.advance(60_000);
      return logOf(5_000);
    },
    async (log) => {
      const answer = await shop.call("POST", "/crawler-logs", { log });
      expect(answer.json.data).toMatchObject({ lines: 5_000, hits: 5_000 });
    },
  );
  expect(turn).toBeLessThan(TURN_MS);
}, 60_000);

it("looks among 200,000 recorded requests with pauses", async () => {
  for (const n of Array(10).keys()) {
    const id = `crd_2026-06-01_GPTBot${n === 0 ? "" : `.${n + 1}`}`;
    const prints = many(20_000, (at) => `${n}${at.toString(36).padStart(5, "_")}`).join("");
    await shop.harness.services.runTx(shop.part, async (tx) => {
      tx.save(crawlerPrints, await tx.get(crawlerPrints, id), { id, prints });
    });
  }
  expect(await longestCall(shop, ["POST", "/crawler-logs", { log: logOf(1) }], 200)).toBeLessThan(TURN_MS);
}, 60_000);

it("does not count a status that HTTP does not have", async () => {
  const log = ["099", "600", "999", "200"].map((status) => lineOf("a", 0).replace("100", status)).join("\n");
  const answer = await shop.call("POST", "/crawler-logs", { log });
  expect(answer.json.data).toMatchObject({ lines: 4, unreadable: 3 });
});
