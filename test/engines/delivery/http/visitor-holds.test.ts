import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { sweepHolds } from "../../../../server/engines/delivery/jobs.ts";
import { silentLog } from "../../../../server/core/log.ts";
import { storePartition } from "../../../../server/core/partitions.ts";
import { toInstant } from "../../../../server/lib/instant.ts";
import { namespaces } from "../../../../server/registry.ts";
import type { TestKey } from "../../../harness.ts";
import { createPipeline } from "../../../support/match.ts";
import { createShop, makeFixture, makeWindow, pointersOf } from "./shop.ts";
import type { Shop } from "./shop.ts";

// Everybody can read the publishable key of a page.

let shop: Shop;
let pub: TestKey;
let slot_id: string;
beforeEach(async () => {
  shop = await createShop();
  const { z1 } = await makeFixture(shop);
  slot_id = `${await makeWindow(shop, [z1], { capacity: 3 })}@2026-06-03`;
  pub = await shop.harness.key({
    kind: "publishable",
    scopes: ["delivery:public", "delivery:submit"],
    customer_id: shop.key.customerId,
    store_id: shop.key.storeId,
  });
});
afterEach(() => shop.harness.close());

/** Holds a place of a slot from an address of the internet; the status, and seconds until it may be tried again. */
async function visitFrom(peer: string): Promise<readonly [status: number, wait: string | undefined]> {
  const headers: Readonly<Record<string, string>> = {
    authorization: `Bearer ${pub.plaintext}`,
    "content-type": "application/json",
  };
  const { status, headers: sent } = await createPipeline(
    shop.harness.services,
    namespaces,
  )({
    method: "POST",
    target: "/v1/delivery/holds",
    header: (name) => headers[name],
    stream: () => new ReadableStream<Uint8Array>(),
    body: () => Promise.resolve(new TextEncoder().encode(JSON.stringify({ slot_id }))),
    signal: () => new AbortController().signal,
    peer,
  });
  const at = sent.findIndex((name) => name.toLowerCase() === "retry-after");
  return [status, at < 0 ? undefined : sent[at + 1]];
}

const visit = (more: object) =>
  shop.harness.call("POST", "/v1/delivery/holds", { key: pub, body: { slot_id, ...more } });

it("a visitor holds one place of a slot at a time, not all of them", async () => {
  const all = await visit({ quantity: 3 });
  expect([all.status, pointersOf(all)]).toEqual([422, ["#/quantity"]]);
  expect((await visit({ quantity: 1 })).json.data.quantity).toBe(1);
  expect((await shop.post("/holds", { slot_id, quantity: 2 })).status).toBe(201);
});

it("a visitor holds it as long as the shop allows, at most", async () => {
  expect((await visit({ ttl_seconds: 7_200 })).json.data.expires_at).toBe("2026-06-01T09:15:00.000Z");
  expect((await visit({ ttl_seconds: 60 })).json.data.expires_at).toBe("2026-06-01T09:01:00.000Z");
  const own = await shop.post("/holds", { slot_id, ttl_seconds: 7_200 });
  expect(own.json.data.expires_at).toBe("2026-06-01T11:00:00.000Z");
});

describe("holds of one IP address", () => {
  const peer = "93.184.216.34";
  beforeEach(async () => {
    const [windowId = ""] = slot_id.split("@");
    const changed = await shop.patch(`/slot-windows/${windowId}`, { capacity: 100 });
    expect(changed.status, changed.text).toBe(200);
  });
  const fill = async () => {
    // No more than five in a minute are taken from one address in any case.
    for (const minute of [1, 2]) {
      for (let n = 0; n < 5; n += 1) expect((await visitFrom(peer))[0], `minute ${minute}`).toBe(201);
      shop.harness.clock.advance(61_000);
    }
  };

  it("are ten at a time: the next has to wait for the end of the first", async () => {
    await fill();
    expect(await visitFrom(peer)).toEqual([429, String(15 * 60 - 122)]);
    expect((await visitFrom("93.184.216.35"))[0]).toBe(201);
    expect((await shop.post("/holds", { slot_id })).status).toBe(201);
    shop.harness.clock.advance(15 * 60_000);
    expect((await visitFrom(peer))[0]).toBe(201);
  });

  it("count together for an IPv6 /48, of which one person can have all addresses", async () => {
    for (const minute of [1, 2]) {
      for (let n = 0; n < 5; n += 1)
        expect((await visitFrom(`2606:4700:1:${minute}${n}::1`))[0], `minute ${minute}`).toBe(201);
      shop.harness.clock.advance(61_000);
    }
    expect((await visitFrom("2606:4700:1:99::1"))[0]).toBe(429);
    expect((await visitFrom("2606:4700:2:1::1"))[0]).toBe(201);
  });

  it.each(["confirm", "release"])("do not count once the shop has done this with one: %s", async (action) => {
    const first = (await visit({})).json.data.id;
    for (let n = 0; n < 9; n += 1) expect((await visit({})).status).toBe(201);
    expect((await visit({})).status).toBe(429);
    expect((await shop.post(`/holds/${first}/${action}`)).status).toBe(200);
    expect((await visit({})).status).toBe(201);
    expect((await visit({})).status).toBe(429);
  });

  it("leave nothing when they have ended", async () => {
    const { clock, services } = shop.harness;
    const part = storePartition(shop.key.storeId, "live");
    const documents = async () => (await services.store.usage(part)).documents;
    const sweep = async () => {
      const now = clock.now();
      const { newId, ports, runTx } = services;
      const { signal } = new AbortController();
      const work = { now, nowAt: toInstant(now), part, newId, ports, runTx, signal, log: silentLog };
      return sweepHolds.run({ ...work, hasTime: () => true });
    };
    const before = await documents();
    await fill();
    expect(await sweep()).toMatchObject({ visitors: 0 });
    clock.advance(2 * 3_600_000);
    expect(await sweep()).toMatchObject({ visitors: 1 });
    clock.advance(20 * 86_400_000);
    await sweep();
    expect(await documents()).toBeLessThanOrEqual(before);
  });
});
