import { toInstant } from "../../../server/lib/instant.ts";
import { billContracts, billDue } from "../../../server/engines/subscriptions/jobs.ts";
import { charges, contracts, gatewayCalls } from "../../../server/engines/subscriptions/repository.ts";
import { createCursorCodec } from "../../../server/core/cursor.ts";
import { createNewId, createSystemRandom } from "../../../server/core/ids.ts";
import { silentLog } from "../../../server/core/log.ts";
import { createRunTx } from "../../../server/core/run-tx.ts";
import type { RunTx } from "../../../server/core/tx.ts";
import type { Ports } from "../../../server/core/ports.ts";
import type { StoreDriver } from "../../../server/storage/contract.ts";
import { createMemoryDriver } from "../../../server/storage/memory.ts";
import { closedPorts, createTestClock } from "../../harness.ts";
import { createShop, makeContract, NOW } from "./shop.ts";
import type { Shop } from "./shop.ts";

// Every call of a charge on the store is a place to die, before it is carried out and after. The test gateway keeps its books in the
// same store through calls of its own, so dying at those is losing a request to the gateway, or its answer.

export class Died extends Error {
  constructor(at: number) {
    super(`died at call ${at}`);
    this.name = "Died";
  }
}

/** A driver whose process dies at its n-th call, before or after it is carried out: from then on nothing answers. */
export function dyingDriver(store: StoreDriver, dieAt: number, when: "before" | "after") {
  const { guard, calls } = dyingCalls(dieAt, when);
  const driver: StoreDriver = {
    ...store,
    get: guard((key) => store.get(key)),
    getMany: guard((keys) => store.getMany(keys)),
    page: guard((part, coll, options) => store.page(part, coll, options)),
    commit: guard((part, ops, checks) => store.commit(part, ops, checks)),
  };
  return { driver, guard, calls };
}

/** Counts calls of whatever it guards, and ends at the n-th of them. */
function dyingCalls(dieAt: number, when: "before" | "after") {
  let calls = 0;
  const guard =
    <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      calls += 1;
      const at = calls;
      if (at > dieAt || (at === dieAt && when === "before")) throw new Died(at);
      const result = await work(...args);
      if (at === dieAt) throw new Died(at);
      return result;
    };
  return { guard, calls: () => calls };
}

export interface World {
  readonly shop: Shop;
  readonly store: StoreDriver;
  readonly part: string;
  readonly clock: ReturnType<typeof createTestClock>;
  readonly contractId: string;
  readonly ports?: Ports;
  /** Contracts in addition to the first whose charge is due. */
  readonly others?: number;
}

const random = createSystemRandom();
export const runTxOver = (store: StoreDriver): RunTx =>
  createRunTx({ store, cursors: createCursorCodec(new Uint8Array(32)) });

/** A worker of a process of its own over this store. */
export function work(world: World, store: StoreDriver, ports = world.ports ?? closedPorts) {
  return billDue({
    now: world.clock.now(),
    nowAt: toInstant(world.clock.now()),
    part: world.part,
    runTx: runTxOver(store),
    newId: createNewId(world.clock, random),
    log: silentLog,
    signal: new AbortController().signal,
    ports,
  });
}

/** A store with a contract whose first charge is due. */
export async function createWorld(token: string): Promise<World> {
  const clock = createTestClock(NOW);
  const store = createMemoryDriver({ clock });
  const shop = await createShop({ store, mode: "live" });
  const { id } = await makeContract(shop, token);
  return { shop, store, part: shop.part, clock, contractId: id };
}

const DAY = 86_400_000;

/** Lets fresh processes go on, each when something is due next, until the charge is paid or more than a day is over. */
export async function recover(world: World): Promise<void> {
  const until = world.clock.now() + 26 * 60 * 60_000;
  while (world.clock.now() <= until) {
    await work(world, world.store);
    const charged = await chargesOf(world);
    const isPaid = charged.every(({ status }) => status === "succeeded");
    if (isPaid && charged.length === 1 + (world.others ?? 0)) return;
    const next = await runTxOver(world.store)(
      world.part,
      async (tx) => (await billContracts.watches?.[0]?.next(tx)) ?? null,
    );
    world.clock.advance(Math.max(1_000, (next ?? until + DAY) - world.clock.now()));
  }
}

export const chargesOf = async (world: World) =>
  (await runTxOver(world.store)(world.part, (tx) => tx.peekAll(charges))).map(({ value }) => value);

export const chargeOf = async (world: World) => (await chargesOf(world))[0];

/** What the gateway's own books say: money that moved, by call and by key. */
export async function booksOf(world: World) {
  const runTx = runTxOver(world.store);
  const calls = await runTx(world.part, (tx) => tx.peekAll(gatewayCalls));
  const charged = calls.filter(({ value }) => value.outcome === "charged").map(({ value }) => value.key);
  const contract = await runTx(world.part, (tx) => tx.require(contracts, world.contractId));
  return { charged, contract: contract.value, calls: calls.map(({ value }) => value) };
}

/** Counts the calls of a run that nobody disturbs. */
export async function countCalls(token: string): Promise<number> {
  const world = await createWorld(token);
  const { driver, calls } = dyingDriver(world.store, Infinity, "before");
  await work(world, driver);
  await world.shop.harness.close();
  return calls();
}
