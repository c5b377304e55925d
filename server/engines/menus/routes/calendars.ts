import { invalidField } from "../../../lib/errors.ts";
import { calendars } from "../repository.ts";
import { Calendar } from "../schema/calendar.ts";
import { MENU_LIMITS } from "../schema/limits.ts";
import { CalendarCreate, CalendarPatch } from "../schema/requests.ts";
import { partRoutes } from "./part-routes.ts";

export const calendarRoutes = partRoutes({
  path: "calendars",
  name: { one: "a holiday calendar", many: "holiday calendars" },
  description:
    "Days on which schedules that refer to the calendar in holidays are closed or have other hours. A schedule's own " +
    "exception for a day takes precedence. Published versions of menus keep the days they were published with.",
  collection: calendars,
  schema: Calendar,
  create: CalendarCreate,
  patch: CalendarPatch,
  idPrefix: "cal",
  max: MENU_LIMITS.calendars,
  example: "cal_01KDVDNA0088888888888888AE",
  exampleBodies: {
    create: { title: "Bank holidays", days: [{ date: "2026-12-25", title: "Christmas Day" }] },
    patch: { days: [{ date: "2026-12-25", title: "Christmas Day" }] },
  },
  make: (input) => input,
  change: (input) => input,
  check: (_ctx, { days }) => {
    const twice = days.findIndex(({ date }, at) => days.findIndex((day) => day.date === date) !== at);
    if (twice >= 0)
      throw invalidField(["days", twice, "date"], "Duplicate date: the calendar already contains it.");
  },
  referrers: ["schedule"],
});
