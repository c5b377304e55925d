import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createShop, makeFixture, pointersOf, refusal } from "./shop.ts";
import type { FixtureIds, Shop } from "./shop.ts";

let shop: Shop;
let f: FixtureIds;
beforeEach(async () => {
  shop = await createShop();
  f = await makeFixture(shop);
});
afterEach(() => shop.harness.close());

const steps = async (zoneId: string): Promise<[number, number][]> =>
  (await shop.get(`/fee-tiers?zone_id=${zoneId}`)).json.data.map(
    ({ from, fee }: { from: number; fee: number }) => [from, fee],
  );
const tierAt = async (zoneId: string, from: number): Promise<string> => {
  const { data } = (await shop.get(`/fee-tiers?zone_id=${zoneId}`)).json;
  return data.find((tier: { from: number }) => tier.from === from).id;
};

describe("fee-tiers", () => {
  it("200 lists all tiers, or those of a zone, from the lowest basket up", async () => {
    expect((await shop.get("/fee-tiers")).json.data).toHaveLength(7);
    expect(await steps(f.z1)).toEqual([
      [0, 499],
      [3000, 299],
      [5000, 0],
    ]);
    expect(await steps("zon_nothing")).toEqual([]);
  });

  it("201 adds a tier where it belongs", async () => {
    const answer = await shop.post("/fee-tiers", { zone_id: f.z1, from: 4000, fee: 199 });
    expect([answer.status, answer.headers.get("location")]).toEqual([
      201,
      `/v1/delivery/fee-tiers/${answer.json.data.id}`,
    ]);
    expect(answer.json.data).toEqual({
      id: expect.stringMatching(/^fee_/),
      zone_id: f.z1,
      from: 4000,
      fee: 199,
    });
    expect(await steps(f.z1)).toEqual([
      [0, 499],
      [3000, 299],
      [4000, 199],
      [5000, 0],
    ]);
    expect((await shop.get(`/fee-tiers/${answer.json.data.id}`)).json.data).toEqual(answer.json.data);
  });

  it("422 a zone that is not, and a tier that starts where another does", async () => {
    expect(pointersOf(await shop.post("/fee-tiers", { zone_id: "zon_nothing", from: 1, fee: 1 }))).toEqual([
      "#/zone_id",
    ]);
    expect(pointersOf(await shop.post("/fee-tiers", { zone_id: f.z1, from: 3000, fee: 1 }))).toEqual([
      "#/from",
    ]);
    const id = await tierAt(f.z1, 3000);
    expect(pointersOf(await shop.patch(`/fee-tiers/${id}`, { from: 5000 }))).toEqual(["#/from"]);
    expect((await shop.patch(`/fee-tiers/${await tierAt(f.z1, 0)}`, { from: 10 })).status).toBe(422);
  });

  it("409 limit_reached after 50 tiers", async () => {
    const all = Array.from({ length: 50 }, (_, at) => ({ from: at * 10, fee: 500 - at }));
    await shop.call("PUT", `/zones/${f.z1}/fee-tiers`, { fee_tiers: all });
    expect(refusal(await shop.post("/fee-tiers", { zone_id: f.z1, from: 9999, fee: 1 }))).toBe(
      "409 limit_reached",
    );
  });

  it("200 changes a tier", async () => {
    const id = await tierAt(f.z1, 3000);
    const answer = await shop.patch(`/fee-tiers/${id}`, { from: 3500, fee: 250 });
    expect(answer.json.data).toEqual({ id, zone_id: f.z1, from: 3500, fee: 250 });
    expect(await steps(f.z1)).toEqual([
      [0, 499],
      [3500, 250],
      [5000, 0],
    ]);
  });

  it("204 removes a tier; 409 first_tier for the one from 0", async () => {
    expect((await shop.remove(`/fee-tiers/${await tierAt(f.z1, 3000)}`)).status).toBe(204);
    expect(await steps(f.z1)).toEqual([
      [0, 499],
      [5000, 0],
    ]);
    expect(refusal(await shop.remove(`/fee-tiers/${await tierAt(f.z1, 0)}`))).toBe("409 first_tier");
  });

  it("404 an unknown tier", async () => {
    expect((await shop.get("/fee-tiers/fee_nothing")).status).toBe(404);
    expect((await shop.patch("/fee-tiers/fee_nothing", { fee: 1 })).status).toBe(404);
    expect((await shop.remove("/fee-tiers/fee_nothing")).status).toBe(404);
  });

  it("412 when the zone has changed", async () => {
    const id = await tierAt(f.z1, 3000);
    const stale = { "if-match": '"999999"' };
    expect((await shop.call("PATCH", `/fee-tiers/${id}`, { fee: 1 }, stale)).status).toBe(412);
    expect((await shop.call("DELETE", `/fee-tiers/${id}`, undefined, stale)).status).toBe(412);
    expect(await steps(f.z1)).toHaveLength(3);
  });
});
