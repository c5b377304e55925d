import { z } from "zod";

import { invalidField } from "../../../kernel/errors.ts";
import { mergePatch } from "../../../kernel/merge-patch.ts";
import { created, defineRoute, empty, item, list } from "../../../kernel/route.ts";
import { Id, ListQuery, withVersion } from "../../../kernel/schema.ts";
import { markChanged, schedules } from "../repository.ts";
import { MENU_LIMITS, Schedule } from "../schema.ts";
import { ScheduleCreate, SchedulePatch } from "../schema/requests.ts";
import { exampleSchedule } from "./examples.ts";
import {
  countGone,
  countNew,
  full,
  inOwnLanguage,
  missing,
  newTimes,
  referenced,
  refuseReversed,
  refuseWhileReferenced,
  stale,
} from "./write.ts";

const View = withVersion(Schedule);
const Params = z.object({ id: Id });

const listSchedules = defineRoute({
  id: "menus.schedules.list",
  method: "GET",
  path: "/schedules",
  summary: "List schedules",
  query: ListQuery,
  data: z.array(View),
  example: { data: [exampleSchedule] },
  handle: async ({ query }, { tx }) => list(await tx.page(schedules, query)),
});

const createSchedule = defineRoute({
  id: "menus.schedules.create",
  method: "POST",
  path: "/schedules",
  status: 201,
  summary: "Create a schedule",
  description:
    "Times are those of the menu's wall clock: in autumn 01:00 to 02:00 happens twice and both count, in spring it does " +
    "not happen. A range whose end is at or before its start runs past midnight and belongs to the day on which it " +
    "starts: valid_from, valid_until and exceptions are held against that day. An exception takes the place of the rules.",
  body: ScheduleCreate,
  data: View,
  errors: [full],
  example: {
    body: {
      title: "Friday night",
      rules: [{ days: ["fri"], start: "22:00", end: "02:00" }],
      exceptions: [{ date: "2026-12-25", closed: true }],
    },
    data: exampleSchedule,
  },
  handle: async ({ body }, ctx) => {
    const value = { ...(await inOwnLanguage(ctx.tx, body)), id: ctx.newId("shd"), ...newTimes(ctx) };
    await countNew(ctx, schedules, MENU_LIMITS.schedules);
    return created(ctx.tx.create(schedules, checkSchedule(value)), `/schedules/${value.id}`);
  },
});

const getSchedule = defineRoute({
  id: "menus.schedules.get",
  method: "GET",
  path: "/schedules/:id",
  summary: "Show a schedule",
  params: Params,
  data: View,
  errors: [missing],
  example: { params: { id: exampleSchedule.id }, data: exampleSchedule },
  handle: async ({ params }, { tx }) => item(await tx.require(schedules, params.id)),
});

const updateSchedule = defineRoute({
  id: "menus.schedules.update",
  method: "PATCH",
  path: "/schedules/:id",
  summary: "Change a schedule",
  description: "Versions of menus that are published keep the schedule as it was.",
  params: Params,
  body: SchedulePatch,
  data: View,
  errors: [missing, stale],
  example: { params: { id: exampleSchedule.id }, body: { valid_until: "2026-12-31" }, data: exampleSchedule },
  handle: async ({ params, body }, ctx) => {
    const before = await ctx.current(schedules, params.id);
    const value = mergePatch(before.value, await inOwnLanguage(ctx.tx, body));
    await markChanged(ctx.tx, ctx.newId);
    return item(ctx.tx.put(schedules, before, { ...checkSchedule(value), updated_at: ctx.nowAt }));
  },
});

const removeSchedule = defineRoute({
  id: "menus.schedules.remove",
  method: "DELETE",
  path: "/schedules/:id",
  summary: "Delete a schedule",
  params: Params,
  data: z.null(),
  errors: [missing, stale, referenced],
  example: { params: { id: exampleSchedule.id } },
  handle: async ({ params }, ctx) => {
    const before = await ctx.current(schedules, params.id);
    await countGone(ctx, schedules);
    await refuseWhileReferenced(ctx.tx, [params.id], ["menu", "category", "item", "price_level"]);
    ctx.tx.remove(schedules, before);
    return empty();
  },
});

/** Throws 422 for days reversed, a date that has two exceptions, and an exception that is both closed and open. */
export function checkSchedule(schedule: Schedule): Schedule {
  refuseReversed(schedule.valid_from, schedule.valid_until);
  const dates = schedule.exceptions.map(({ date }) => date);
  const twice = dates.findIndex((date, at) => dates.indexOf(date) !== at);
  if (twice >= 0) throw invalidField(["exceptions", twice, "date"], "Has an exception already.");
  const both = schedule.exceptions.findIndex(({ closed, ranges }) => closed === ranges.length > 0);
  if (both >= 0) {
    throw invalidField(["exceptions", both, "ranges"], "Either closed is true, or there are ranges.");
  }
  return schedule;
}

export const scheduleRoutes = [listSchedules, createSchedule, getSchedule, updateSchedule, removeSchedule];
