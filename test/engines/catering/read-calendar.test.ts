import { describe, expect, it } from "vitest";

import { readCalendar } from "../../../server/engines/catering/rules/read-calendar.ts";

const WINDOW = { from: "2026-05-01", to: "2026-12-31", timezone: "Europe/London" };

/** A calendar around lines of events. */
const calendar = (...lines: string[]): string =>
  ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//test//EN", ...lines, "END:VCALENDAR", ""].join("\r\n");
const event = (...lines: string[]): string[] => ["BEGIN:VEVENT", "UID:1@test", ...lines, "END:VEVENT"];

function read(text: string, window = WINDOW) {
  const found = readCalendar(text, window);
  if (!found.ok) throw new Error(found.detail);
  return found;
}
const startsOf = (text: string, window = WINDOW): string[] =>
  read(text, window).events.map(({ date, starts_at: at }) =>
    at === null ? date : new Date(at).toISOString(),
  );
const detailOf = (text: string): string => {
  const found = readCalendar(text, WINDOW);
  return found.ok ? "" : found.detail;
};

describe("long series", () => {
  it("reads the properties of an event once for all its instances", () => {
    const { events } = read(
      calendar(
        ...event(
          "DTSTART:20260601T090000",
          "RDATE:20260602T090000,20260603T090000",
          "ATTENDEE:mailto:ada@office.example",
        ),
      ),
    );
    expect(events).toHaveLength(3);
    expect(new Set(events.map(({ attendees }) => attendees)).size).toBe(1);
  });

  it("cuts a name that is longer than any address", () => {
    const { events } = read(calendar(...event("DTSTART:20260601T090000", `ATTENDEE:${"x".repeat(1_000)}`)));
    expect(events[0]?.attendees[0]?.who).toBe("x".repeat(300));
  });
});

describe("zones", () => {
  it.each([
    [
      "A20 a Windows name without VTIMEZONE",
      "DTSTART;TZID=W. Europe Standard Time:20260520T093000",
      "2026-05-20T07:30:00.000Z",
    ],
    ["an IANA name", "DTSTART;TZID=America/New_York:20260520T093000", "2026-05-20T13:30:00.000Z"],
    ["UTC", "DTSTART:20260520T093000Z", "2026-05-20T09:30:00.000Z"],
    ["no zone: that of the caller", "DTSTART:20260520T093000", "2026-05-20T08:30:00.000Z"],
    [
      "Outlook's number behind a zone",
      "DTSTART;TZID=Romance Standard Time 1:20260520T093000",
      "2026-05-20T07:30:00.000Z",
    ],
    [
      "Mozilla's path",
      "DTSTART;TZID=/mozilla.org/20050126_1/Europe/Berlin:20260520T093000",
      "2026-05-20T07:30:00.000Z",
    ],
    ["a whole day", "DTSTART;VALUE=DATE:20260520", "2026-05-20"],
  ])("%s", (_, line, expected) => expect(startsOf(calendar(...event(line)))).toEqual([expected]));

  it("takes X-WR-TIMEZONE for times without a zone", () => {
    const text = calendar("X-WR-TIMEZONE:Asia/Tokyo", ...event("DTSTART:20260520T093000"));
    expect(startsOf(text)).toEqual(["2026-05-20T00:30:00.000Z"]);
  });

  it("warns of a zone that nobody knows", () => {
    const found = read(calendar(...event("DTSTART;TZID=Nowhere/Special:20260520T093000")));
    expect(found.events[0]?.starts_at).toBe(Date.parse("2026-05-20T08:30:00Z"));
    expect(found.warnings).toEqual(["The time zone Nowhere/Special is not known; Europe/London was taken."]);
  });

  it("takes a zone that the calendar defines itself, in summer and winter", () => {
    const zone = [
      "BEGIN:VTIMEZONE",
      "TZID:Customized Time Zone",
      "BEGIN:STANDARD",
      "DTSTART:16010101T030000",
      "TZOFFSETFROM:+0200",
      "TZOFFSETTO:+0100",
      "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10",
      "END:STANDARD",
      "BEGIN:DAYLIGHT",
      "DTSTART:16010101T020000",
      "TZOFFSETFROM:+0100",
      "TZOFFSETTO:+0200",
      "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3",
      "END:DAYLIGHT",
      "END:VTIMEZONE",
    ];
    const at = (date: string) =>
      startsOf(calendar(...zone, ...event(`DTSTART;TZID=Customized Time Zone:${date}T120000`)));
    expect([at("20260701"), at("20261201")]).toEqual([
      ["2026-07-01T10:00:00.000Z"],
      ["2026-12-01T11:00:00.000Z"],
    ]);
  });

  it("takes the latest of many changes of a zone, as exports with its history have them", () => {
    const changes = Array.from({ length: 40 }, (_, n) => [
      "BEGIN:STANDARD",
      `DTSTART:${1986 + n}0101T000000`,
      "TZOFFSETFROM:+0000",
      `TZOFFSETTO:+${n === 39 ? "0300" : "0100"}`,
      "END:STANDARD",
    ]).flat();
    const zone = ["BEGIN:VTIMEZONE", "TZID:Own Time", ...changes, "END:VTIMEZONE"];
    const text = calendar(...zone, ...event("DTSTART;TZID=Own Time:20260520T120000"));
    expect(startsOf(text)).toEqual(["2026-05-20T09:00:00.000Z"]);
  });

  it("does not depend on the zone of the machine", () => {
    const before = process.env["TZ"];
    process.env["TZ"] = "America/New_York";
    try {
      expect(startsOf(calendar(...event("DTSTART;TZID=GMT Standard Time:20260520T123000")))).toEqual([
        "2026-05-20T11:30:00.000Z",
      ]);
    } finally {
      if (before === undefined) delete process.env["TZ"];
      else process.env["TZ"] = before;
    }
  });
});

