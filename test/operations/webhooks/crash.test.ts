import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Harness, TestKey } from "../../harness.ts";
import { createTestClock } from "../../harness.ts";
import { createMemoryDriver } from "../../../server/storage/memory.ts";
import type { StoreDriver } from "../../../server/storage/contract.ts";
import { createRig, deliveriesOf, emit, openReceiver, sendDue, subscribe } from "./rig.ts";
import type { Receiver } from "./rig.ts";

// A worker that is killed neither commits nor sends any more; here its store lets no more commits through.

class Killed extends Error {}

/** A store shared by all workers, and a view of it that dies at its n-th commit: before it is made, or just after. */
function createMortal(store: StoreDriver) {
  const state = { at: Infinity, after: false, seen: 0, isDead: false };
  const mortal: StoreDriver = {
    ...store,
    async commit(part, ops, checks) {
      // What the jobs write about themselves is not what is looked at here.
      const isOurs = ops.some((op) => /:(webhooks|kernel)\./.test("put" in op ? op.put : op.del));
      if (!isOurs) return store.commit(part, ops, checks);
      if (state.isDead) throw new Killed();
      state.seen += 1;
      if (state.seen === state.at) {
        state.isDead = true;
        if (state.after) await store.commit(part, ops, checks);
        throw new Killed();
      }
      return store.commit(part, ops, checks);
    },
  };
  return { state, mortal };
}

let receiver: Receiver;
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(() => receiver.close());

async function world(): Promise<{
  store: StoreDriver;
  first: Harness;
  second: Harness;
  state: ReturnType<typeof createMortal>["state"];
  key: TestKey;
  hook: Awaited<ReturnType<typeof subscribe>>;
}> {
  const clock = createTestClock();
  const store = createMemoryDriver({ clock });
  const { state, mortal } = createMortal(store);
  const second = await createRig({ store });
  const key = await second.key();
  const hook = await subscribe(second, key, { url: receiver.url });
  const first = await createRig({ store: mortal });
  return { store, first, second, state, key, hook };
}

const signal = () => new AbortController().signal;

describe("a worker that dies", () => {
  it("has commits at which it can die", async () => {
    const { first, second, state, hook } = await world();
    await emit(second, hook.part);
    await first.services.webhooks.work(hook.part, { signal: signal() });
    // Hand out, claim, record.
    expect(state.seen).toBe(3);
    expect(receiver.got).toHaveLength(1);
  });

  const points = [1, 2, 3].flatMap((at) =>
    [false, true].map((after) => [at, after ? "after" : "before", after] as const),
  );
  it.each(points)(
    "at commit %i, %s it is made: another one delivers under the same id",
    async (at, _, after) => {
      const { first, second, state, key, hook } = await world();
      const id = await emit(second, hook.part);
      state.at = at;
      state.after = after;
      await expect(first.services.webhooks.work(hook.part, { signal: signal() })).rejects.toThrow(Killed);
      expect(state.isDead).toBe(true);
      // The claim of the dead one runs out.
      second.clock.advance(61_000);
      await sendDue(second);
      await sendDue(second);
      const [delivery, ...more] = await deliveriesOf(second, key, hook.id);
      expect(more).toEqual([]);
      expect(delivery).toMatchObject({ status: "delivered", event_id: id });
      expect(new Set(receiver.got.map((received) => received.id))).toEqual(new Set([id]));
      // Twice only where it was sent and that was not written down.
      expect(receiver.got).toHaveLength(at === 3 && !after ? 2 : 1);
    },
  );

  it("while it sends: its late answer changes nothing that another one has recorded", async () => {
    const { second, store, key, hook } = await world();
    const slow = await createRig({ store });
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isFirst = true;
    receiver.answer = async () => {
      if (!isFirst) return { status: 204 };
      isFirst = false;
      await held;
      return { status: 500 };
    };
    await emit(second, hook.part);
    const late = slow.services.webhooks.work(hook.part, { signal: signal() });
    await expect.poll(() => receiver.got.length).toBe(1);
    second.clock.advance(61_000);
    await sendDue(second);
    release();
    await late;
    const [delivery] = await deliveriesOf(second, key, hook.id);
    expect(delivery).toMatchObject({ status: "delivered", attempts: 2 });
    expect(receiver.got).toHaveLength(2);
  });
});

