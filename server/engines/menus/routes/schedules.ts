import { invalidField } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";
import { calendars, schedules } from "../repository.ts";
import { MENU_LIMITS } from "../schema/limits.ts";
import { Schedule } from "../schema/schedule.ts";
import { ScheduleCreate, SchedulePatch } from "../schema/requests.ts";
import { partRoutes } from "./part-routes.ts";
import { refuseReversed } from "./write.ts";

export const scheduleRoutes = partRoutes({
  path: "schedules",
  name: { one: "a schedule", many: "schedules" },
  description:
    "Times are in the menu's local time: when daylight saving time ends, 01:00 to 02:00 occurs twice and both count; " +
    "when it starts, it does not occur. A range whose end is at or before its start runs past midnight and belongs " +
    "to the day on which it starts: valid_from, valid_until and exceptions are compared with that day. An exception " +
    "replaces the rules; holidays specifies the hours on the calendar's days without an exception.",
  collection: schedules,
  schema: Schedule,
  create: ScheduleCreate,
  patch: SchedulePatch,
  idPrefix: "shd",
  max: MENU_LIMITS.schedules,
  example: "shd_01KDVDNA0088888888888888A9",
  exampleBodies: {
    create: {
      title: "Friday night",
      rules: [{ days: ["fri"], start: "22:00", end: "02:00" }],
      exceptions: [{ date: "2026-12-25", closed: true }],
    },
    patch: { valid_until: "2026-12-31" },
  },
  make: (input) => input,
  change: (input) => input,
  check: checkSchedule,
  referrers: ["menu", "category", "item", "price_level"],
});

/**
 * Throws 422 for reversed days, two exceptions for a date, one that is both closed and open, and an unknown calendar.
 */
async function checkSchedule({ tx }: Ctx, schedule: Schedule): Promise<void> {
  refuseReversed(schedule.valid_from, schedule.valid_until);
  const dates = schedule.exceptions.map(({ date }) => date);
  const twice = dates.findIndex((date, at) => dates.indexOf(date) !== at);
  if (twice >= 0)
    throw invalidField(
      ["exceptions", twice, "date"],
      "Duplicate date: the schedule already has an exception for it.",
    );
  const both = schedule.exceptions.findIndex(({ closed, ranges }) => closed === ranges.length > 0);
  if (both >= 0) {
    throw invalidField(["exceptions", both, "ranges"], "Specify either closed true or ranges.");
  }
  const { holidays } = schedule;
  if (holidays === null) return;
  if (holidays.closed === holidays.ranges.length > 0) {
    throw invalidField(["holidays", "ranges"], "Specify either closed true or ranges.");
  }
  if ((await tx.get(calendars, holidays.calendar_id)) === null) {
    throw invalidField(["holidays", "calendar_id"], "No resource with this id in this store.");
  }
}
