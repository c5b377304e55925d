import { afterEach, beforeEach, expect, it } from "vitest";

import { createMemoryDriver } from "../../../server/storage/memory.ts";
import type { StoreDriver } from "../../../server/storage/contract.ts";
import { createTestClock } from "../../harness.ts";
import { createWorld } from "./world.ts";
import type { World } from "./world.ts";

const MINUTE_MS = 60_000;

let world: World;
/** Of the storage. */
let clock: ReturnType<typeof createTestClock>;
/** Compactions of the store. */
let compactions: number;
let isFull: boolean;
beforeEach(async () => {
  [compactions, isFull] = [0, false];
  clock = createTestClock();
  const store: StoreDriver = Object.assign(createMemoryDriver({ clock }), {
    compact: async () => {
      compactions += 1;
      if (isFull) throw new Error("No space left on the disk.");
      return { bytesBefore: 2, bytesAfter: 1 };
    },
  });
  world = await createWorld(store);
});
afterEach(() => world.harness.close());

function pass(minutes: number): void {
  clock.advance(minutes * MINUTE_MS);
  world.harness.clock.advance(minutes * MINUTE_MS);
}

const leave = (email: string) =>
  world.make(
    `/cart/carts/${email.split("@")[0]}`,
    {
      sequence: 1,
      customer: { email },
      lines: [{ ref: "r", title: "x", quantity: 1, unit_price: 100 }],
      total: 100,
      currency: "GBP",
      checkout_url: "https://shop.example/checkout",
    },
    { method: "PUT" },
  );

/** Asks for an erasure and lets the job work. Returns a function that shows the request. */
async function erase(email: string) {
  const { key, harness } = world;
  const body = { type: "erase", email };
  const asked = await harness.call("POST", "/v1/account/privacy-requests", { key, body });
  await world.work();
  return async () => {
    const { status, evidence } = await world.make(
      `/account/privacy-requests/${asked.json.data.id}`,
      undefined,
      { method: "GET" },
    );
    return { status, found: evidence.found > 0, compacted: evidence.compacted };
  };
}

it("compacts nothing for an address that matched nothing", async () => {
  const show = await erase("nobody@people.example");
  expect(await show()).toEqual({ status: "done", found: false, compacted: false });
  pass(15);
  await world.work();
  expect(compactions).toBe(0);
});

it("compacts once for all erasures of ten minutes", async () => {
  const emails = ["ada", "ben", "cyd"].map((name) => `${name}@people.example`);
  for (const email of emails) await leave(email);
  const shows: Awaited<ReturnType<typeof erase>>[] = [];
  for (const email of emails) {
    shows.push(await erase(email));
    pass(1);
  }
  const showAll = () => Promise.all(shows.map((show) => show()));
  const done = (compacted: boolean) => ({ status: "done", found: true, compacted });
  expect([compactions, await showAll()]).toEqual([1, [done(true), done(false), done(false)]]);
  pass(6);
  await world.work();
  expect(compactions).toBe(1);
  pass(4);
  await world.work();
  expect([compactions, await showAll()]).toEqual([2, [done(true), done(true), done(true)]]);
  pass(60);
  await world.work();
  expect(compactions).toBe(2);
});

it("is paid by the customer's budget of background work, with all of an erasure, and waits while that is used up", async () => {
  const { customerId } = world.key;
  const { budgets, jobs, store } = world.harness.services;
  const spentMs = async (): Promise<number> =>
    (await store.peek(`budget.background.${customerId}`))?.count ?? 0;
  await leave("ada@people.example");
  const before = await spentMs();
  const show = await erase("ada@people.example");
  expect(await show()).toMatchObject({ status: "done", compacted: true });
  expect(await spentMs()).toBeGreaterThan(before);
  await leave("ben@people.example");
  await budgets.charge(customerId, "background", 1_000_000_000);
  const body = { type: "erase", email: "ben@people.example" };
  const asked = await world.make("/account/privacy-requests", body);
  pass(1);
  await jobs.runDue();
  const read = () => world.make(`/account/privacy-requests/${asked.id}`, undefined, { method: "GET" });
  expect((await read()).status).toBe("verified");
  pass(60);
  await jobs.runDue();
  expect((await read()).status).toBe("done");
});

it("compacts again when the clock is set back after it was ahead", async () => {
  await leave("ada@people.example");
  pass(60);
  await erase("ada@people.example");
  pass(-60);
  await leave("ben@people.example");
  const show = await erase("ben@people.example");
  expect([compactions, await show()]).toEqual([2, { status: "done", found: true, compacted: true }]);
});

it("compacts later what could not be compacted", async () => {
  await leave("ada@people.example");
  isFull = true;
  const show = await erase("ada@people.example");
  expect(await show()).toMatchObject({ status: "done", compacted: false });
  isFull = false;
  pass(11);
  await world.work();
  expect([compactions, await show()]).toEqual([2, { status: "done", found: true, compacted: true }]);
});
