import { z } from "zod";

import { DAY_MS } from "../../../lib/instant.ts";
import { invalidParameter } from "../../../lib/errors.ts";
import { ok } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { LocalDate } from "../../../core/schema.ts";
import type { Tx } from "../../../core/tx.ts";
import { readTotals } from "../services/save-review.ts";
import { questions, tallies, tallyId } from "../repository.ts";
import { numbersOf } from "../rules/aggregate.ts";
import type { Band } from "../rules/suppression.ts";
import { judgeSuppression } from "../rules/suppression.ts";
import type { Tally } from "../rules/tally.ts";
import { addTally, NO_TALLY } from "../rules/tally.ts";
import { Histogram, numberFields } from "../schema/aggregate.ts";

const SPAN_DAYS_MAX = 400;
const BandView = z.strictObject({ decided: z.int(), rejected: z.int() });

const compliance = defineRoute({
  id: "reviews.compliance.get",
  method: "GET",
  path: "/compliance",
  scope: "manage",
  summary: "Show whether low ratings are rejected more often than high ones",
  description:
    "Decisions in effect that were made from the day from to the day to (UTC, both inclusive; at most 400 days; " +
    "default: the last 90), by stars. flagged: both groups have at least 20 decisions, low ratings are rejected more " +
    "than 1.5 times as often, and the difference is statistically significant (z > 1.645). Spam counts as rejected. " +
    "removed counts withdrawals by authors and erasures. What an import published is no decision and does not count. Keep the report with your risk assessment.",
  query: z.object({ from: LocalDate.optional(), to: LocalDate.optional() }),
  data: z.strictObject({
    from: LocalDate,
    to: LocalDate,
    published: Histogram,
    rejected: Histogram,
    spam: Histogram,
    removed: Histogram,
    low: BandView.meta({ description: "One and two stars" }),
    high: BandView.meta({ description: "Four and five stars" }),
    rate_low: z.number().nullable(),
    rate_high: z.number().nullable(),
    ratio: z.number().nullable(),
    z: z.number().nullable(),
    flagged: z.boolean(),
  }),
  example: {
    query: { from: "2026-03-01", to: "2026-06-01" },
  },
  async handle({ query }, { tx, now }) {
    const to = query.to ?? new Date(now).toISOString().slice(0, 10);
    const from = query.from ?? new Date(Date.parse(to) - 90 * DAY_MS).toISOString().slice(0, 10);
    if (from > to) throw invalidParameter("from", "`from` must not be later than `to`.");
    if (Date.parse(to) - Date.parse(from) > SPAN_DAYS_MAX * DAY_MS) {
      throw invalidParameter("from", `The range must be at most ${SPAN_DAYS_MAX} days.`);
    }
    const sum = await sumTallies(tx, from, to);
    const low = bandOf(sum, [0, 1]);
    const high = bandOf(sum, [3, 4]);
    return ok({ from, to, ...sum, low, high, ...judgeSuppression(low, high) });
  },
});

async function sumTallies(tx: Tx, from: string, to: string): Promise<Tally> {
  let sum = NO_TALLY;
  let cursor: string | undefined;
  for (;;) {
    const start = cursor === undefined ? { from: tallyId(from) } : { cursor };
    const page = await tx.peekPage(tallies, { index: "day", limit: 500, ...start });
    for (const { id, value } of page.items) {
      if (id > tallyId(to)) return sum;
      sum = addTally(sum, value, 1);
    }
    if (page.next === null) return sum;
    cursor = page.next;
  }
}

function bandOf({ published, rejected, spam }: Tally, stars: readonly number[]): Band {
  const count = (of: Histogram): number => stars.reduce((all, star) => all + (of[star] ?? 0), 0);
  const refused = count(rejected) + count(spam);
  return { decided: count(published) + refused, rejected: refused };
}

const WAITING_COUNTED = 100;

const summary = defineRoute({
  id: "reviews.summary.get",
  method: "GET",
  path: "/summary",
  summary: "Summarise the store's reviews",
  description:
    "Metrics of all published reviews and the number of pending ones. questions_pending is counted up to a hundred.",
  data: z.strictObject({
    ...numberFields,
    statuses: z.record(z.string(), z.int()),
    questions_pending: z.int(),
  }),
  async handle(_, { tx }) {
    const totals = await readTotals(tx);
    const waiting = await tx.peekPage(questions, { index: "by", value: "pending", limit: WAITING_COUNTED });
    return ok({
      ...numbersOf(totals.stats, totals),
      statuses: totals.statuses,
      questions_pending: waiting.items.length,
    });
  },
});

export const reportRoutes = [compliance, summary];
