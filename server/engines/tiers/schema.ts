import { z } from "zod";

import { Currency, Id, Instant, LocalDate, Minor, resourceFields } from "../../core/schema.ts";
import { SEGMENTS } from "./rules/rfm.ts";
import { Ledger } from "./schema/ledger.ts";
import { Benefit, LevelId, Metric, Window } from "./schema/programme.ts";
import { FindingView, Move, Override, Standing } from "./schema/standing.ts";

export const Segment = z.enum(SEGMENTS);
const Score = z.int().min(1).max(5);

export const Tier = z.strictObject({
  level_id: LevelId,
  name: z.string(),
  rank: z.int().nonnegative(),
  since: LocalDate,
  expires_on: LocalDate.nullable().meta({ description: "First day after the override ends" }),
  state: z.enum(["held", "grace", "protected", "manual"]),
});
export type Tier = z.output<typeof Tier>;

/** State of a member as of its last evaluation. */
export const CustomerAggregate = z.strictObject({
  ...resourceFields,
  customer_id: z.string().meta({ description: "The store's own id of the customer" }),
  email_hash: z.string().nullable().meta({ description: "SHA-256 of the lower-case e-mail address" }),
  tier: Tier,
  benefits: z.array(Benefit),
  totals: z.strictObject({
    orders: z.int().nonnegative(),
    spend: Minor,
    refunds: Minor,
    aov: Minor.meta({ description: "Average order value" }),
  }),
  currency: Currency,
  windows: z.array(
    z.strictObject({
      metric: Metric,
      key: z.string().nullable(),
      window: Window,
      from: LocalDate,
      to: LocalDate,
      value: z.int(),
    }),
  ),
  recency_days: z.int().nullable(),
  first_order_at: Instant.nullable(),
  last_order_at: Instant.nullable(),
  rfm: z.strictObject({ r: Score, f: Score, m: Score, segment: Segment }).nullable(),
  next_level: z
    .strictObject({
      level_id: LevelId,
      name: z.string(),
      missing: z.array(FindingView),
      progress_bps: z.int().min(0).max(10_000),
    })
    .nullable(),
  retain: z
    .strictObject({ by: LocalDate, missing: z.array(FindingView) })
    .nullable()
    .meta({ description: "What is needed to keep the level after this day" }),
  overrides: z.array(Override),
  programme_id: Id,
  programme_version: z.int().positive(),
  as_of: Instant,
});
export type CustomerAggregate = z.output<typeof CustomerAggregate>;

/** Stored per member and never returned as it is. */
export const Member = z.strictObject({
  ...resourceFields,
  customer_id: z.string(),
  email: z.string().nullable(),
  name: z.string(),
  ledger: Ledger,
  standing: Standing.nullable(),
  overrides: z.array(Override),
  /** Number of moves recorded so far. */
  moves: z.int().nonnegative(),
  next_check_on: LocalDate.nullable(),
  /** The customer that this one was merged into. */
  merged_into: Id.nullable(),
  /** Customers merged into this one: they are erased with it. */
  merged_from: z.array(Id),
});
export type Member = z.output<typeof Member>;

/** A move as stored in the log. */
export const TierMove = z.strictObject({
  ...resourceFields,
  customer_id: Id,
  seq: z.int().positive(),
  programme_version: z.int().positive(),
  ...Move.shape,
});
export type TierMove = z.output<typeof TierMove>;
