import { describe, expect, it } from "vitest";

import { OUTLOOK_DAYS } from "../../../server/engines/menus/rules/availability.ts";
import type { Availability } from "../../../server/engines/menus/rules/availability.ts";
import type { Channel } from "../../../server/engines/menus/schema/parts.ts";
import type { Stock, Suspension } from "../../../server/engines/menus/schema/stock.ts";
import type { MenuTree } from "../../../server/engines/menus/schema/tree.ts";
import { collectGarbage } from "../../support/collect-garbage.ts";
import { many } from "../../support/longest-turn.ts";
import {
  categoryOf,
  groupOf,
  itemOf,
  menuOf,
  modifierOf,
  scheduleOf,
  stockOf,
  treeOf,
  useOf,
  worldOf,
} from "./fixture.ts";

const weekdays = ["mon", "tue", "wed", "thu", "fri"] as const;
const breakfast = scheduleOf({
  id: "shd_b",
  rules: [{ days: [...weekdays], start: "07:30", end: "11:00" }],
});
const lunch = scheduleOf({ id: "shd_l", rules: [{ days: [...weekdays], start: "12:00", end: "15:00" }] });
const night = scheduleOf({ id: "shd_n", rules: [{ days: ["fri"], start: "22:00", end: "02:00" }] });
const schedules = [breakfast, lunch, night];

/** A menu with one item; the parts say what is different about it. */
type Parts = { menu?: object; category?: object; item?: object } & Partial<Omit<MenuTree, "menu">>;
function tree(parts: Parts): MenuTree {
  const { menu = {}, category = {}, item = {}, ...rest } = parts;
  return treeOf({
    menu: menuOf(menu),
    categories: [categoryOf({ item_ids: ["itm_1"], ...category })],
    items: [itemOf(item)],
    schedules,
    ...rest,
  });
}

const suspended = (rest: Partial<Suspension> = {}): Stock =>
  stockOf({
    suspensions: [{ channel: null, until: null, reason: null, since: "2026-06-01T09:00:00.000Z", ...rest }],
  });

function judged(
  menu: MenuTree,
  at: string,
  options: { channel?: Channel; stock?: readonly Stock[] } = {},
): Availability {
  const world = worldOf(menu, { at, ...options });
  const [item] = world.tree.items;
  const [path = []] = world.tree.placesOf("itm_1");
  if (item === undefined) throw new Error("no item");
  return world.judge.item(item, path);
}
const at = (instant: string): number => Date.parse(instant);
const MONDAY = "2026-07-06T08:00:00.000Z";

