import { expect, it } from "vitest";

import { withHolidays } from "../../../server/engines/menus/rules/holidays.ts";
import { scheduleOf } from "./fixture.ts";

const day = (date: string) => ({ date, title: "" });
const calendars = [
  { id: "cal_1", days: [day("2026-12-25"), day("2026-12-26")] },
  { id: "cal_2", days: [day("2027-01-01")] },
];
const range = { start: "10:00", end: "14:00" };

it("puts the days of the calendar behind the schedule's own", () => {
  const own = [{ date: "2026-12-26", closed: false, ranges: [range] }];
  const holidays = { calendar_id: "cal_1", closed: true, ranges: [] };
  const found = withHolidays({ ...scheduleOf({ exceptions: own }), holidays }, calendars);
  expect(found.exceptions).toEqual([...own, { date: "2026-12-25", closed: true, ranges: [] }]);
  expect(found).not.toHaveProperty("holidays");
});

it("gives them the ranges that hold on holidays", () => {
  const holidays = { calendar_id: "cal_2", closed: false, ranges: [range] };
  const found = withHolidays({ ...scheduleOf(), holidays }, calendars);
  expect(found.exceptions).toEqual([{ date: "2027-01-01", closed: false, ranges: [range] }]);
});

it("leaves a schedule without a calendar, or with one that is gone, as it is", () => {
  const schedule = scheduleOf();
  const holidays = { calendar_id: "cal_9", closed: true, ranges: [] };
  expect(withHolidays({ ...schedule, holidays: null }, calendars)).toEqual(schedule);
  expect(withHolidays({ ...schedule, holidays }, calendars)).toEqual(schedule);
});
