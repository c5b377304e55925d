import { expect, it } from "vitest";
import { z } from "zod";

import { writeDocument } from "../../../../server/engines/menus/formats/formats.ts";
import { categoryOf, itemOf, menuOf, scheduleOf, treeOf } from "../fixture.ts";

const Objects = z.object({
  batches: z.tuple([
    z.object({
      objects: z.array(
        z.looseObject({ id: z.string(), category_data: z.looseObject({ name: z.string() }).optional() }),
      ),
    }),
  ]),
});

it("hides a menu or a category in Square that only has hours of single dates, as without periods it is always sold", async () => {
  const valentine = scheduleOf({
    exceptions: [{ date: "2027-02-14", closed: false, ranges: [{ start: "18:00", end: "23:00" }] }],
  });
  const visibilities = async (menuHours: string[], categoryHours: string[]) => {
    const tree = treeOf({
      menu: menuOf({ schedule_ids: menuHours }),
      categories: [categoryOf({ item_ids: ["itm_1"], schedule_ids: categoryHours })],
      items: [itemOf()],
      schedules: [valentine],
    });
    const options = { locale: "en", facts: new Map(), unavailable: {}, key: "sto_a" };
    const [{ objects }] = Objects.parse((await writeDocument("square", tree, options)).data).batches;
    return objects.flatMap(({ category_data: data }) =>
      data === undefined ? [] : data["online_visibility"],
    );
  };
  expect(await visibilities([], [])).toEqual([undefined, true]);
  expect(await visibilities(["shd_1"], [])).toEqual([false, true]);
  expect(await visibilities([], ["shd_1"])).toEqual([undefined, false]);
});

it("suspends an item in Uber Eats that only has hours of single dates, as without hours of the week it is sold all day", async () => {
  const Menu = z.object({ items: z.array(z.looseObject({})) });
  const schedules = [
    scheduleOf({
      exceptions: [{ date: "2027-02-14", closed: false, ranges: [{ start: "18:00", end: "23:00" }] }],
    }),
    scheduleOf({ id: "shd_2", rules: [{ days: ["mon"], start: "12:00", end: "14:00" }] }),
  ];
  const written = async (schedule_ids: string[]) => {
    const tree = treeOf({
      categories: [categoryOf({ item_ids: ["itm_1"] })],
      items: [itemOf({ schedule_ids })],
      schedules,
    });
    const options = { locale: "en", facts: new Map(), unavailable: {}, key: "sto_a" };
    const { items } = Menu.parse((await writeDocument("uber", tree, options)).data);
    return Object.keys(items[0] ?? {}).filter((name) => /^(suspension|visibility)_info$/.test(name));
  };
  expect(await written([])).toEqual([]);
  expect(await written(["shd_1"])).toEqual(["suspension_info"]);
  expect(await written(["shd_1", "shd_2"])).toEqual(["visibility_info"]);
});
