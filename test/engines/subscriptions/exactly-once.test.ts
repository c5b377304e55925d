import { describe, expect, it } from "vitest";

import {
  booksOf,
  chargeOf,
  chargesOf,
  countCalls,
  createWorld,
  Died,
  dyingDriver,
  recover,
  work,
} from "./dying.ts";
import { makeContract } from "./shop.ts";

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

describe("charges of several contracts, whose commits are shared", () => {
  const createMany = async () => {
    const world = { ...(await createWorld("tok_ok")), others: 2 };
    await makeContract(world.shop, "tok_timeout_charged");
    await makeContract(world.shop, "tok_timeout_not_charged");
    return world;
  };

  it("are paid exactly once each, at whichever call the process dies", async () => {
    const quiet = await createMany();
    const counted = dyingDriver(quiet.store, Infinity, "before");
    await work(quiet, counted.driver);
    await quiet.shop.harness.close();
    const total = counted.calls();
    expect(total).toBeGreaterThan(30);
    for (let dieAt = 1; dieAt <= total; dieAt += 1) {
      for (const when of ["before", "after"] as const) {
        const world = await createMany();
        await work(world, dyingDriver(world.store, dieAt, when).driver).catch((error: unknown) => {
          expect(error).toBeInstanceOf(Died);
        });
        await recover(world);
        const { charged } = await booksOf(world);
        const place = `call ${dieAt} of ${total}, ${when}`;
        expect([place, charged.length, new Set(charged).size]).toEqual([place, 3, 3]);
        const attempts = (await chargesOf(world)).map((charge) => charge.attempts.length);
        expect([place, attempts]).toEqual([place, [1, 1, 1]]);
        await world.shop.harness.close();
      }
    }
  }, 240_000);

  it("share commits", async () => {
    const [one, many] = [await createWorld("tok_ok"), await createMany()];
    const commitsOf = async (world: typeof one): Promise<number> => {
      let commits = 0;
      const { store } = world;
      await work(world, {
        ...store,
        commit: (...args) => {
          commits += 1;
          return store.commit(...args);
        },
      });
      await world.shop.harness.close();
      return commits;
    };
    expect(await commitsOf(many)).toBeLessThan(2 * (await commitsOf(one)));
  });
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

describe("a refund whose process dies", () => {
  it("goes back exactly once, at whichever call it dies", async () => {
    const refunding = async () => {
      const world = await createWorld("tok_ok");
      await work(world, world.store);
      const charge = await chargeOf(world);
      await world.shop.make(`/charges/${charge?.id}/refunds`, { amount: 300, reason: "Late" });
      return world;
    };
    const quiet = await refunding();
    const counted = dyingDriver(quiet.store, Infinity, "before");
    await work(quiet, counted.driver);
    await quiet.shop.harness.close();
    expect(counted.calls()).toBeGreaterThan(8);
    for (let dieAt = 1; dieAt <= counted.calls(); dieAt += 1) {
      for (const when of ["before", "after"] as const) {
        const world = await refunding();
        await work(world, dyingDriver(world.store, dieAt, when).driver).catch(() => undefined);
        world.clock.advance(10 * 60_000);
        await work(world, world.store);
        const { calls } = await booksOf(world);
        const refunded = calls.filter(({ outcome }) => outcome === "refunded").length;
        const place = `call ${dieAt}, ${when}`;
        expect([place, refunded, (await chargeOf(world))?.status]).toEqual([place, 1, "partially_refunded"]);
        await world.shop.harness.close();
      }
    }
  }, 120_000);
});