describe("item", () => {
  it.each<[string, Parts, string, string | null]>([
    ["MA1 inside the menu's hours", { menu: { schedule_ids: ["shd_b"] } }, "2026-07-06T06:30:00.000Z", null],
    ["MA2 at their end", { menu: { schedule_ids: ["shd_b"] } }, "2026-07-06T10:00:00.000Z", "menu_schedule"],
    [
      "MA3 in winter an hour later",
      { menu: { schedule_ids: ["shd_b"] } },
      "2026-12-07T06:30:00.000Z",
      "menu_schedule",
    ],
    ["MA4 past midnight", { menu: { schedule_ids: ["shd_n"] } }, "2026-07-11T00:30:00.000Z", null],
    ["outside its category's hours", { category: { schedule_ids: ["shd_l"] } }, MONDAY, "category_schedule"],
    ["outside its own hours", { item: { schedule_ids: ["shd_l"] } }, MONDAY, "item_schedule"],
    ["one of several schedules is enough", { item: { schedule_ids: ["shd_l", "shd_b"] } }, MONDAY, null],
    [
      "a schedule that is not there is never open",
      { item: { schedule_ids: ["shd_x"] } },
      MONDAY,
      "item_schedule",
    ],
    [
      "the menu comes before the category",
      { menu: { schedule_ids: ["shd_l"] }, category: { schedule_ids: ["shd_l"] } },
      MONDAY,
      "menu_schedule",
    ],
    [
      "the category before the item",
      { category: { schedule_ids: ["shd_l"] }, item: { schedule_ids: ["shd_l"] } },
      MONDAY,
      "category_schedule",
    ],
    [
      "the schedule before the channel",
      { item: { schedule_ids: ["shd_l"], channels: ["kiosk"] } },
      MONDAY,
      "item_schedule",
    ],
    ["another channel", { item: { channels: ["kiosk", "dine_in"] } }, MONDAY, "channel"],
    ["another channel of the category", { category: { channels: ["kiosk"] } }, MONDAY, "channel"],
    ["another channel of the menu", { menu: { channels: ["kiosk"] } }, MONDAY, "channel"],
    ["its own channel", { item: { channels: ["delivery"] } }, MONDAY, null],
    [
      "before the menu's first day",
      { menu: { valid_from: "2026-07-07" } },
      "2026-07-06T22:59:59.999Z",
      "menu_schedule",
    ],
    ["on the menu's first day", { menu: { valid_from: "2026-07-07" } }, "2026-07-06T23:00:00.000Z", null],
    ["on the menu's last day", { menu: { valid_until: "2026-07-06" } }, "2026-07-06T22:59:59.999Z", null],
    [
      "after the menu's last day",
      { menu: { valid_until: "2026-07-06" } },
      "2026-07-06T23:00:00.000Z",
      "menu_schedule",
    ],
  ])("%s", (_, parts, instant, reason) => {
    const found = judged(tree(parts), instant, { channel: "delivery" });
    expect([found.available, found.reason]).toEqual([reason === null, reason]);
  });

  it("without a channel none is asked for", () => {
    expect(judged(tree({ item: { channels: ["kiosk"] } }), MONDAY).available).toBe(true);
  });

  it("MA15 a suspension ends exactly at its end", () => {
    const stock = [suspended({ until: "2026-07-06T18:00:00.000Z" })];
    expect(judged(tree({}), "2026-07-06T17:59:59.000Z", { stock })).toEqual({
      available: false,
      reason: "suspended",
      nextChangeMs: at("2026-07-06T18:00:00.000Z"),
    });
    expect(judged(tree({}), "2026-07-06T18:00:00.000Z", { stock }).available).toBe(true);
  });

  it("a suspension of one channel leaves the others alone", () => {
    const stock = [suspended({ channel: "delivery" })];
    expect(judged(tree({}), MONDAY, { stock, channel: "delivery" }).reason).toBe("suspended");
    expect(judged(tree({}), MONDAY, { stock, channel: "pickup" }).reason).toBeNull();
  });

  it("MA14 a required group whose modifiers are all suspended takes the item with it", () => {
    const menu = tree({
      item: { modifier_groups: [useOf("grp_1")] },
      modifier_groups: [groupOf({ min: 1, modifier_ids: ["mod_1", "mod_2"] })],
      modifiers: [modifierOf(), modifierOf({ id: "mod_2" })],
    });
    const until = (id: string, instant: string | null): Stock => ({ ...suspended({ until: instant }), id });
    const both = [until("mod_1", null), until("mod_2", "2026-07-06T18:00:00.000Z")];
    expect(judged(menu, MONDAY, { stock: both })).toEqual({
      available: false,
      reason: "required_group_unsatisfiable",
      nextChangeMs: at("2026-07-06T18:00:00.000Z"),
    });
    expect(judged(menu, MONDAY, { stock: [until("mod_1", null)] }).available).toBe(true);
    const forever = [until("mod_1", null), until("mod_2", null)];
    expect(judged(menu, MONDAY, { stock: forever }).nextChangeMs).toBeNull();
  });

  it("counts how many units can be had, and what stands inside a modifier", () => {
    const menu = tree({
      item: { modifier_groups: [useOf("grp_1")] },
      modifier_groups: [
        groupOf({ min: 3, modifier_ids: ["mod_1", "mod_2"] }),
        groupOf({ id: "grp_2", min: 1, modifier_ids: ["mod_3"] }),
      ],
      modifiers: [
        modifierOf({ max_quantity: 2 }),
        modifierOf({ id: "mod_2", max_quantity: 2, nested_group_ids: ["grp_2"] }),
        modifierOf({ id: "mod_3", item_id: "itm_9" }),
      ],
    });
    expect(judged(menu, MONDAY).available).toBe(true);
    for (const id of ["mod_2", "mod_3", "itm_9"]) {
      const found = judged(menu, MONDAY, { stock: [{ ...suspended(), id }] });
      expect([id, found.reason]).toEqual([id, "required_group_unsatisfiable"]);
    }
  });
});

