import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { codesOf, createShop, idsOf, makeFixture, makeWindow, pointersOf, refusal } from "./shop.ts";
import type { FixtureIds, Shop } from "./shop.ts";

let shop: Shop;
let f: FixtureIds;
beforeEach(async () => {
  shop = await createShop();
  f = await makeFixture(shop);
});
afterEach(() => shop.harness.close());

const DAY = "2026-06-03";
const validate = (more: object = {}) =>
  shop.post("/validate", { postcode: "SW1A 1AA", basketTotal: 3000, ...more });
const makeItem = async (minutes: number | null): Promise<string> => {
  const body = {
    title: { en: "Cake" },
    price: 100,
    lead_time_minutes: minutes,
  };
  const answer = await shop.harness.call("POST", "/v1/menus/items", { key: shop.key, body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.json.data.id;
};

describe("lead times of items", () => {
  it("reach validation, slots and holds", async () => {
    const window = await makeWindow(shop, [f.z1]);
    const bun = await makeItem(null);
    // Two days from Monday, 10:00, end on Wednesday after the window has begun.
    const cake = await makeItem(48 * 60);
    const items = [{ menu_item_id: bun }, { menu_item_id: cake }];
    const slotId = `${window}@${DAY}`;
    expect(codesOf(await validate({ slot_id: slotId, items: items.slice(0, 1) }))).toEqual([]);
    expect(codesOf(await validate({ slot_id: slotId, items }))).toEqual(["lead_time_too_short"]);
    expect(codesOf(await validate({ date: DAY, items }))).toEqual(["lead_time_too_short"]);
    const next = (await validate({ items })).json.data.next_slots;
    expect(next[0].id).toBe(`${window}@2026-06-04`);
    const open = await shop.get(`/slots?zone_id=${f.z1}&status=open&items=${bun},${cake}`);
    expect(idsOf(open)[0]).toBe(`${window}@2026-06-04`);
    expect(refusal(await shop.post("/holds", { slot_id: slotId, items }))).toBe("409 lead_time_too_short");
    expect((await shop.post("/holds", { slot_id: `${window}@2026-06-04`, items })).status).toBe(201);
    const unknown = { items: [{ menu_item_id: "itm_none" }] };
    expect(pointersOf(await validate(unknown))).toEqual(["#/items/0/menu_item_id"]);
  });

  it("hold for a hold that has expired, and for one that is moved", async () => {
    const window = await makeWindow(shop, [f.z1]);
    const items = [{ menu_item_id: await makeItem(46 * 60) }];
    const hold = () => shop.make("/holds", { slot_id: `${window}@${DAY}`, items });
    const [late, moved] = [await hold(), await hold()];
    const move = (day: string) => shop.post(`/holds/${moved}/move`, { slot_id: `${window}@${day}` });
    expect(refusal(await move("2026-06-02"))).toBe("409 lead_time_too_short");
    expect((await move("2026-06-04")).status).toBe(200);
    shop.harness.clock.advance(2 * 3_600_000);
    expect(refusal(await shop.post(`/holds/${late}/confirm`))).toBe("409 hold_expired");
    expect((await shop.post(`/holds/${moved}/confirm`)).status).toBe(200);
  });
});
