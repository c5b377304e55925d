import { z } from "zod";

import { Id, Instant, LocalDate } from "../../../core/schema.ts";
import { LevelId, Metric, Window } from "./programme.ts";

const held = {
  level_id: LevelId,
  rank: z.int().nonnegative(),
  since: LocalDate,
  /** Number of renewed terms since then. */
  renewals: z.int().nonnegative(),
  expires_on: LocalDate.nullable(),
  used: z.record(LevelId, LocalDate).optional().meta({
    description: "With evidence fresh, by level: the last day whose evidence reached or renewed it",
  }),
};

/** The standing of a member by the rules, without overrides. */
export const Standing = z.strictObject({
  ...held,
  state: z.enum(["held", "grace", "protected"]),
  /** End of grace or protection: the first day after it. */
  until: LocalDate.nullable(),
  /** The standing before the upgrade, which a refund restores. */
  before: z
    .strictObject({
      ...held,
      earlier: z.array(z.strictObject(held)).optional().meta({
        description: "Those before it that a further refund restores, the latest first",
      }),
    })
    .nullable(),
  /** Days before the end of the term at the last notice; null before the first. */
  noticed: z.int().nullable(),
  /** Last evaluated day: an evaluation never goes back before it. */
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
export type Finding = z.output<typeof FindingView>;

/** Result of an evaluation. */
export const Move = z.strictObject({
  kind: MoveKind,
  from: LevelId.nullable(),
  to: LevelId,
  on: LocalDate,
  cause: z.enum(["activity", "term_end", "refund", "recalculation", "manual", "rollback"]),
  evidence: z.array(FindingView),
});
export type Move = z.output<typeof Move>;
