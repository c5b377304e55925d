import { z } from "zod";

import { Id, Instant, LocalDate } from "../../../core/schema.ts";
import { LevelId, Metric, Window } from "./programme.ts";

const held = {
  level_id: LevelId,
  rank: z.int().nonnegative(),
  since: LocalDate,
  /** Terms that were renewed since then. */
  renewals: z.int().nonnegative(),
  expires_on: LocalDate.nullable(),
};

/** Where a member stands by the rules, whatever somebody overrides. */
export const Standing = z.strictObject({
  ...held,
  state: z.enum(["held", "grace", "protected"]),
  /** End of grace or protection: the first day that it no longer covers. */
  until: LocalDate.nullable(),
  /** What was held before the upgrade: a refund brings it back. */
  before: z.strictObject(held).nullable(),
  /** Days before the end of the term of the last notice; null before the first. */
  noticed: z.int().nullable(),
  /** Last day that was judged: an evaluation never goes back behind it. */
  as_of: LocalDate,
});
export type Standing = z.output<typeof Standing>;

export const Override = z.strictObject({
  id: Id,
  level_id: LevelId,
  from: LocalDate,
  until: LocalDate.nullable().meta({ description: "First day after the override ends" }),
  exact: z.boolean().meta({ description: "False: a minimum; true: exactly this level" }),
  reason: z.string().trim().min(1).max(300),
  by: z.string().nullable(),
  created_at: Instant,
});
export type Override = z.output<typeof Override>;

export const MoveKind = z.enum([
  "joined",
  "upgraded",
  "downgraded",
  "renewed",
  "grace_started",
  "protected",
  "recovered",
  "expiring",
  "replaced",
  "override_set",
  "override_ended",
  "rolled_back",
]);
export type MoveKind = z.output<typeof MoveKind>;

export const FindingView = z.strictObject({
  metric: Metric,
  key: z.string().nullable(),
  window: Window,
  from: LocalDate,
  to: LocalDate,
  have: z.int(),
  need: z.int(),
  gap: z.int(),
  met: z.boolean(),
});

/** What an evaluation did. */
export const Move = z.strictObject({
  kind: MoveKind,
  from: LevelId.nullable(),
  to: LevelId,
  on: LocalDate,
  cause: z.enum(["activity", "term_end", "refund", "recalculation", "manual", "rollback"]),
  evidence: z.array(FindingView),
});
export type Move = z.output<typeof Move>;