describe("workers side by side", () => {
  it("deliver each event once to each endpoint", async () => {
    const { second, store, key, hook } = await world();
    const other = await subscribe(second, key, { url: receiver.url, types: ["webhook.*"] });
    const ids: string[] = [];
    for (let made = 0; made < 30; made += 1)
      ids.push(await emit(second, hook.part, "webhook.test", { n: made }));
    const workers = await Promise.all(Array.from({ length: 4 }, () => createRig({ store })));
    await Promise.all(
      workers.map(async ({ services }) => {
        for (let turn = 0; turn < 3; turn += 1) await services.webhooks.work(hook.part, { signal: signal() });
      }),
    );
    expect(receiver.got).toHaveLength(2 * ids.length);
    const counts = new Map<string, number>();
    for (const { id } of receiver.got) counts.set(id, (counts.get(id) ?? 0) + 1);
    expect([...counts.keys()].sort()).toEqual([...ids].sort());
    expect(new Set(counts.values())).toEqual(new Set([2]));
    const statuses = (await deliveriesOf(second, key, other.id)).map(
      ({ status }: { status: string }) => status,
    );
    expect(new Set(statuses)).toEqual(new Set(["delivered"]));
  });

  it.each([1, 4])("are not delayed by the slow receivers of shops: %i", async (shops) => {
    const { second, hook } = await world();
    const slow = await openReceiver();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    slow.answer = async () => {
      await held;
      return { status: 204 };
    };
    second.services.webhooks.start();
    const slowKey = await second.key();
    const first = await subscribe(second, slowKey, { url: slow.url });
    for (let shop = 0; shop < shops; shop += 1) {
      const theirs = shop === 0 ? first : await subscribe(second, await second.key(), { url: slow.url });
      for (let made = 0; made < 12; made += 1) await emit(second, theirs.part);
    }
    // As many as run at once of each shop; of four, all that run at once.
    await expect.poll(() => slow.got.length).toBe(8 * shops);
    await emit(second, hook.part);
    await expect.poll(() => receiver.got.length).toBe(1);
    // None of them has been given up meanwhile.
    const waiting = (await deliveriesOf(second, slowKey, first.id)).map(
      ({ status }: { status: string }) => status,
    );
    expect(waiting.filter((status: string) => status === "sending")).toHaveLength(8);
    release();
    await expect.poll(() => slow.got.length).toBe(12 * shops);
    await second.services.webhooks.stop();
    await slow.close();
  });
});

describe("a service that runs", () => {
  it("sends what happens at once, without a job, and what failed when its time comes", async () => {
    const harness = await createRig();
    const key = await harness.key();
    const hook = await subscribe(harness, key, { url: receiver.url });
    harness.services.webhooks.start();
    await emit(harness, hook.part);
    await expect.poll(() => receiver.got.length).toBe(1);
    const ordered = await harness.call("POST", `/v1/account/webhooks/${hook.id}/test`, { key });
    expect(ordered.status).toBe(202);
    await expect.poll(() => receiver.got.length).toBe(2);
    expect(JSON.parse(receiver.got[1]?.body ?? "").data).toEqual({ endpoint_id: hook.id });
    const path = ordered.headers.get("location") ?? "";
    await expect
      .poll(async () => (await harness.call("GET", path, { key })).json.data.status)
      .toBe("delivered");
    const again = await harness.call("POST", `${path}/resend`, { key });
    expect(again.status).toBe(200);
    await expect.poll(() => receiver.got.length).toBe(3);
    expect(receiver.got[2]?.id).toBe(receiver.got[1]?.id);
    await harness.close();
  });

  it("looks once at what waits for an endpoint that was deleted since", async () => {
    const store = createMemoryDriver({ clock: createTestClock() });
    let looks = 0;
    const counted: StoreDriver = {
      ...store,
      page(part, coll, options) {
        if (coll === "ix.webhooks.deliveries.due") looks += 1;
        return store.page(part, coll, options);
      },
    };
    const harness = await createRig({ store: counted });
    const key = await harness.key();
    const hook = await subscribe(harness, key, { url: receiver.url });
    receiver.answer = () => ({ status: 500 });
    await emit(harness, hook.part);
    await sendDue(harness);
    expect((await harness.call("DELETE", `/v1/account/webhooks/${hook.id}`, { key })).status).toBe(204);
    harness.clock.advance(60_000);
    looks = 0;
    harness.services.webhooks.start();
    harness.services.webhooks.wake(hook.part);
    await new Promise((resolve) => {
      setTimeout(resolve, 300);
    });
    expect(looks).toBeLessThan(5);
    expect(receiver.got).toHaveLength(1);
    await harness.close();
  });

  it("looks nowhere while nothing happens", async () => {
    const clock = createTestClock();
    const store = createMemoryDriver({ clock });
    const reads: string[] = [];
    const counted: StoreDriver = {
      ...store,
      page(part, coll, options) {
        reads.push(`${part}:${coll}`);
        return store.page(part, coll, options);
      },
    };
    const harness = await createRig({ store: counted });
    for (let shop = 0; shop < 5; shop += 1) await harness.key();
    for (const part of ["sto_a", "sto_b"]) {
      await store.commit(part, [{ put: `${part}:x.y:z`, value: "{}" }]);
    }
    harness.services.webhooks.start();
    reads.length = 0;
    await sendDue(harness);
    // Where no endpoint is, a look at one document is all.
    expect(reads.filter((read) => /webhooks|kernel\.events/.test(read))).toEqual([]);
    await harness.close();
  });
});
