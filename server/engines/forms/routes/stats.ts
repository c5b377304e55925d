import { z } from "zod";
import { formResource } from "./forms.ts";

import { DAY_MS, toInstant } from "../../../lib/instant.ts";
import { invalidParameter } from "../../../lib/errors.ts";
import { giveWay } from "../../../lib/slices.ts";
import { ok } from "../../../core/reply.ts";
import { LocalDate } from "../../../core/schema.ts";
import { readDays } from "../services/tally.ts";
import { forms } from "../repository.ts";
import { addCounts, conversionBps, dropOff, NO_COUNTS } from "../rules/drop-off.ts";

const count = z.int().nonnegative();

const Stats = z.object({
  from: LocalDate,
  to: LocalDate,
  views: count.meta({ description: "Pages that requested a form token" }),
  starts: count.meta({ description: "Visits in which at least one field was filled in" }),
  submissions: count,
  spam: count,
  conversion_bps: count.nullable().meta({ description: "Submissions per view, in basis points" }),
  fields: z.array(z.object({ key: z.string(), reached: count, left_after: count })),
  days: z.array(z.object({ date: LocalDate, views: count, starts: count, submissions: count, spam: count })),
});

const DAYS_MAX = 366;
const DAYS_DEFAULT = 30;

const stats = formResource.read("stats", {
  summary: "Show the statistics of a form: views, starts, submissions and drop-off per field",
  description:
    "By day (UTC). Default: the last thirty days. Also counted if the form does not store submissions.",
  query: z.object({ from: LocalDate.optional(), to: LocalDate.optional() }),
  data: Stats,
  async handle({ params, query }, ctx) {
    const { value: form } = await ctx.tx.require(forms, params.id);
    const to = query.to ?? ctx.nowAt.slice(0, 10);
    const from = query.from ?? toInstant(Date.parse(to) - (DAYS_DEFAULT - 1) * DAY_MS).slice(0, 10);
    if (from > to || Date.parse(to) - Date.parse(from) > DAYS_MAX * DAY_MS) {
      throw invalidParameter(
        "from",
        `The range must be at most ${DAYS_MAX} days, and \`from\` must not be later than \`to\`.`,
      );
    }
    const days = await readDays(ctx.tx, params.id, from, to);
    let all = NO_COUNTS;
    for (const day of days) {
      await giveWay(ctx.tx.part);
      all = addCounts(all, day);
    }
    return ok({
      from,
      to,
      views: all.views,
      starts: all.starts,
      submissions: all.submissions,
      spam: all.spam,
      conversion_bps: conversionBps(all),
      fields: dropOff(form.fields, all),
      days: days.map(({ date, spam, starts, submissions, views }) => ({
        date,
        views,
        starts,
        submissions,
        spam,
      })),
    });
  },
});

export const statsRoutes = [stats];
