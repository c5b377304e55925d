import { describe, expect, it } from "vitest";

import { countDays, countEvent, matches } from "../../../server/engines/catering/rules/count-attendees.ts";
import type { Attendee, CalendarEvent } from "../../../server/engines/catering/rules/read-calendar.ts";
import type { Counting } from "../../../server/engines/catering/schema/headcount.ts";

const counting = (more: Partial<Counting> = {}): Counting => ({
  mode: "attendees",
  match: { uid: null, summary_contains: null, category: null },
  weights: { accepted: 1, tentative: 0, needs_action: 0 },
  include_guests: true,
  count_organizer: false,
  ...more,
});
const person = (who: string, more: Partial<Attendee> = {}): Attendee => ({
  who,
  partstat: "ACCEPTED",
  cutype: "INDIVIDUAL",
  guests: 0,
  size: null,
  delegated_to: false,
  ...more,
});
const event = (more: Partial<CalendarEvent> = {}): CalendarEvent => ({
  uid: "1",
  summary: "Team lunch",
  categories: ["Lunch"],
  date: "2026-06-09",
  starts_at: 0,
  cancelled: false,
  attendees: [],
  organizer: null,
  headcount: null,
  ...more,
});
const countOf = (attendees: Attendee[], more: Partial<Counting> = {}): number =>
  countEvent(event({ attendees }), counting(more)).count;

describe("attendees (rule 3)", () => {
  it("A19: one without PARTSTAT does not count unless asked for", () => {
    const asked = [person("a", { partstat: "NEEDS-ACTION" })];
    expect(countOf(asked)).toBe(0);
    expect(countOf(asked, { weights: { accepted: 1, tentative: 0, needs_action: 1 } })).toBe(1);
  });

  it.each<[string, Partial<Attendee>, number]>([
    ["a room", { cutype: "ROOM" }, 0],
    ["a projector", { cutype: "RESOURCE" }, 0],
    ["one who declined", { partstat: "DECLINED" }, 0],
    ["one who sends somebody else", { partstat: "DELEGATED" }, 0],
    ["one who may come", { partstat: "TENTATIVE" }, 0],
    ["one with two guests", { guests: 2 }, 3],
    ["a state that nobody knows", { partstat: "X-MAYBE" }, 0],
    ["a group of twelve", { cutype: "GROUP", size: 12 }, 12],
    ["a group of nobody knows how many", { cutype: "GROUP" }, 0],
  ])("%s", (_, more, expected) => expect(countOf([person("a", more)])).toBe(expected));

  it("counts who is listed twice once, by the better answer", () =>
    expect(countOf([person("a", { partstat: "DECLINED" }), person("a"), person("b")])).toBe(2));

  it("counts the delegate, not the one who sent them", () =>
    expect(countOf([person("a", { partstat: "DELEGATED", delegated_to: true }), person("b")])).toBe(1));

  it("counts an organizer who is not listed only when asked to", () => {
    const hosted = event({ organizer: "host", attendees: [person("a")] });
    expect(countEvent(hosted, counting()).count).toBe(1);
    expect(countEvent(hosted, counting({ count_organizer: true })).count).toBe(2);
    const listed = event({ organizer: "a", attendees: [person("a")] });
    expect(countEvent(listed, counting({ count_organizer: true })).count).toBe(1);
  });

  it("says why, for each, and warns of groups", () => {
    const { people, warnings } = countEvent(
      event({ attendees: [person("a", { guests: 1 }), person("list", { cutype: "GROUP" })] }),
      counting(),
    );
    expect(people).toEqual([
      { who: "a", counted: 2, reason: "accepted with 1 guests" },
      { who: "list", counted: 0, reason: "group" },
    ]);
    expect(warnings).toEqual(["list is a group of unknown size."]);
  });
});

describe("other modes", () => {
  it.each([
    ["X-HEADCOUNT", event({ headcount: 14, summary: "12 people" }), 14],
    ["the first number of the title", event({ summary: "Lunch for 12, room 3" }), 12],
    ["no number", event({ summary: "Lunch" }), 0],
    ["nought is none", event({ summary: "0 to 25 people" }), 25],
    ["a number too large", event({ summary: "Order 123456" }), 0],
  ])("number: %s", (_, given, expected) =>
    expect(countEvent(given, counting({ mode: "number" })).count).toBe(expected),
  );

  it("events: one person each, a doubled event once", () => {
    const days = countDays(
      [
        event({ uid: "a" }),
        event({ uid: "b" }),
        event({ uid: "b" }),
        event({ uid: "c", date: "2026-06-10" }),
      ],
      counting({ mode: "events" }),
    );
    expect(days.map(({ date, count }) => [date, count])).toEqual([
      ["2026-06-09", 2],
      ["2026-06-10", 1],
    ]);
  });

  it("a cancelled event counts nobody, and a day is cancelled when all of it is", () => {
    const gone = event({ cancelled: true, attendees: [person("a")] });
    expect(countDays([gone], counting())).toMatchObject([{ count: 0, cancelled: true }]);
    const both = countDays([gone, event({ uid: "2", attendees: [person("a")] })], counting());
    expect(both).toMatchObject([{ count: 1, cancelled: false }]);
  });

  it.each([
    [{ uid: "1", summary_contains: null, category: null }, true],
    [{ uid: "2", summary_contains: null, category: null }, false],
    [{ uid: null, summary_contains: "LUNCH", category: null }, true],
    [{ uid: null, summary_contains: "dinner", category: null }, false],
    [{ uid: null, summary_contains: null, category: "lunch" }, true],
    [{ uid: null, summary_contains: "team", category: "other" }, false],
  ])("matches %j: %s", (match, expected) => expect(matches(event(), { match })).toBe(expected));
});
