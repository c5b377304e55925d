import { expect, it } from "vitest";

import { fewAtOnce } from "../../server/core/few-at-once.ts";
import { many } from "../support/longest-turn.ts";

it("runs so many at once for a customer, and those of others next to them", async () => {
  const run = fewAtOnce(2);
  const running = new Map<string, number>();
  const most = new Map<string, number>();
  const work = (customerId: string) =>
    run({ part: "sto_a", customerId }, async () => {
      running.set(customerId, (running.get(customerId) ?? 0) + 1);
      most.set(customerId, Math.max(most.get(customerId) ?? 0, running.get(customerId) ?? 0));
      await new Promise(setImmediate);
      running.set(customerId, (running.get(customerId) ?? 0) - 1);
    });
  await Promise.all(many(12, (n) => work(n % 2 === 0 ? "cus_1" : "cus_2")));
  expect([...most.entries()]).toEqual([
    ["cus_1", 2],
    ["cus_2", 2],
  ]);
});

it("goes on after one that fails, and does nothing for a client that is gone", async () => {
  const run = fewAtOnce(1);
  await expect(run({ part: "sto_a" }, () => Promise.reject(new Error("No.")))).rejects.toThrow("No.");
  expect(await run({ part: "sto_a" }, async () => 1)).toBe(1);
  const gone = { part: "sto_a", signal: () => AbortSignal.abort() };
  await expect(run(gone, async () => 1)).rejects.toThrow("The client closed the connection.");
});