describe("the next change", () => {
  it.each<[string, Parts, string, string | null]>([
    [
      "the end of the hours it is in",
      { item: { schedule_ids: ["shd_b"] } },
      MONDAY,
      "2026-07-06T10:00:00.000Z",
    ],
    ["the beginning of the next", { item: { schedule_ids: ["shd_l"] } }, MONDAY, "2026-07-06T11:00:00.000Z"],
    [
      "over the weekend",
      { item: { schedule_ids: ["shd_b"] } },
      "2026-07-10T12:00:00.000Z",
      "2026-07-13T06:30:00.000Z",
    ],
    [
      "when menu and item are both open",
      { menu: { schedule_ids: ["shd_b", "shd_l"] }, item: { schedule_ids: ["shd_l"] } },
      MONDAY,
      "2026-07-06T11:00:00.000Z",
    ],
    [
      "never, where the two never meet",
      { menu: { schedule_ids: ["shd_b"] }, item: { schedule_ids: ["shd_l"] } },
      MONDAY,
      null,
    ],
    ["never, without a schedule", {}, MONDAY, null],
    ["never, in another channel", { item: { channels: ["kiosk"] } }, MONDAY, null],
    ["the menu's last midnight", { menu: { valid_until: "2026-07-07" } }, MONDAY, "2026-07-07T23:00:00.000Z"],
    ["beyond the outlook", { menu: { valid_from: "2026-08-30" } }, MONDAY, null],
  ])("%s", (_, parts, instant, expected) => {
    const { nextChangeMs } = judged(tree(parts), instant, { channel: "delivery" });
    expect(nextChangeMs === null ? null : new Date(nextChangeMs).toISOString()).toBe(expected);
  });

  it("waits for the end of a suspension and for the hours after it", () => {
    const menu = tree({ item: { schedule_ids: ["shd_b"] } });
    const stock = [suspended({ until: "2026-07-06T18:00:00.000Z" })];
    expect(judged(menu, MONDAY, { stock }).nextChangeMs).toBe(at("2026-07-07T06:30:00.000Z"));
    expect(OUTLOOK_DAYS).toBeGreaterThan(7);
  });

  it("out of stock has no end that anybody knows", () => {
    const stock = [stockOf({ status: "out_of_stock" })];
    expect(judged(tree({}), MONDAY, { stock })).toEqual({
      available: false,
      reason: "out_of_stock",
      nextChangeMs: null,
    });
  });
});

describe("menu", () => {
  it("is judged by its own hours and channels", () => {
    const world = (parts: object, channel: Channel | null = null) =>
      worldOf(tree({ menu: parts }), { at: MONDAY, channel }).judge.menu();
    expect(world({})).toEqual({ available: true, reason: null, nextChangeMs: null });
    expect(world({ schedule_ids: ["shd_l"] })).toEqual({
      available: false,
      reason: "menu_schedule",
      nextChangeMs: at("2026-07-06T11:00:00.000Z"),
    });
    expect(world({ channels: ["kiosk"] }, "delivery")).toEqual({
      available: false,
      reason: "channel",
      nextChangeMs: null,
    });
  });
});

it("keeps few of the open times of many lists of schedules in memory", () => {
  // Ten schedules of fifty minutes a day, none of which overlap, in many orders: 7,000 intervals for each.
  const time = (minute: number): string =>
    `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
  const days = [...weekdays, "sat", "sun"] as const;
  const split = many(10, (n) =>
    scheduleOf({
      id: `shd_${n}`,
      rules: many(50, (at) => ({
        days: [...days],
        start: time(20 * at + 2 * n),
        end: time(20 * at + 2 * n + 1),
      })),
    }),
  );
  const ids = split.map(({ id }) => id);
  const list = many(100, (n) =>
    itemOf({ id: `itm_${n}`, schedule_ids: [...ids.slice(n % 10), ...ids.slice(0, n % 10), `shd_x${n}`] }),
  );
  const { judge } = worldOf(tree({ schedules: split }), { at: MONDAY });
  judge.menu();
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (const item of list) expect(judge.item(item, []).reason).toBeNull();
  collectGarbage();
  // All of them took 50 MB.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000);
  expect(judge.menu().available).toBe(true);
});
