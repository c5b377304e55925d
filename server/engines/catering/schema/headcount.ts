import { z } from "zod";

import { Id, Instant, LocalDate, Metadata, resourceFields, TimeZone } from "../../../core/schema.ts";
import { Bps, CATERING_LIMITS, Code, Dietary, Email, Heads, Text } from "./parts.ts";

const limits = CATERING_LIMITS;

export const SourceKind = z.enum(["manual", "rsvp", "calendar_upload", "calendar_feed", "api"]);
const CountMode = z.enum(["attendees", "events", "number"]).meta({
  description:
    "attendees: those who take part; events: one person each; number: X-HEADCOUNT or the first number of the title",
});

const countingFields = {
  mode: CountMode,
  match: z.strictObject({
    uid: z.string().max(300).nullable(),
    summary_contains: z.string().max(120).nullable(),
    category: z.string().max(120).nullable(),
  }),
  weights: z.strictObject({
    accepted: z.int().min(0).max(1),
    tentative: z.int().min(0).max(1),
    needs_action: z.int().min(0).max(1),
  }),
  include_guests: z.boolean().meta({ description: "Also X-NUM-GUESTS of an attendee" }),
  count_organizer: z.boolean().meta({ description: "Also when not listed as an attendee" }),
};
export const Counting = z.strictObject(countingFields);
export type Counting = z.output<typeof Counting>;

const sizingFields = {
  buffer_bps: Bps,
  min: Heads,
  max: Heads,
  pack_size: z.int().min(1).max(1000),
};
export const Sizing = z.strictObject(sizingFields);
export type Sizing = z.output<typeof Sizing>;

export const sourceFields = {
  title: Text,
  account_id: Id.nullable(),
  kind: SourceKind,
  ...countingFields,
  ...sizingFields,
  timezone: TimeZone.nullable().meta({ description: "Of times without a zone. Default: the store's" }),
  stale_after_h: z.int().min(1).max(8760),
  status: z.enum(["active", "archived"]),
  metadata: Metadata,
};
/** State of fetching a calendar. Its address is a secret, and never shown. */
const FeedState = z.strictObject({
  host: z.string().max(300),
  checked_at: Instant.nullable(),
  error: z.string().max(300).nullable().meta({ description: "Why it could not be fetched the last time" }),
});
export const HeadcountSource = z.strictObject({
  ...resourceFields,
  ...sourceFields,
  feed: FeedState.nullable().meta({ description: "Null where no calendar is fetched" }),
  last_ok_at: Instant.nullable(),
  warnings: z.array(z.string().max(300)).max(20).meta({ description: "Of the last calendar" }),
});
export type HeadcountSource = z.output<typeof HeadcountSource>;

/** The calendar that a source is fetched from; it has the id of its source. */
export const Feed = z.strictObject({
  id: Id,
  url: z.string().max(2000),
  /** Validators of the last answer. */
  etag: z.string().nullable(),
  last_modified: z.string().nullable(),
  /** When it was last read whole. */
  read_at: Instant.nullable(),
  failures: z.int().min(0),
  /** Null while it is not in use. */
  next_at: Instant.nullable(),
});
export type Feed = z.output<typeof Feed>;

export const DayCount = z.strictObject({
  date: LocalDate,
  count: Heads,
  cancelled: z.boolean().meta({ description: "The calendar says that it does not take place" }),
  dietary: Dietary,
  evidence: z.array(z.string().max(200)).max(10),
  at: Instant,
});
export type DayCount = z.output<typeof DayCount>;

/** What a source said, by day. */
export const CountBook = z.strictObject({
  id: Id,
  days: z.array(DayCount).max(limits.windowDays),
});
export type CountBook = z.output<typeof CountBook>;

export const Rsvp = z.strictObject({
  ...resourceFields,
  source_id: Id,
  date: LocalDate,
  title: Text,
  name: Text,
  email: Email.nullable().meta({
    description: "Null for a person who answered by a group link without one",
  }),
  answer: z.enum(["none", "accepted", "declined"]),
  guests: z.int().min(0).max(20),
  dietary: z.array(Code).max(10),
  answered_at: Instant.nullable(),
});
export type Rsvp = z.output<typeof Rsvp>;
