import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createShop, makeMenu } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

const christmas = [{ date: "2026-12-25", closed: true }];
const weekdays = { days: ["mon", "tue", "wed", "thu", "fri"], start: "08:00", end: "17:00" };
const weekend = { days: ["sat", "sun"], start: "10:00", end: "02:00" };

const idsOf = async (path: string): Promise<string[]> => (await shop.get(path)).json.data.schedule_ids;

async function sendBack(menu: string, format: string): Promise<void> {
  const { document } = (await shop.get(`/${menu}/export?format=${format}`)).json.data;
  const answer = await shop.post("/import", { format, data: document });
  expect([answer.status, answer.json.data?.complete]).toEqual([200, true]);
}

describe.each(["square", "toast", "uber", "otter"])(
  "a menu that was exported to %s and comes back",
  (format) => {
    it("keeps its schedules with what the format does not know", async () => {
      const calendar = await shop.make("/calendars", { title: "Holidays", days: [{ date: "2026-12-26" }] });
      const schedule = await shop.make("/schedules", {
        title: "Kitchen",
        rules: [weekdays],
        valid_from: "2026-01-01",
        exceptions: christmas,
        holidays: { calendar_id: calendar, closed: true },
      });
      const late = await shop.make("/schedules", { title: "Late", rules: [weekend] });
      const { menu } = await makeMenu(shop, { menu: { schedule_ids: [schedule, late] } });
      await sendBack(menu, format);
      expect(await idsOf(`/${menu}`)).toEqual([schedule, late]);
      await shop.patch(`/schedules/${schedule}`, { rules: [{ ...weekdays, end: "16:00" }] });
      const { document } = (await shop.get(`/${menu}/export?format=${format}`)).json.data;
      await shop.patch(`/schedules/${schedule}`, { rules: [weekdays] });
      await shop.post("/import", { format, data: document });
      expect(await idsOf(`/${menu}`)).not.toEqual([schedule, late]);
    });

    it("keeps the single dates of a schedule that is open all week", async () => {
      const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
      const rules = [{ days, start: "00:00", end: "00:00" }];
      const schedule = await shop.make("/schedules", { title: "Kiosk", rules, exceptions: christmas });
      const { menu } = await makeMenu(shop, { menu: { schedule_ids: [schedule] } });
      await sendBack(menu, format);
      expect(await idsOf(`/${menu}`)).toEqual([schedule]);
    });

    it("is not open at all times where it is on single dates only", async () => {
      const party = [{ date: "2027-02-14", ranges: [{ start: "18:00", end: "23:00" }] }];
      const schedule = await shop.make("/schedules", { title: "Party", rules: [], exceptions: party });
      const { menu } = await makeMenu(shop, { menu: { schedule_ids: [schedule] } });
      await sendBack(menu, format);
      expect(await idsOf(`/${menu}`)).toEqual([schedule]);
    });
  },
);

it("keeps the schedule of an item with its single dates, and takes other dates of Uber Eats", async () => {
  const rules = [weekdays];
  const schedule = await shop.make("/schedules", { title: "Lunch", rules, exceptions: christmas });
  const { menu, item } = await makeMenu(shop, { item: { schedule_ids: [schedule] } });
  await sendBack(menu, "uber");
  expect(await idsOf(`/items/${item}`)).toEqual([schedule]);
  const { document } = (await shop.get(`/${menu}/export?format=uber`)).json.data;
  document.items[0].visibility_info.hours[0].start_date = "2026-07-01";
  await shop.post("/import", { format: "uber", data: document });
  const [other = ""] = await idsOf(`/items/${item}`);
  expect((await shop.get(`/schedules/${other}`)).json.data).toMatchObject({ valid_from: "2026-07-01" });
});
