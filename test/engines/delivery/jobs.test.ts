import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { sweepHolds } from "../../../server/engines/delivery/jobs.ts";
import { storePartition } from "../../../server/core/partitions.ts";
import { toInstant } from "../../../server/lib/instant.ts";
import { silentLog } from "../../../server/core/log.ts";
import { createShop, idsOf, makeFixture, makeWindow } from "./http/shop.ts";
import type { Shop } from "./http/shop.ts";

let shop: Shop;
let window: string;
beforeEach(async () => {
  shop = await createShop();
  const { z1 } = await makeFixture(shop);
  window = await makeWindow(shop, [z1], { capacity: 500 });
});
afterEach(() => shop.harness.close());

async function sweep(signal = new AbortController().signal): Promise<Readonly<Record<string, number>>> {
  const { clock, services } = shop.harness;
  const now = clock.now();
  return sweepHolds.run({
    now,
    nowAt: toInstant(now),
    part: storePartition(shop.key.storeId, "live"),
    runTx: services.runTx,
    newId: services.newId,
    log: silentLog,
    signal,
    hasTime: () => !signal.aborted,
    ports: services.ports,
  });
}

const hold = (date: string): Promise<string> => shop.make("/holds", { slot_id: `${window}@${date}` });
const statusOf = async (id: string): Promise<number> => (await shop.get(`/holds/${id}`)).status;

describe("delivery.sweep-holds", () => {
  it("removes dead holds after a week, and keeps bookings for ever", async () => {
    const dead = await hold("2026-06-03");
    const booked = await hold("2026-06-03");
    await shop.post(`/holds/${booked}/confirm`);
    shop.harness.clock.set("2026-06-08T09:14:59.000Z");
    expect(await sweep()).toEqual({ holds: 0, slots: 0, visitors: 0 });
    shop.harness.clock.set("2026-06-08T09:15:00.000Z");
    expect(await sweep()).toEqual({ holds: 1, slots: 0, visitors: 0 });
    expect([await statusOf(dead), await statusOf(booked)]).toEqual([404, 200]);
    shop.harness.clock.set("2026-06-12T09:15:00.000Z");
    expect(await sweep()).toEqual({ holds: 0, slots: 1, visitors: 0 });
    expect(idsOf(await shop.get("/bookings"))).toEqual([booked]);
    // What is booked can still be cancelled when its slot is no longer counted.
    expect((await shop.post(`/holds/${booked}/release`)).json.data.state).toBe("released");
  });

  it("keeps a cancelled booking for a week after its cancellation", async () => {
    const booked = await hold("2026-06-14");
    await shop.post(`/holds/${booked}/confirm`);
    shop.harness.clock.set("2026-06-10T09:00:00.000Z");
    await shop.post(`/holds/${booked}/release`);
    await sweep();
    expect(await statusOf(booked)).toBe(200);
    shop.harness.clock.set("2026-06-17T09:00:00.000Z");
    await sweep();
    expect(await statusOf(booked)).toBe(404);
  });

  it("works through more than one commit holds, and stops when it is told to", async () => {
    for (let made = 0; made < 95; made += 1) await hold("2026-06-03");
    shop.harness.clock.set("2026-07-01T09:00:00.000Z");
    const stopped = new AbortController();
    stopped.abort();
    expect(await sweep(stopped.signal)).toEqual({ holds: 0, slots: 0, visitors: 0 });
    expect(await sweep()).toEqual({ holds: 95, slots: 1, visitors: 0 });
    expect(await sweep()).toEqual({ holds: 0, slots: 0, visitors: 0 });
  });
});