describe("recurrence", () => {
  it("keeps the wall clock through the change of time", () => {
    const text = calendar(
      ...event("DTSTART;TZID=Europe/London:20261018T123000", "RRULE:FREQ=WEEKLY;COUNT=3"),
    );
    expect(startsOf(text)).toEqual([
      "2026-10-18T11:30:00.000Z",
      "2026-10-25T12:30:00.000Z",
      "2026-11-01T12:30:00.000Z",
    ]);
  });

  it("applies an EXDATE and a moved instance in UTC to a series in another zone than the calendar's", () => {
    const series = ["DTSTART;TZID=Europe/Berlin:20260601T130000", "RRULE:FREQ=WEEKLY;COUNT=3"];
    const moved = ["RECURRENCE-ID:20260615T110000Z", "DTSTART;TZID=Europe/Berlin:20260616T130000"];
    const { events } = read(calendar(...event(...series, "EXDATE:20260608T110000Z"), ...event(...moved)));
    expect(events.map(({ cancelled, date }) => `${date} ${cancelled}`)).toEqual([
      "2026-06-01 false",
      "2026-06-08 true",
      "2026-06-16 false",
    ]);
  });

  it("leaves out and moves days of a series with times that are written as dates", () => {
    const series = ["DTSTART;TZID=Europe/London:20260601T123000", "RRULE:FREQ=WEEKLY;COUNT=3"];
    const moved = ["RECURRENCE-ID;VALUE=DATE:20260615", "DTSTART;TZID=Europe/London:20260616T123000"];
    const { events } = read(calendar(...event(...series, "EXDATE;VALUE=DATE:20260608"), ...event(...moved)));
    expect(events.map(({ date, cancelled }) => [date, cancelled])).toEqual([
      ["2026-06-01", false],
      ["2026-06-08", true],
      ["2026-06-16", false],
    ]);
  });

  it("applies EXDATE, RDATE, a moved and a cancelled instance", () => {
    const text = calendar(
      ...event(
        "SUMMARY:Lunch",
        "DTSTART;TZID=Europe/London:20260601T123000",
        "RRULE:FREQ=WEEKLY;COUNT=4",
        "EXDATE;TZID=Europe/London:20260608T123000",
        "RDATE;TZID=Europe/London:20260610T123000",
      ),
      ...event(
        "SUMMARY:Lunch, later",
        "RECURRENCE-ID;TZID=Europe/London:20260615T123000",
        "DTSTART;TZID=Europe/London:20260615T140000",
      ),
      ...event(
        "RECURRENCE-ID;TZID=Europe/London:20260622T123000",
        "DTSTART;TZID=Europe/London:20260622T123000",
        "STATUS:CANCELLED",
      ),
    );
    const seen = read(text).events.map(({ cancelled, date, starts_at: at }) => [
      date,
      new Date(at ?? 0).toISOString().slice(11, 16),
      cancelled,
    ]);
    expect(seen.toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual([
      ["2026-06-01", "11:30", false],
      ["2026-06-08", "11:30", true],
      ["2026-06-10", "11:30", false],
      ["2026-06-15", "13:00", false],
      ["2026-06-22", "11:30", true],
    ]);
  });

  it("reads UNTIL in UTC as the day it is in the event's zone", () => {
    const text = calendar(
      ...event("DTSTART;TZID=America/New_York:20260601T210000", "RRULE:FREQ=DAILY;UNTIL=20260603T035959Z"),
    );
    expect(startsOf(text)).toHaveLength(2);
  });

  it("walks an endless rule only in the window", () => {
    const text = calendar(...event("DTSTART:19900101T120000", "RRULE:FREQ=DAILY"));
    const window = { ...WINDOW, from: "2026-06-01", to: "2026-06-07" };
    expect(startsOf(text, window)).toHaveLength(7);
  });

  it.each([
    ["every second", "FREQ=SECONDLY"],
    ["a day that never comes", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"],
    ["by the hour", "FREQ=DAILY;BYHOUR=9,17"],
  ])("counts the first day alone, and warns, for %s", (_, rule) => {
    const found = read(calendar(...event("DTSTART:20260601T120000", `RRULE:${rule}`)));
    expect(found.events.map(({ date }) => date)).toEqual(["2026-06-01"]);
    expect(found.warnings[0]).toContain("not understood");
  });
});

describe("shapes of real calendars", () => {
  it("reads what Google exports", () => {
    const text = [
      "BEGIN:VCALENDAR",
      "PRODID:-//Google Inc//Google Calendar 70.9054//EN",
      "VERSION:2.0",
      "CALSCALE:GREGORIAN",
      "METHOD:REQUEST",
      "X-WR-TIMEZONE:Europe/London",
      "BEGIN:VEVENT",
      "DTSTART:20260609T113000Z",
      "DTEND:20260609T123000Z",
      "DTSTAMP:20260601T090000Z",
      "ORGANIZER;CN=ada@office.example:mailto:ada@office.example",
      "UID:7kukuqrfedlm2f9t@google.com",
      "ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED;RSVP=TRUE;",
      " CN=ada@office.example;X-NUM-GUESTS=2:mailto:Ada@office.example",
      "ATTENDEE;CUTYPE=RESOURCE;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED;CN=Room 1;X-NU",
      " M-GUESTS=0:mailto:room1@resource.calendar.google.com",
      "SUMMARY:Team lunch",
      "STATUS:CONFIRMED",
      "END:VEVENT",
      "END:VCALENDAR",
    ].join("\r\n");
    const [found] = read(text).events;
    expect(found).toMatchObject({
      date: "2026-06-09",
      summary: "Team lunch",
      organizer: "ada@office.example",
    });
    expect(found?.attendees).toEqual([
      {
        who: "ada@office.example",
        partstat: "ACCEPTED",
        cutype: "INDIVIDUAL",
        guests: 2,
        size: null,
        delegated_to: false,
      },
      expect.objectContaining({ who: "room1@resource.calendar.google.com", cutype: "RESOURCE" }),
    ]);
  });

  it("reads what Outlook exports: quoted names, Windows zones, categories", () => {
    const text = calendar(
      "METHOD:PUBLISH",
      "X-MS-OLK-FORCEINSPECTOROPEN:TRUE",
      ...event(
        'ATTENDEE;CN="Byron, Ada";RSVP=TRUE:mailto:ada@office.example',
        "CATEGORIES:Lunch,Team",
        'DTSTART;TZID="W. Europe Standard Time":20260520T093000',
        "SUMMARY;LANGUAGE=en-gb:In office: 12 people",
        "X-HEADCOUNT:14",
        "X-MICROSOFT-CDO-BUSYSTATUS:BUSY",
      ),
    );
    expect(read(text).events[0]).toMatchObject({
      starts_at: Date.parse("2026-05-20T07:30:00Z"),
      categories: ["Lunch", "Team"],
      headcount: 14,
      attendees: [{ who: "ada@office.example", partstat: "NEEDS-ACTION" }],
    });
  });

  it("reads what Apple exports: whole days and an IANA VTIMEZONE", () => {
    const text = calendar(
      "X-APPLE-CALENDAR-COLOR:#CC73E1",
      "BEGIN:VTIMEZONE",
      "TZID:Europe/London",
      "BEGIN:DAYLIGHT",
      "TZOFFSETFROM:+0000",
      "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU",
      "DTSTART:19810329T010000",
      "TZNAME:BST",
      "TZOFFSETTO:+0100",
      "END:DAYLIGHT",
      "END:VTIMEZONE",
      ...event("DTSTART;TZID=Europe/London:20260609T123000", "SUMMARY:Lunch"),
      ...event("DTSTART;VALUE=DATE:20260610", "DTEND;VALUE=DATE:20260611", "SUMMARY:Away day"),
    );
    expect(startsOf(text)).toEqual(["2026-06-09T11:30:00.000Z", "2026-06-10"]);
  });
});

describe("hostile calendars", () => {
  const many = (count: number, line: string): string =>
    calendar(
      ...Array.from({ length: count }, (_, at) => ["BEGIN:VEVENT", `UID:${at}`, line, "END:VEVENT"]).flat(),
    );

  it("refuses ten thousand events", () =>
    expect(detailOf(many(10_000, "DTSTART:20260601T120000"))).toContain("5000 events"));

  it("refuses more instances than it may give", () => {
    const text = many(40, "DTSTART:20260101T120000\r\nRRULE:FREQ=DAILY");
    expect(detailOf(text)).toContain("5000 instances");
  });

  it("refuses huge lines, folded or not", () => {
    expect(
      detailOf(calendar(...event("DTSTART:20260601T120000", `SUMMARY:${"x".repeat(30_000)}`))),
    ).toContain("line");
    const folded = `SUMMARY:x${"\r\n xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx".repeat(600)}`;
    expect(detailOf(calendar(...event("DTSTART:20260601T120000", folded)))).toContain("line");
  });

  it("refuses deep nesting, and what is no calendar", () => {
    expect(detailOf("BEGIN:VCALENDAR\r\n".repeat(5_000))).toContain("deep");
    for (const text of ["", "hello", "<html>", "BEGIN:VCARD\r\nFN:Ada\r\nEND:VCARD"]) {
      expect(detailOf(text), text).not.toBe("");
    }
  });

  it.each([
    ["a day", event("DTSTART:20260601T120000", "SUMMARY;VALUE=DATE:lunch")],
    ["a duration", event("DTSTART:20260601T120000", "STATUS;VALUE=DURATION:x")],
    ["a text", event("DTSTART;VALUE=RECUR:20260601")],
    [
      "a start of a zone",
      ["BEGIN:VTIMEZONE", "TZID:Own", "BEGIN:STANDARD", "DTSTART:x", "END:STANDARD", "END:VTIMEZONE"],
    ],
  ])("refuses a value that cannot be read as %s", (_, lines) =>
    expect(detailOf(calendar(...lines))).toMatch(/^Not a calendar: /),
  );

  it("leaves out events whose days there are not", () => {
    const found = read(
      calendar(
        ...event("DTSTART:20260231T120000"),
        ...event("DTSTART:20260601T990000"),
        ...event("SUMMARY:None"),
      ),
    );
    expect(found.events).toEqual([]);
    expect(found.warnings).toEqual(["An event without a readable DTSTART was left out."]);
  });

  it("takes a hundred endless rules and no more", () => {
    const rule = "DTSTART:20000101T120000\r\nRRULE:FREQ=YEARLY;BYMONTH=6;BYMONTHDAY=1";
    expect(read(many(100, rule), { ...WINDOW, from: "2026-06-01", to: "2026-06-30" }).events).toHaveLength(
      100,
    );
    expect(detailOf(many(101, rule))).toContain("100 recurring events");
  });
});
