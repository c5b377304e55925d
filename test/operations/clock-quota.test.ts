import { expect, it } from "vitest";

import { ConfigSchema } from "../../server/config/schema.ts";
import { createHarness } from "../harness.ts";
import { line, makeContract, NOW, setClock, shopOf } from "../engines/subscriptions/shop.ts";

it("advances the clock of test data no further where the store is full", async () => {
  const plans = [{ id: "free", requestsPerMinute: 6_000, documentsPerStore: 60 }];
  const harness = await createHarness({ now: NOW, config: { plans: ConfigSchema.parse({ plans }).plans } });
  const shop = shopOf(harness, await harness.key({ plan: "free", mode: "test" }));
  await setClock(harness, shop.key, "", { now: NOW });
  await makeContract(shop, "tok_ok", { interval: { unit: "day", count: 1 }, lines: [line()] });
  const advance = (days: number) =>
    harness.call("POST", "/v1/account/test-clock/advance", {
      key: shop.key,
      body: { to: new Date(Date.parse(NOW) + days * 86_400_000).toISOString() },
    });
  expect((await advance(20)).json.data.reached).toBe(true);
  const { documents } = await harness.services.store.usage(shop.part);
  expect(documents).toBeGreaterThan(60);
  const refused = await advance(40);
  expect([refused.status, refused.json.error.code]).toEqual([409, "quota_exceeded"]);
  expect(await harness.services.store.usage(shop.part)).toMatchObject({ documents });
  await harness.close();
});

it("has jobs fill a store to twice its quota at most, however far ahead the clock of its test data is", async () => {
  const plans = [{ id: "free", requestsPerMinute: 6_000, documentsPerStore: 60 }];
  const harness = await createHarness({ now: NOW, config: { plans: ConfigSchema.parse({ plans }).plans } });
  const shop = shopOf(harness, await harness.key({ plan: "free", mode: "test" }));
  await setClock(harness, shop.key, "", { now: NOW });
  await makeContract(shop, "tok_ok", { interval: { unit: "day", count: 1 }, lines: [line()] });
  const bill = () => harness.services.jobs.run("subscriptions.bill");
  await bill();
  await harness.call("DELETE", "/v1/account/test-clock", { key: shop.key });
  await setClock(harness, shop.key, "", { now: "2946-06-01T09:00:00.000Z" });
  for (let run = 0; run < 5; run += 1) await bill();
  const { documents } = await harness.services.store.usage(shop.part);
  expect(documents).toBeGreaterThan(60);
  expect(documents).toBeLessThanOrEqual(120);
  await harness.close();
});
