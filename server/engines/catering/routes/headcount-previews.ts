import { z } from "zod";

import { textErrors } from "../../../core/text-errors.ts";
import { invalidField } from "../../../lib/errors.ts";
import { okWith } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { Instant, LocalDate, TimeZone } from "../../../core/schema.ts";
import { daysBetween } from "../../../lib/local-time.ts";
import { CATERING_LIMITS } from "../schema/parts.ts";
import { explainCalendar } from "../services/calendar-tasks.ts";
import { cateringWorkOf } from "./env.ts";
import { CountingInput } from "./headcount-sources.ts";

const Person = z.strictObject({ who: z.string(), counted: z.int(), reason: z.string() });

const preview = defineRoute({
  id: "catering.headcounts.previews",
  method: "POST",
  path: "/headcounts/previews",
  scope: "read",
  summary: "Count the heads of a calendar, with a reason for each person",
  description:
    "The same reading as a source's. Nothing is stored. The occurrences have 4,000,000 characters at most.",
  body: z.strictObject({
    ics: z.string().min(1).max(CATERING_LIMITS.calendarChars),
    window: z.strictObject({ from: LocalDate, to: LocalDate }),
    timezone: TimeZone.optional(),
    ...CountingInput,
  }),
  data: z.strictObject({
    days: z.array(z.strictObject({ date: LocalDate, count: z.int(), cancelled: z.boolean() })),
    occurrences: z.array(
      z.strictObject({
        date: LocalDate,
        starts_at: Instant.nullable(),
        summary: z.string(),
        cancelled: z.boolean(),
        count: z.int(),
        people: z.array(Person),
        warnings: z.array(z.string()),
      }),
    ),
    warnings: z.array(z.string()),
  }),
  errors: [
    ...textErrors,
    { type: "unprocessable_content", when: "The calendar cannot be read, or is too large" },
  ],
  example: {
    body: {
      ics: [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "BEGIN:VEVENT",
        "UID:1",
        "DTSTART;TZID=GMT Standard Time:20260609T123000",
        "SUMMARY:Team lunch",
        "ATTENDEE;PARTSTAT=ACCEPTED:mailto:ada@office.example",
        "ATTENDEE:mailto:ben@office.example",
        "END:VEVENT",
        "END:VCALENDAR",
        "",
      ].join("\r\n"),
      window: { from: "2026-06-01", to: "2026-06-30" },
    },
  },
  async handle({ body }, ctx) {
    const { ics, timezone, window, ...counting } = body;
    const span = daysBetween(window.from, window.to);
    if (span < 0 || span > CATERING_LIMITS.windowDays)
      throw invalidField(["window", "to"], `0 to ${CATERING_LIMITS.windowDays} days after from.`);
    const work = await cateringWorkOf(ctx);
    const within = { ...window, timezone: timezone ?? work.settings.timezone };
    const found = await explainCalendar(ctx.tx, { ics, span: within, counting });
    if (!found.ok) throw invalidField(["ics"], found.detail);
    const { days, occurrences, warnings } = found;
    return okWith({ days, warnings: [...warnings] }, "occurrences", occurrences);
  },
});

export const headcountPreviewRoutes = [preview];
