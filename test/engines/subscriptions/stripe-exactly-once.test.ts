import { describe, expect, it } from "vitest";

import { OutgoingError } from "../../../server/core/ports.ts";
import type { StripeFault } from "../../support/stripe-double.ts";
import { booksOf, chargeOf, Died, dyingDriver, recover, work } from "./dying.ts";
import { createStripeWorld } from "./stripe-world.ts";
import type { StripeWorld } from "./stripe-world.ts";

const FAULTS: readonly (readonly [string, StripeFault | null])[] = [
  ["nothing goes wrong", null],
  ["the request is lost", { kind: "drop", effect: false }],
  ["the answer is lost", { kind: "drop", effect: true }],
  ["a 500 hides the payment", { kind: "status", status: 500, effect: true }],
  ["a 429 comes first", { kind: "status", status: 429, effect: false }],
];

/** A run that ends at a call of the store or a request to Stripe, before it is carried out or after. */
function workUntil(world: StripeWorld, dieAt: number, when: "before" | "after") {
  const dying = dyingDriver(world.store, dieAt, when);
  const ports = {
    ...world.ports,
    post: dying.guard(world.ports.post),
    fetch: dying.guard(world.ports.fetch),
  };
  return { run: () => work(world, dying.driver, ports), calls: dying.calls };
}

const keysOf = ({ stripe }: StripeWorld, kind: "payment" | "refund") =>
  stripe.account.ledger.filter((entry) => entry.kind === kind).map(({ key }) => key);

async function countCalls(world: StripeWorld): Promise<number> {
  const counted = workUntil(world, Infinity, "before");
  await counted.run();
  await world.close();
  return counted.calls();
}

describe("a charge at Stripe whose process dies", () => {
  it.each(FAULTS)(
    "is paid exactly once, at whichever call it dies: %s",
    async (_, fault) => {
      const total = await countCalls(await createStripeWorld(fault));
      expect(total).toBeGreaterThan(10);
      for (let dieAt = 1; dieAt <= total; dieAt += 1) {
        for (const when of ["before", "after"] as const) {
          const world = await createStripeWorld(fault);
          await workUntil(world, dieAt, when)
            .run()
            .catch((error: unknown) => expect(error).toBeInstanceOf(Died));
          await recover(world);
          const charge = await chargeOf(world);
          const place = `call ${dieAt} of ${total}, ${when}`;
          expect([place, keysOf(world, "payment")]).toEqual([place, [charge?.attempts[0]?.id]]);
          expect([place, charge?.attempts.length, (await booksOf(world)).contract.status]).toEqual([
            place,
            1,
            "active",
          ]);
          await world.close();
        }
      }
    },
    240_000,
  );
});

describe("a charge for which the budget of outgoing requests is used up", () => {
  /** Requests are refused for the first hour: none of them is sent. */
  async function createPoorWorld(): Promise<StripeWorld> {
    const world = await createStripeWorld(null);
    const renewsAtMs = world.clock.now() + 3_600_000;
    const within =
      <A extends unknown[], R>(send: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        if (world.clock.now() >= renewsAtMs) return send(...args);
        throw new OutgoingError("refused", "The budget is exhausted.", { renewsAtMs });
      };
    const { post, fetch } = world.ports;
    return { ...world, ports: { ...world.ports, post: within(post), fetch: within(fetch) } };
  }

  it("is paid exactly once and never fails, at whichever call the process dies", async () => {
    const total = await countCalls(await createPoorWorld());
    expect(total).toBeGreaterThan(10);
    for (let dieAt = 1; dieAt <= total; dieAt += 1) {
      for (const when of ["before", "after"] as const) {
        const world = await createPoorWorld();
        await workUntil(world, dieAt, when)
          .run()
          .catch((error: unknown) => expect(error).toBeInstanceOf(Died));
        await recover(world);
        const charge = await chargeOf(world);
        const { status } = (await booksOf(world)).contract;
        const place = `call ${dieAt} of ${total}, ${when}`;
        expect([
          place,
          keysOf(world, "payment"),
          charge?.attempts.length,
          charge?.dunning.stage,
          status,
        ]).toEqual([place, [charge?.attempts[0]?.id], 1, 0, "active"]);
        await world.close();
      }
    }
  }, 240_000);

  it("is attempted once by several workers", async () => {
    const world = await createPoorWorld();
    const together = () => Promise.all([work(world, world.store), work(world, world.store)]);
    await together();
    expect(await chargeOf(world)).toMatchObject({ status: "processing", attempts: [] });
    world.clock.advance(3_600_000);
    await together();
    await recover(world);
    expect(keysOf(world, "payment")).toHaveLength(1);
    await world.close();
  });
});

describe("two workers at once", () => {
  it.each(FAULTS)("take the money once: %s", async (_, fault) => {
    const world = await createStripeWorld(fault);
    await Promise.all([work(world, world.store), work(world, world.store), work(world, world.store)]);
    await recover(world);
    expect(keysOf(world, "payment")).toHaveLength(1);
    await world.close();
  });
});

describe("a refund at Stripe whose process dies", () => {
  it.each(FAULTS)(
    "goes back exactly once, at whichever call it dies: %s",
    async (_, fault) => {
      const refunding = async () => {
        const world = await createStripeWorld(null);
        await work(world, world.store);
        const charge = await chargeOf(world);
        await world.shop.make(`/charges/${charge?.id}/refunds`, { amount: 300, reason: "Late" });
        let isDone = false;
        world.stripe.fault = ({ operation }) => {
          if (isDone || operation !== "POST /v1/refunds") return null;
          isDone = true;
          return fault;
        };
        return world;
      };
      const total = await countCalls(await refunding());
      expect(total).toBeGreaterThan(8);
      for (let dieAt = 1; dieAt <= total; dieAt += 1) {
        for (const when of ["before", "after"] as const) {
          const world = await refunding();
          await workUntil(world, dieAt, when)
            .run()
            .catch(() => undefined);
          // Stripe forgets a key after a day; a refund is found nevertheless.
          for (const minutes of [10, 26 * 60]) {
            world.clock.advance(minutes * 60_000);
            await work(world, world.store);
          }
          const place = `call ${dieAt}, ${when}`;
          const refunded = keysOf(world, "refund");
          expect([place, refunded, (await chargeOf(world))?.status]).toEqual([
            place,
            [`${(await chargeOf(world))?.id}-r1`],
            "partially_refunded",
          ]);
          await world.close();
        }
      }
    },
    240_000,
  );
});
