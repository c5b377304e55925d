import { afterEach, describe, expect, it } from "vitest";

import { recoverDue } from "../../../server/engines/cart/jobs/recover.ts";
import { carts } from "../../../server/engines/cart/repository.ts";
import { createBudgets } from "../../../server/core/budgets.ts";
import { createCursorCodec } from "../../../server/core/cursor.ts";
import { createNewId, createSystemRandom } from "../../../server/core/ids.ts";
import { silentLog } from "../../../server/core/log.ts";
import { createRunTx } from "../../../server/core/run-tx.ts";
import { createForwardMails } from "../../../server/mail/forward.ts";
import { createOutbox } from "../../../server/mail/outbox.ts";
import { mailOps } from "../../../server/mail/record.ts";
import type { OutgoingMail } from "../../../server/mail/transport.ts";
import type { StoreDriver } from "../../../server/storage/contract.ts";
import { createMemoryDriver } from "../../../server/storage/memory.ts";
import { closedPorts, createTestClock } from "../../harness.ts";
import { dyingDriver } from "../subscriptions/dying.ts";
import { createShop, NOW } from "./shop.ts";
import type { Shop } from "./shop.ts";

// The whole way of a marketing mail, from the cart that is due to the mail server, in a process that dies at each of its calls on the
// store, before the call is carried out and after. Whoever comes next may send it, or not: never a second time.

const HOUR = 3_600_000;
const random = createSystemRandom();

interface DemoInput {
  readonly store: StoreDriver;
  readonly clock: ReturnType<typeof createTestClock>;
  readonly part: string;
  readonly left: OutgoingMail[];
  readonly cartId: string;
}

const opened: Shop[] = [];
afterEach(async () => {
  for (const { harness } of opened.splice(0)) await harness.close();
});

async function createWorld(): Promise<DemoInput> {
  const clock = createTestClock(NOW);
  const store = createMemoryDriver({ clock });
  const shop = await createShop({ store });
  await shop.make("/recovery-flows", {
    title: "Back",
    steps: [{ delay_minutes: 240, template: "abandoned-cart-first" }],
  });
  const cart = await shop.make(
    "/carts/one",
    {
      sequence: 1,
      customer: { email: "ada@shop.example" },
      consent: { basis: "consent" },
      lines: [{ ref: "bread", title: "Bread", quantity: 1, unit_price: 400 }],
      total: 400,
      currency: "GBP",
      checkout_url: "https://shop.example/checkout",
    },
    "PUT",
  );
  opened.push(shop);
  return { store, clock, part: shop.part, left: [], cartId: cart.id };
}

const UNLIMITED = {
  mails: null,
  new_recipients: null,
  cpu: null,
  background: null,
  outgoing: null,
  ai: null,
};
const OWNER = {
  customerId: "cus_01",
  email: "dev@shop.example",
  store: "beans",
  isActive: true,
  limits: UNLIMITED,
};

/** One process: works on carts, forwards mails, delivers mail. */
function createProcess({ clock, part, left }: DemoInput, store: StoreDriver) {
  const newId = createNewId(clock, random);
  const runTx = createRunTx({ store, cursors: createCursorCodec(new Uint8Array(32)) });
  const work = {
    part,
    runTx,
    newId,
    log: silentLog,
    signal: new AbortController().signal,
    hasTime: () => true,
    ports: closedPorts,
  };
  const mail = createOutbox({
    store,
    clock,
    newId,
    random,
    log: silentLog,
    from: "Shop <no-reply@shop.example>",
    baseUrl: "https://api.shop.example",
    transport: {
      name: "smtp",
      send: (message) => {
        left.push(message);
        return Promise.resolve({ accepted: true, id: message.id });
      },
    },
  });
  const forward = createForwardMails({
    store,
    mail,
    secret: new Uint8Array(32),
    ports: closedPorts,
    clock,
    hasInbox: false,
    reach: {
      store,
      clock,
      budgets: createBudgets({ store, clock }),
      findOwner: () => Promise.resolve(OWNER),
    },
  });
  return {
    mail,
    runTx,
    async turn(): Promise<void> {
      const now = clock.now();
      await recoverDue({ ...work, now });
      await forward.run({ ...work, now, nowAt: new Date(now).toISOString() });
      clock.advance(11_000);
      await mail.runDue({ limit: 10 });
    },
  };
}

/** The cart is abandoned, its mail is due, and the process dies on the way; then others come. */
async function live(world: DemoInput, store: StoreDriver): Promise<void> {
  world.clock.advance(HOUR);
  await createProcess(world, world.store).turn();
  world.clock.advance(3 * HOUR);
  await createProcess(world, store)
    .turn()
    .catch(() => undefined);
  for (let round = 0; round < 8; round += 1) {
    world.clock.advance(5 * 60_000);
    await createProcess(world, world.store).turn();
  }
}

async function countCalls(): Promise<number> {
  const world = await createWorld();
  const { driver, calls } = dyingDriver(world.store, Infinity, "before");
  await live(world, driver);
  expect(world.left).toHaveLength(1);
  return calls();
}

describe("a marketing mail whose process dies", () => {
  it("is sent at most once, at whichever call it dies, and nearly always once", async () => {
    const total = await countCalls();
    expect(total).toBeGreaterThan(10);
    let lost = 0;
    for (let dieAt = 1; dieAt <= total; dieAt += 1) {
      for (const when of ["before", "after"] as const) {
        const world = await createWorld();
        await live(world, dyingDriver(world.store, dieAt, when).driver);
        const place = `call ${dieAt} of ${total}, ${when}: ${world.left.length}`;
        expect(world.left.length, place).toBeLessThanOrEqual(1);
        if (world.left.length === 0) lost += 1;
        const { runTx } = createProcess(world, world.store);
        const { value } = await runTx(world.part, (tx) => tx.require(carts, world.cartId));
        expect(
          value.steps.map(({ state }) => state),
          place,
        ).toEqual(["sent"]);
      }
    }
    // It is lost only where it may have left: between the claim and the record of the outbox.
    expect(lost).toBeGreaterThan(0);
    expect(lost).toBeLessThan(4);
  }, 120_000);

  it("carries the headers of one-click unsubscription to the transport", async () => {
    const world = await createWorld();
    await live(world, world.store);
    expect(world.left[0]?.unsubscribeUrl).toMatch(
      /^http:\/\/platform\.test\/api\/public\/unsubscribe\/[\w.-]+$/,
    );
  });

  it("is not like other mail, which is sent again (the negative control)", async () => {
    const world = await createWorld();
    const twice: number[] = [];
    for (let dieAt = 1; dieAt <= 8; dieAt += 1) {
      world.left.length = 0;
      const { mail } = createProcess(world, dyingDriver(world.store, Infinity, "before").driver);
      const record = await mail.compose({
        to: "ada@shop.example",
        template: "verify",
        data: {
          link: "https://api.shop.example/x",
          expires_at: new Date(world.clock.now() + 24 * HOUR).toISOString(),
        },
      });
      await world.store.commit("platform", mailOps(record));
      world.clock.advance(11_000);
      const dying = createProcess(world, dyingDriver(world.store, dieAt, "before").driver);
      await dying.mail.runDue({ limit: 10 }).catch(() => undefined);
      for (let round = 0; round < 3; round += 1) {
        world.clock.advance(5 * 60_000);
        await createProcess(world, world.store).mail.runDue({ limit: 10 });
      }
      if (world.left.length > 1) twice.push(dieAt);
    }
    expect(twice.length).toBeGreaterThan(0);
  });
});
