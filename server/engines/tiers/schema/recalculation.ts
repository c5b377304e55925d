import { z } from "zod";

import { Currency, Id, Instant, LocalDate, Minor, resourceFields } from "../../../core/schema.ts";
import { LevelId } from "./programme.ts";
import { Move, Standing } from "./standing.ts";

const Count = z.int().nonnegative();

export const RfmCutsShape = z.strictObject({
  members: Count,
  recency: z.array(z.int()),
  frequency: z.array(z.int()),
  monetary: z.array(z.int()),
});

const RecalculationStatus = z.enum([
  "queued",
  "measuring",
  "judging",
  "ready",
  "applying",
  "applied",
  "rolling_back",
  "rolled_back",
  "cancelled",
]);
type RecalculationStatus = z.output<typeof RecalculationStatus>;

/** A dry run and its application or rollback. Every commit of its work records the progress. */
export const Recalculation = z.strictObject({
  ...resourceFields,
  status: RecalculationStatus,
  mode: z.enum(["dry_run", "apply"]).meta({ description: "dry_run until it is applied: no tier changes" }),
  as_of: LocalDate,
  scope: z.strictObject({ level_id: LevelId.nullable() }),
  placement: z.enum(["hold", "requalify"]),
  programme_id: Id,
  programme_version: z.int().positive(),
  draft: z.boolean().meta({
    description: "True: of a saved draft; applying the recalculation publishes it as this version",
  }),
  progress: z.strictObject({
    done: Count,
    total: Count.meta({ description: "An estimate until the dry run is ready" }),
    cursor: z.string().nullable().meta({ description: "Last member that was processed" }),
  }),
  counts: z.strictObject({
    up: Count,
    down: Count,
    same: Count,
    errors: Count,
    written: Count.meta({ description: "Members changed in the last phase" }),
    skipped: Count.meta({ description: "Members that a rollback skipped because they have moved since" }),
  }),
  moves_sample: z.array(
    z.strictObject({ customer_id: Id, from: LevelId.nullable(), to: LevelId, kind: Move.shape.kind }),
  ),
  levels: z
    .array(z.strictObject({ level_id: LevelId, before: Count, after: Count }))
    .meta({ description: "Members of each level before and after" }),
  discounts: z.strictObject({ currency: Currency, before: Minor, after: Minor }).meta({
    description:
      "Estimated cost per year of the levels' discount_offer benefits: their percentage of what the members spent in " +
      "the last 12 months",
  }),
  guard: z.strictObject({ exceeded: z.boolean(), down: Count, members: Count }),
  rfm: RfmCutsShape.nullable(),
  applied_at: Instant.nullable(),
  rollback_until: Instant.nullable(),
});
export type Recalculation = z.output<typeof Recalculation>;

/** The effect of a recalculation on one member. */
export const RecalculationMove = z.strictObject({
  ...resourceFields,
  recalculation_id: Id,
  customer_id: Id,
  direction: z.enum(["up", "down", "same"]),
  from: LevelId.nullable(),
  to: LevelId,
  moves: z.array(Move),
  before: Standing.nullable(),
  after: Standing,
});
export type RecalculationMove = z.output<typeof RecalculationMove>;
