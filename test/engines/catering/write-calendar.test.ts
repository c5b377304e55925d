import { describe, expect, it } from "vitest";

import { readCalendar } from "../../../server/engines/catering/rules/read-calendar.ts";
import { writeCalendar, writeEvent } from "../../../server/engines/catering/rules/write-calendar.ts";
import type { FeedEvent } from "../../../server/engines/catering/rules/write-calendar.ts";

const event = (more: Partial<FeedEvent> = {}): FeedEvent => ({
  uid: "cor_1@catering",
  starts_at: "2026-06-19T11:30:00.000Z",
  ends_at: "2026-06-19T13:00:00.000Z",
  changed_at: "2026-06-01T09:00:00.000Z",
  sequence: 3,
  summary: "Board lunch",
  location: "",
  description: "",
  status: "CONFIRMED",
  ...more,
});
const unfold = (text: string): string => text.replaceAll("\r\n ", "");

describe("writeCalendar", () => {
  it("is read back as it was meant", () => {
    const nasty = "Lunch; 20, \\ and\nmore\r\nBEGIN:VEVENT 🍽️";
    const text = writeCalendar("Shop", [writeEvent(event({ summary: nasty, status: "CANCELLED" }))]);
    const found = readCalendar(text, { from: "2026-06-01", to: "2026-06-30", timezone: "Europe/London" });
    expect(found.ok && found.events).toMatchObject([
      {
        uid: "cor_1@catering",
        summary: "Lunch; 20, \\ and\nmore\nBEGIN:VEVENT 🍽️",
        cancelled: true,
        starts_at: Date.parse("2026-06-19T11:30:00Z"),
      },
    ]);
  });

  it("folds at 75 bytes, between characters, and ends lines with CRLF", () => {
    const text = writeCalendar("Shop", [writeEvent(event({ summary: "🍽️é".repeat(60) }))]);
    expect(text.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    for (const line of text.split("\r\n")) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
    expect(unfold(text)).toContain("🍽️é".repeat(60));
    expect(text.endsWith("END:VCALENDAR\r\n")).toBe(true);
  });

  it("is a whole calendar without events", () =>
    expect(unfold(writeCalendar("Shop", []))).toContain("X-WR-CALNAME:Shop"));
});
