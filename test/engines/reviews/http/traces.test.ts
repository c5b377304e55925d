import { afterEach, beforeEach, expect, it } from "vitest";

import { traces } from "../../../../server/engines/reviews/repository.ts";
import { DAY_MS, toInstant } from "../../../../server/lib/instant.ts";
import { aReview, createShop } from "../shop.ts";
import type { Shop } from "../shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

it("addresses of visitors are forgotten after two days, however many they were", async () => {
  const { newId, runTx } = shop.harness.services;
  const at = toInstant(shop.harness.clock.now());
  for (let made = 0; made < 120; made += 40) {
    await runTx(shop.part, async (tx) => {
      for (let n = 0; n < 40; n += 1) tx.create(traces, { id: newId("trc"), address: `a${n}`, at });
    });
  }
  const count = () => runTx(shop.part, (tx) => tx.peekCount(traces, { index: "old", max: 500 }));
  shop.harness.clock.advance(2 * DAY_MS);
  await shop.run("reviews.sweep");
  expect(await count()).toBe(120);
  shop.harness.clock.advance(1);
  await shop.run("reviews.sweep");
  expect(await count()).toBe(0);
});

it("reviews that nobody confirms are erased after 60 days: the address may be that of somebody else", async () => {
  const sent = await shop.visit("POST", "", aReview({ email: "stranger@x.example" }));
  const path = `/${sent.json.data.id}`;
  const [mail] = await shop.mails();
  const link = new URL(mail.data.confirm_url).pathname;
  shop.harness.clock.advance(60 * DAY_MS);
  await shop.run("reviews.sweep");
  expect(await shop.read(path)).toMatchObject({ status: "unconfirmed", email: "stranger@x.example" });
  expect((await shop.harness.call("GET", link)).status).toBe(200);
  shop.harness.clock.advance(1);
  await shop.run("reviews.sweep");
  expect(await shop.read(path)).toMatchObject({ status: "erased", email: null, body: "" });
  expect((await shop.harness.call("GET", link)).status).toBe(404);
  expect(await shop.make("/aggregates/rebuild")).toMatchObject({ differences: [] });
});
