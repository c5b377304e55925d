import { describe, expect, it } from "vitest";

import { booksOf, chargeOf, countCalls, createWorld, Died, dyingDriver, recover, work } from "./dying.ts";

const TOKENS = ["tok_ok", "tok_timeout_charged", "tok_timeout_not_charged", "tok_duplicate_callback"];

describe("a charge whose process dies", () => {
  it.each(TOKENS)(
    "is paid exactly once, at whichever call it dies: %s",
    async (token) => {
      const total = await countCalls(token);
      expect(total).toBeGreaterThan(10);
      for (let dieAt = 1; dieAt <= total; dieAt += 1) {
        for (const when of ["before", "after"] as const) {
          const world = await createWorld(token);
          await work(world, dyingDriver(world.store, dieAt, when).driver).catch((error: unknown) => {
            expect(error).toBeInstanceOf(Died);
          });
          await recover(world);
          const { charged, contract } = await booksOf(world);
          const place = `call ${dieAt} of ${total}, ${when}`;
          expect([place, charged.length]).toEqual([place, 1]);
          expect([place, contract.status]).toEqual([place, "active"]);
          expect((await chargeOf(world))?.attempts.length).toBe(1);
          await world.shop.harness.close();
        }
      }
    },
    120_000,
  );
});

describe("two workers at once", () => {
  it.each(TOKENS)("take the money once: %s", async (token) => {
    const world = await createWorld(token);
    await Promise.all([work(world, world.store), work(world, world.store), work(world, world.store)]);
    await recover(world);
    expect((await booksOf(world)).charged).toHaveLength(1);
    await world.shop.harness.close();
  });
});
