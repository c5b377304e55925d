import { z } from "zod";

import { invalidParameter } from "../../../lib/errors.ts";
import { ok, values } from "../../../core/reply.ts";
import { defineRoute, missing } from "../../../core/route.ts";
import { routesOf } from "../../../core/resource.ts";
import { Id, Instant, LocalDate } from "../../../core/schema.ts";
import type { Tx } from "../../../core/tx.ts";
import { timeOrder } from "../../../core/collection.ts";
import { customers, moves, programmes } from "../repository.ts";
import { addDays, addMonths, localDateAt } from "../../../lib/local-time.ts";
import { giveWay } from "../../../lib/slices.ts";
import { Level } from "../schema/programme.ts";
import type { MoveKind } from "../schema/standing.ts";
import { noProgramme, openEvaluation } from "./env.ts";

/** Documents of each kind that are counted per response; `exact` is false beyond that. */
const COUNTED_MAX = 10_000;
const PAGE = 500;
const SPAN_MONTHS = 13;

const Counted = {
  members: z.int().nonnegative(),
  complete: z.boolean().meta({ description: `False if there are more than ${COUNTED_MAX}` }),
};
const LevelView = Level.extend(Counted);

const getLadder = routesOf({ id: "tiers.ladder", view: Level }).list({
  open: "public",
  summary: "List the levels of the published programme, for customers",
  description:
    "What each level requires and what its members receive, lowest first. Without figures of the shop.",
  errors: [noProgramme],
  handle: async (_input, ctx) =>
    values([...(await openEvaluation(ctx)).rules.levels].sort((a, b) => a.rank - b.rank)),
});

const listLevels = routesOf({ id: "tiers.levels", view: LevelView }).list({
  summary: "List levels with their number of members",
  description: "Of the published programme, or of the current draft of a given one.",
  query: z.object({ programme_id: Id.optional() }),
  errors: [missing, noProgramme],
  async handle({ query }, ctx) {
    const { levels } =
      query.programme_id === undefined
        ? (await openEvaluation(ctx)).rules
        : (await ctx.tx.require(programmes, query.programme_id)).value;
    const counted = await Promise.all(
      levels.map(async (level) => ({ ...level, ...(await countMembers(ctx.tx, level.id)) })),
    );
    return values(counted);
  },
});

async function countMembers(tx: Tx, levelId: string): Promise<{ members: number; complete: boolean }> {
  let count = 0;
  let cursor: string | undefined;
  do {
    const page = await tx.peekPage(customers, { index: "by", value: levelId, limit: PAGE, cursor });
    count += page.items.length;
    cursor = page.next ?? undefined;
  } while (cursor !== undefined && count < COUNTED_MAX);
  return { members: count, complete: cursor === undefined };
}

const Count = z.int().nonnegative();
const KINDS = ["joined", "upgraded", "downgraded", "renewed", "recovered", "grace_started"] as const;

const getMetrics = defineRoute({
  id: "tiers.metrics.get",
  method: "GET",
  path: "/metrics",
  summary: "Show members per level, moves and retention",
  description:
    "Computed at request time. from and to are days in UTC, both inclusive. Default: the last 30 days.",
  query: z.object({ from: LocalDate.optional(), to: LocalDate.optional() }),
  data: z.object({
    as_of: Instant,
    from: LocalDate,
    to: LocalDate,
    levels: z.array(z.object({ level_id: z.string(), name: z.string(), ...Counted })),
    moves: z.object(Object.fromEntries(KINDS.map((kind) => [kind, Count]))),
    retention_bps: z
      .int()
      .nullable()
      .meta({ description: "Terms renewed, as a share of those that ended; null if none ended" }),
    complete: z.boolean(),
  }),
  errors: [noProgramme],
  example: {
    query: { from: "2026-05-01", to: "2026-05-31" },
  },
  async handle({ query }, ctx) {
    const to = query.to ?? localDateAt(ctx.now, "UTC");
    const from = query.from ?? addDays(to, -29);
    if (from > to) throw invalidParameter("from", "`from` must not be later than `to`.");
    if (addMonths(from, SPAN_MONTHS) < to)
      throw invalidParameter("from", `The range must be at most ${SPAN_MONTHS} months.`);
    const { rules } = await openEvaluation(ctx);
    const levels = await Promise.all(
      rules.levels.map(async ({ id, name }) => ({
        level_id: id,
        name,
        ...(await countMembers(ctx.tx, id)),
      })),
    );
    const counted = await Promise.all(KINDS.map((kind) => countMoves(ctx.tx, kind, { from, to })));
    const tally = Object.fromEntries(KINDS.map((kind, at) => [kind, counted[at]?.count ?? 0]));
    const kept = (tally["renewed"] ?? 0) + (tally["recovered"] ?? 0);
    const endings = kept + (counted[KINDS.indexOf("downgraded")]?.byTerm ?? 0);
    return ok({
      as_of: ctx.nowAt,
      from,
      to,
      levels,
      moves: tally,
      retention_bps: endings === 0 ? null : Math.round((kept * 10_000) / endings),
      complete: [...levels, ...counted].every(({ complete }) => complete),
    });
  },
});

async function countMoves(
  tx: Tx,
  kind: MoveKind,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<{ count: number; byTerm: number; complete: boolean }> {
  let count = 0;
  let byTerm = 0;
  let cursor: string | undefined;
  do {
    const page = await tx.peekPage(moves, { index: "counted", value: kind, limit: PAGE, cursor, from });
    let rows = 0;
    for (const { value } of page.items) {
      await giveWay(tx.part);
      if (timeOrder(value.created_at).slice(0, 10) > to) continue;
      rows += 1;
      if (value.cause === "term_end") byTerm += 1;
    }
    count += rows;
    cursor = rows < page.items.length ? undefined : (page.next ?? undefined);
  } while (cursor !== undefined && count < COUNTED_MAX);
  return { count, byTerm, complete: cursor === undefined };
}

export const metricsRoutes = [getLadder, listLevels, getMetrics];
