import { afterAll, beforeAll, expect, it } from "vitest";

import { Ai } from "../../server/config/ai.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { startOpenAi } from "../ai/openai-server.ts";
import { createHarness, createTestClock } from "../harness.ts";
import type { Harness } from "../harness.ts";
import { moneyRefusals } from "./refusals-money.ts";
import { shopRefusals } from "./refusals-shop.ts";
import { createScene } from "./scene.ts";

/** A route, a code that it declares, and how a filled store comes to be refused with it. */
const CASES = [...shopRefusals, ...moneyRefusals];

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness.close());

it.each(CASES)("%s is refused with %s", async (id, code, play) => {
  const answer = await play(await createScene(harness, {}, id.split(".")[0]));
  expect(answer.json?.error?.code, answer.text).toBe(code);
});

it("account.keys.rotate is refused with customer_not_active, if the customer is suspended while it runs", async () => {
  const driver = createMemoryDriver({ clock: createTestClock() });
  let suspend: (() => Promise<unknown>) | null = null;
  const store: typeof driver = {
    ...driver,
    async commit(...args) {
      const first = suspend;
      suspend = null;
      await first?.();
      return driver.commit(...args);
    },
  };
  const own = await createHarness({ store });
  const key = await own.key();
  suspend = () => own.admin("POST", `/api/platform/admin/customers/${key.customerId}/suspend`);
  const answer = await own.call("POST", `/v1/account/keys/${key.id}/rotate`, { key, body: {} });
  expect(answer.json.error.code, answer.text).toBe("customer_not_active");
  await own.close();
});

it("reviews.reply-suggestions.create is refused with budget_exceeded and ai_unavailable", async () => {
  const server = await startOpenAi();
  const ai = Ai.parse({
    provider: "openai-compatible",
    url: server.url,
    model: "m",
    prices: [{ model: "m", input: 250_000, output: 2_000_000 }],
  });
  const own = await createHarness({ config: { ai } });
  const scene = await createScene(own);
  server.behave({ status: 500 });
  const failed = await scene.send("reviews.reply-suggestions.create");
  expect([failed.status, failed.json.error.code]).toEqual([503, "ai_unavailable"]);
  await scene.post("/v1/content/budgets", {
    name: "Day",
    limit_micros: 1,
    period: "day",
    on_exceed: "block",
  });
  const blocked = await scene.send("reviews.reply-suggestions.create");
  expect([blocked.status, blocked.json.error.code]).toEqual([409, "budget_exceeded"]);
  await own.close();
  await server.close();
});
