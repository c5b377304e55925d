import { expect, it, vi } from "vitest";

import type * as TestGateway from "../../../server/engines/subscriptions/services/gateways/test.ts";
import type { PaymentGateway } from "../../../server/core/payments.ts";
import { booksOf, countCalls, createWorld, dyingDriver, recover, work } from "./dying.ts";

// The negative control of exactly-once.test.ts: the same deaths, but the gateway is called under a key that is another one each time,
// as if it were made of random numbers and not of what the charge is for.

vi.mock("../../../server/engines/subscriptions/services/gateways/test.ts", async (importOriginal) => {
  const real = await importOriginal<typeof TestGateway>();
  let calls = 0;
  const createTestGateway = (deps: Parameters<typeof real.createTestGateway>[0]): PaymentGateway => {
    const gateway = real.createTestGateway(deps);
    const fresh = (key: string): string => `${(calls += 1)}.${key}`;
    return {
      charge: (request) => gateway.charge({ ...request, key: fresh(request.key) }),
      lookup: (request) => gateway.lookup({ ...request, key: fresh(request.key) }),
      refund: (request) => gateway.refund(request),
    };
  };
  return { ...real, createTestGateway };
});

it.each(["tok_ok", "tok_timeout_charged"])(
  "money moves twice when the key is another one each time: %s",
  async (token) => {
    const total = await countCalls(token);
    const wrong: number[] = [];
    for (let dieAt = 1; dieAt <= total; dieAt += 1) {
      const world = await createWorld(token);
      await work(world, dyingDriver(world.store, dieAt, "after").driver).catch(() => undefined);
      await recover(world);
      if ((await booksOf(world)).charged.length !== 1) wrong.push(dieAt);
      await world.shop.harness.close();
    }
    expect(wrong.length).toBeGreaterThan(0);
  },
  120_000,
);
