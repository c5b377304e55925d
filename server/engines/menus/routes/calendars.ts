import { invalidField } from "../../../lib/errors.ts";
import { calendars } from "../repository.ts";
import { Calendar } from "../schema/calendar.ts";
import { MENU_LIMITS } from "../schema/limits.ts";
import { CalendarCreate, CalendarPatch } from "../schema/requests.ts";
import { exampleCalendar } from "./examples.ts";
import { partRoutes } from "./part-routes.ts";

export const calendarRoutes = partRoutes({
  path: "calendars",
  name: { one: "a calendar of holidays", many: "calendars of holidays" },
  description:
    "Days on which schedules that name the calendar in holidays are closed, or open at other times. A schedule's own " +
    "exception for a day goes first. Versions of menus keep the days that they were published with.",
  collection: calendars,
  schema: Calendar,
  create: CalendarCreate,
  patch: CalendarPatch,
  idPrefix: "cal",
  max: MENU_LIMITS.calendars,
  example: exampleCalendar,
  exampleBodies: {
    create: { title: "Bank holidays", days: [{ date: "2026-12-25", title: "Christmas Day" }] },
    patch: { days: [{ date: "2026-12-25", title: "Christmas Day" }] },
  },
  make: (told) => told,
  change: (told) => told,
  check: (_ctx, { days }) => {
    const twice = days.findIndex(({ date }, at) => days.findIndex((day) => day.date === date) !== at);
    if (twice >= 0) throw invalidField(["days", twice, "date"], "Is in the calendar already.");
  },
  referrers: ["schedule"],
});
