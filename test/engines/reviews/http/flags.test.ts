import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Incoming, Outgoing } from "../../../../server/http/messages.ts";
import { namespaces } from "../../../../server/registry.ts";
import { createPipeline } from "../../../support/match.ts";
import { createShop, publish } from "../shop.ts";
import type { Shop } from "../shop.ts";

// A flag of a visitor hides what a shop shows, and votes order it: one visitor must not be many.

let shop: Shop;
let handle: (req: Incoming) => Promise<Outgoing>;
beforeAll(async () => {
  shop = await createShop();
  handle = createPipeline(shop.harness.services, namespaces);
});
afterAll(() => shop.harness.close());

const DAY_MS = 86_400_000;

/** A published review of a product of its own. */
const published = async (product: string): Promise<string> =>
  (await publish(shop, { target: { type: "product", id: product } })).id;

/** Flags a review from an address of the internet. */
const flag = (id: string, peer: string, agent?: string): Promise<void> =>
  send(`/${id}/flag`, "{}", peer, agent);

async function send(path: string, body: string, peer: string, agent = "Firefox"): Promise<void> {
  const headers: Readonly<Record<string, string>> = {
    authorization: `Bearer ${shop.pub.plaintext}`,
    "content-type": "application/json",
    "user-agent": agent,
  };
  const { status } = await handle({
    method: "POST",
    target: `/v1/reviews${path}`,
    header: (name) => headers[name],
    stream: () => new ReadableStream<Uint8Array>(),
    body: () => Promise.resolve(new TextEncoder().encode(body)),
    signal: () => new AbortController().signal,
    peer,
  });
  expect(status).toBe(200);
}

const stateOf = async (id: string): Promise<[status: string, flags: number]> => {
  const { flags_count: flags, status } = await shop.read(`/${id}`);
  return [status, flags];
};

describe("flags of visitors", () => {
  it("take a review back where three addresses of one day have sent them", async () => {
    const id = await published("three");
    await flag(id, "93.184.216.10");
    await flag(id, "93.184.216.11");
    expect(await stateOf(id)).toEqual(["published", 2]);
    await flag(id, "93.184.216.12");
    expect(await stateOf(id)).toEqual(["pending", 3]);
    expect((await shop.read("/aggregates/product/three")).rating_count).toBe(0);
  });

  it("count once for an address, whatever its browser says it is", async () => {
    const id = await published("browsers");
    for (const agent of ["a", "b", "c", "d"]) await flag(id, "93.184.216.13", agent);
    expect(await stateOf(id)).toEqual(["published", 1]);
  });

  it("count once for an IPv6 /48, of which one person can have all addresses", async () => {
    const id = await published("ipv6");
    for (const net of [1, 2, 3]) await flag(id, `2606:4700:1:${net}::1`);
    expect(await stateOf(id)).toEqual(["published", 1]);
    await flag(id, "2606:4700:2:1::1");
    await flag(id, "2606:4700:3:1::1");
    expect(await stateOf(id)).toEqual(["pending", 3]);
  });

  it("of one address on several days are counted, and take nothing back", async () => {
    const id = await published("days");
    for (let day = 0; day < 4; day += 1) {
      await flag(id, "93.184.216.14");
      shop.harness.clock.advance(DAY_MS);
    }
    expect(await stateOf(id)).toEqual(["published", 4]);
    // Two visitors of today are not three, either.
    await flag(id, "93.184.216.14");
    await flag(id, "93.184.216.15");
    expect(await stateOf(id)).toEqual(["published", 6]);
    await flag(id, "93.184.216.16");
    expect(await stateOf(id)).toEqual(["pending", 7]);
  });

  it("of one address count for ten reviews a day: three addresses must not hide all that a shop shows", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 12; n += 1) ids.push(await published(`many-${n}`));
    const addresses = [50, 51, 52].map((end) => `93.184.216.${end}`);
    for (const id of ids) for (const address of addresses) await flag(id, address);
    const states = await Promise.all(ids.map(stateOf));
    expect(states.map(([status]) => status)).toEqual([
      ...ids.slice(2).map(() => "pending"),
      "published",
      "published",
    ]);
    shop.harness.clock.advance(DAY_MS);
    for (const address of addresses) await flag(ids[11] ?? "", address);
    expect((await stateOf(ids[11] ?? ""))[0]).toBe("pending");
  });

  it("do not take back what a person approved after others", async () => {
    const id = await published("approved");
    for (const end of [17, 18, 19]) await flag(id, `93.184.216.${end}`);
    expect(await stateOf(id)).toEqual(["pending", 3]);
    shop.harness.clock.advance(DAY_MS);
    await shop.make(`/${id}/approve`, {});
    for (const end of [17, 18, 19, 20]) await flag(id, `93.184.216.${end}`);
    expect(await stateOf(id)).toEqual(["published", 4]);
  });

  it("are counted on all days where the shop names its visitors", async () => {
    const id = await published("named");
    for (const visitor of ["cus-1", "cus-2", "cus-2", "cus-3"]) {
      await shop.make(`/${id}/flag`, { visitor_id: visitor });
      shop.harness.clock.advance(DAY_MS);
    }
    expect(await stateOf(id)).toEqual(["pending", 3]);
  });
});

describe("votes of visitors", () => {
  const vote = (id: string, peer: string, agent: string): Promise<void> =>
    send(`/${id}/votes`, '{"helpful":false}', peer, agent);
  const helpfulOf = async (id: string) => (await shop.read(`/${id}`)).helpful;
  const documents = async () => (await shop.harness.services.store.usage(shop.part)).documents;

  it("count once for an address and day, whatever its browser says it is", async () => {
    const id = await published("stuffed");
    for (const agent of ["a", "b", "c", "d"]) await vote(id, "93.184.216.30", agent);
    expect(await helpfulOf(id)).toMatchObject({ up: 0, down: 1 });
    await vote(id, "93.184.216.31", "a");
    expect(await helpfulOf(id)).toMatchObject({ up: 0, down: 2 });
  });

  it("leave no documents two days later, and those of visitors that the shop names stay", async () => {
    const id = await published("swept");
    await shop.run("reviews.sweep");
    await shop.make(`/${id}/votes`, { helpful: true, visitor_id: "cus-1" });
    const before = await documents();
    for (const end of [40, 41, 42]) {
      await vote(id, `93.184.216.${end}`, "a");
      await flag(id, `93.184.216.${end}`);
    }
    expect(await documents()).toBe(before + 11);
    shop.harness.clock.advance(2 * DAY_MS + 1);
    await shop.run("reviews.sweep");
    expect(await documents()).toBeLessThanOrEqual(before);
    await shop.make(`/${id}/votes`, { helpful: true, visitor_id: "cus-1" }).catch(() => undefined);
    expect(await helpfulOf(id)).toMatchObject({ up: 1, down: 3 });
  });
});
