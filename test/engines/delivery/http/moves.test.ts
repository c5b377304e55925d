import { afterEach, beforeEach, expect, it } from "vitest";

import { createShop, makeFixture, makeWindow, refusal } from "./shop.ts";
import type { FixtureIds, Shop } from "./shop.ts";

// What a move does to the capacity of others, and to what else is known of a hold.

let shop: Shop;
let f: FixtureIds;
beforeEach(async () => {
  shop = await createShop();
  f = await makeFixture(shop);
});
afterEach(() => shop.harness.close());

const move = (id: string, body: object) => shop.post(`/holds/${id}/move`, body);
const makeCake = async (hours: number): Promise<string> => {
  const body = { title: { en: "Cake" }, price: 100, lead_time_minutes: hours * 60 };
  const answer = await shop.harness.call("POST", "/v1/menus/items", { key: shop.key, body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.json.data.id;
};

it("a booking that moves in leaves the holds of the slot alone, which end at the same instant as its own did", async () => {
  const later = await makeWindow(shop, [f.z1]);
  const soon = await makeWindow(shop, [f.z1], { start: "11:00", end: "11:30", capacity: 2 });
  const slot_id = `${soon}@2026-06-01`;
  const booking = await shop.make("/holds", { slot_id: `${later}@2026-06-03`, ttl_seconds: 7_200 });
  expect((await shop.post(`/holds/${booking}/confirm`)).status).toBe(200);
  const held = await shop.make("/holds", { slot_id, ttl_seconds: 7_200 });
  expect((await move(booking, { slot_id })).status).toBe(200);
  expect(refusal(await shop.post("/holds", { slot_id }))).toBe("409 slot_full");
  expect((await shop.post(`/holds/${held}/confirm`)).status).toBe(200);
  const { data } = (await shop.get(`/slots?zone_id=${f.z1}&to=2026-06-01`)).json;
  expect(data.find(({ id }: { id: string }) => id === slot_id)).toMatchObject({ booked: 2, held: 0 });
});

it("items that are ordered in addition must be ready for the slot that the hold has, and count from then on", async () => {
  const slot_id = `${await makeWindow(shop, [f.z1], { capacity: 1 })}@2026-06-03`;
  const [bun, cake, buffet] = [await makeCake(1), await makeCake(46), await makeCake(72)];
  const itemsOf = (menu_item_id: string) => ({ slot_id, items: [{ menu_item_id }] });
  const id = await shop.make("/holds", itemsOf(bun));
  expect(refusal(await move(id, itemsOf(buffet)))).toBe("409 lead_time_too_short");
  expect((await move(id, itemsOf(cake))).json.data).toMatchObject({ slot_id, item_lead_minutes: 46 * 60 });
  expect((await move(id, { slot_id })).json.data.item_lead_minutes).toBe(46 * 60);
  expect((await shop.get(`/holds/${id}`)).json.data).toMatchObject({ state: "held", quantity: 1 });
  shop.harness.clock.advance(2 * 3_600_000);
  expect(refusal(await shop.post(`/holds/${id}/confirm`))).toBe("409 hold_expired");
});

it("fewer items need no slot that is open", async () => {
  const slot_id = `${await makeWindow(shop, [f.z1])}@2026-06-03`;
  const [bun, cake] = [await makeCake(1), await makeCake(46)];
  const id = await shop.make("/holds", { slot_id, items: [{ menu_item_id: cake }] });
  await shop.make("/blocked-dates", { date: "2026-06-03" });
  const less = await move(id, { slot_id, items: [{ menu_item_id: bun }] });
  expect([less.status, less.json.data.item_lead_minutes]).toEqual([200, 60]);
});

it("another zone is served in the channel of the hold", async () => {
  const window = await makeWindow(shop, [f.z1, f.z2], { channels: ["web"] });
  const id = await shop.make("/holds", {
    slot_id: `${window}@2026-06-03`,
    zone_id: f.z1,
    channel: "web",
  });
  const moved = await move(id, { slot_id: `${window}@2026-06-04`, zone_id: f.z2 });
  expect(moved.json.data).toMatchObject({ zone_id: f.z2, channel: "web" });
});

it("what is collected instead has the channel of its location", async () => {
  const location = await shop.make("/locations", { name: "Bakery" });
  const window = await makeWindow(shop, [f.z1], { location_ids: [location] });
  const id = await shop.make("/holds", { slot_id: `${window}@2026-06-03`, zone_id: f.z1 });
  const moved = await move(id, { slot_id: `${window}@2026-06-04`, location_id: location });
  expect(moved.json.data).toMatchObject({ zone_id: null, location_id: location, channel: "pickup" });
});
