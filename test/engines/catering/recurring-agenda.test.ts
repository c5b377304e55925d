import { describe, expect, it } from "vitest";

import {
  dueOccurrences,
  heldOccurrences,
  linesFor,
  nextLook,
  pruned,
  upcomingSteps,
  withStates,
} from "../../../server/engines/catering/rules/recurring-agenda.ts";
import type { RecurringOrder } from "../../../server/engines/catering/schema/recurring.ts";
import { runAtOnce } from "../../../server/lib/slices.ts";
import { line, ms, noHolidays, recurring } from "./make.ts";

const world = (now: string) => ({ now: ms(now), today: now.slice(0, 10), holidays: noHolidays });
const upcoming = (order: RecurringOrder, now: ReturnType<typeof world>) =>
  runAtOnce(upcomingSteps(order, now));
const due = (order: RecurringOrder, now: ReturnType<typeof world>) =>
  dueOccurrences(upcoming(order, now), now.now);
const look = (order: RecurringOrder, now: ReturnType<typeof world>) =>
  nextLook(order, upcoming(order, now), now);
const done = (original_start: string, state: "counted" | "ordered" | "cancelled") => ({
  original_start,
  state,
  order_id: null,
  headcount: null,
  blocked: null,
});

describe("the agenda", () => {
  it("counts at the deadline, until the food would come too late", () => {
    const dates = (now: string) => due(recurring(), world(now)).map(({ date }) => date);
    expect(dates("2026-06-05T10:59:59.999Z")).toEqual([]);
    expect(dates("2026-06-05T11:00:00.000Z")).toEqual(["2026-06-09"]);
    expect(dates("2026-06-09T11:29:00.000Z")).toEqual(["2026-06-09"]);
    expect(dates("2026-06-09T11:30:00.000Z")).toEqual([]);
  });

  it("leaves alone what is done, skipped or paused", () => {
    const now = world("2026-06-05T11:00:00.000Z");
    const edits = [
      {
        original_start: "2026-06-09T12:30",
        skip: true,
        date: null,
        start: null,
        headcount: null,
        note: "",
        confirmed: false,
      },
    ];
    expect(due(recurring({ progress: [done("2026-06-09T12:30", "ordered")] }), now)).toEqual([]);
    expect(due(recurring({ edits }), now)).toEqual([]);
    expect(due(recurring({ status: "paused" }), now)).toEqual([]);
    const held = recurring({ progress: [done("2026-06-09T12:30", "counted")] });
    expect(heldOccurrences(upcoming(held, now)).map(({ date }) => date)).toEqual(["2026-06-09"]);
    expect(look(held, now)).toBe(now.now + 3_600_000);
  });

  it("knows what became of an occurrence without looking for all of them again", () => {
    const now = world("2026-06-05T11:00:00.000Z");
    const before = upcoming(recurring(), now);
    for (const state of ["counted", "ordered", "cancelled"] as const) {
      const after = recurring({ progress: [done("2026-06-09T12:30", state)] });
      expect(nextLook(after, withStates(before, after), now)).toBe(look(after, now));
    }
    expect(withStates(before, recurring())).toEqual(before);
  });

  it("looks again at the next deadline, and at a rare rule later", () => {
    const now = world("2026-06-01T09:00:00.000Z");
    expect(look(recurring(), now)).toBe(ms("2026-05-29T11:00:00.000Z"));
    expect(look(recurring({ progress: [done("2026-06-02T12:30", "ordered")] }), now)).toBe(
      ms("2026-06-05T11:00:00.000Z"),
    );
    expect(look(recurring({ rrule: "FREQ=YEARLY", dtstart: "2026-01-10T12:00" }), now)).toBeGreaterThan(
      now.now,
    );
    expect(look(recurring({ until: "2026-05-31" }), now)).toBeNull();
    expect(look(recurring({ status: "ended" }), now)).toBeNull();
  });

  it("forgets what lies long behind", () => {
    const order = recurring({
      progress: [done("2026-03-03T12:30", "ordered"), done("2026-05-26T12:30", "ordered")],
    });
    expect(pruned(order, "2026-06-01").progress).toHaveLength(1);
  });
});

it("lets menus take turns by the week, whatever is skipped", () => {
  const menus = ["Soup", "Salad"].map((title) => ({ title, lines: [line({ title })] }));
  const order = recurring({ menu_rotation: menus });
  const titles = ["2026-06-02T12:30", "2026-06-09T12:30", "2026-06-23T12:30"].map(
    (at) => linesFor(order, at).title,
  );
  expect(titles).toEqual(["Tuesday lunch: Soup", "Tuesday lunch: Salad", "Tuesday lunch: Salad"]);
  expect(linesFor(recurring(), "2026-06-02T12:30").title).toBe("Tuesday lunch");
});
