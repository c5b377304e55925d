import { z } from "zod";

import { Id, Instant, LocalDate, LocalTime, Metadata, TimeZone } from "../../../core/schema.ts";
import {
  CATERING_LIMITS,
  DepositRule,
  Dietary,
  Heads,
  LongText,
  NewLines,
  Party,
  Service,
  ShortNote,
  Text,
} from "./parts.ts";

/** An event as a caller writes it. Default of the zone: the store's. */
export const NewEvent = z.strictObject({
  date: LocalDate,
  start: LocalTime,
  end: LocalTime,
  timezone: TimeZone.optional(),
  service: Service.default("drop_off"),
  site: ShortNote.default(""),
});

const NewHeadcount = z.strictObject({
  estimate: Heads,
  min: Heads.optional().meta({ description: "Default: the estimate" }),
  max: Heads.optional(),
});

/** Members of a quote that a caller writes; the rest follows from them. */
const quoteDraft = {
  account_id: Id.nullable(),
  prospect: Party.nullable(),
  title: Text,
  lines: NewLines,
  event: NewEvent,
  headcount: NewHeadcount,
  dietary: Dietary,
  terms: LongText,
  policy_id: Id.nullable(),
  deposits: z
    .array(DepositRule)
    .max(CATERING_LIMITS.deposits)
    .refine((rules) => rules.reduce((all, { bps }) => all + bps, 0) <= 10_000, "Add up to 100% at most.")
    .meta({ description: "In place of the policy's" }),
  valid_until: Instant,
  metadata: Metadata,
};

export const NewQuote = z.strictObject({
  account_id: quoteDraft.account_id.default(null),
  prospect: quoteDraft.prospect.default(null),
  title: quoteDraft.title,
  lines: quoteDraft.lines.default([]),
  event: quoteDraft.event,
  headcount: quoteDraft.headcount,
  dietary: quoteDraft.dietary.default([]),
  terms: quoteDraft.terms.optional(),
  policy_id: quoteDraft.policy_id.optional(),
  deposits: quoteDraft.deposits.optional(),
  valid_until: quoteDraft.valid_until.optional(),
  metadata: quoteDraft.metadata.default({}),
});
export type NewQuote = z.output<typeof NewQuote>;

export const QuotePatch = z.strictObject(quoteDraft).partial();
export type QuotePatch = z.output<typeof QuotePatch>;
