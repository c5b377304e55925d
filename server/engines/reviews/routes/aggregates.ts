import { z } from "zod";
import { groupResource } from "./groups.ts";

import { invalidParameter } from "../../../lib/errors.ts";
import { splitList } from "../../../lib/split-list.ts";
import { ok, values } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { routesOf } from "../../../core/resource.ts";
import { Id, listFields } from "../../../core/schema.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { inSlices } from "../../../lib/slices.ts";
import { recount } from "../services/recount.ts";
import { emptyStats, readTotals } from "../services/save-review.ts";
import { aggregates, groups, memberships, membershipId, reviews, statsId } from "../repository.ts";
import { addStats, NO_STATS, numbersOf, shownAttributes } from "../rules/aggregate.ts";
import { isInMarkup, jsonLdOf, SHOWN_MAX, toScriptText } from "../rules/json-ld.ts";
import { filedTarget } from "../rules/pick-places.ts";
import { Aggregate, numberFields } from "../schema/aggregate.ts";
import type { TargetStats, Totals } from "../schema/aggregate.ts";
import type { Review } from "../schema.ts";
import { Target, TARGET_TYPES } from "../schema/parts.ts";

const TARGETS_MAX = 100;
const OfTarget = z.object({ type: z.enum(TARGET_TYPES), target_id: Target.shape.id });
const params = { type: "product", target_id: "oat-bar" };

const listAggregates = routesOf({ id: "reviews.aggregates", view: Aggregate }).list({
  open: "public",
  summary: "List aggregate ratings",
  description:
    "Aggregate ratings of up to a hundred targets, separated by commas (target_id=a,b,c), in that order and " +
    "including targets without ratings; or of all targets that have ratings.",
  query: z.object({
    ...listFields,
    target_type: z
      .enum(TARGET_TYPES)
      .default("product")
      .meta({ description: "Type of all targets in target_id" }),
    target_id: z.string().max(12_000).optional(),
  }),
  example: { query: { target_id: "oat-bar" } },
  async handle({ query }, { tx }) {
    const totals = await readTotals(tx);
    if (query.target_id === undefined) {
      const { limit, cursor } = query;
      const page = await tx.peekPage(aggregates, { limit, cursor, index: "type", value: query.target_type });
      const shown = [];
      for (const { value } of page.items) shown.push(await viewOf(tx, value, totals));
      return values(shown, page);
    }
    if (query.cursor !== undefined)
      throw invalidParameter("cursor", "A list filtered by target_id has one page. Omit cursor.");
    const ids = splitList(query.target_id);
    if (ids.length > TARGETS_MAX)
      throw invalidParameter("target_id", `\`target_id\` can contain at most ${TARGETS_MAX} ids.`);
    const wrong = ids.find((id) => !Target.shape.id.safeParse(id).success);
    if (wrong !== undefined)
      throw invalidParameter(
        "target_id",
        `${JSON.stringify(wrong.slice(0, 20))} cannot be the id of a target.`,
      );
    const shown = [];
    for (const id of ids)
      shown.push(await viewOf(tx, await statsOf(tx, { type: query.target_type, id }), totals));
    return values(shown, { limit: query.limit });
  },
});

async function statsOf(tx: Tx, target: Target): Promise<TargetStats> {
  return (await tx.get(aggregates, statsId(target)))?.value ?? emptyStats({ target });
}

async function viewOf(tx: Tx, stored: TargetStats, totals: Totals): Promise<Aggregate> {
  return {
    target: stored.target,
    ...numbersOf(stored.stats, totals),
    attributes: shownAttributes(stored.attributes),
    last_published_at: stored.last_published_at,
    group_id: (await tx.get(memberships, membershipId(stored.target)))?.value.group_id ?? null,
  };
}

const getAggregate = defineRoute({
  id: "reviews.aggregates.get",
  method: "GET",
  path: "/aggregates/:type/:target_id",
  open: "public",
  summary: "Show the aggregate rating of a target",
  description:
    "rating_value is the arithmetic mean of published ratings, and the number to display. Without ratings, numbers " +
    "are zero or null; the response is never a 404.",
  params: OfTarget,
  data: Aggregate,
  example: { params },
  handle: async ({ params: { type, target_id: id } }, { tx }) =>
    ok(await viewOf(tx, await statsOf(tx, { type, id }), await readTotals(tx))),
});

const jsonLd = defineRoute({
  id: "reviews.aggregates.jsonld",
  method: "GET",
  path: "/aggregates/:type/:target_id/jsonld",
  open: "public",
  summary: "Show schema.org markup of a target with its ratings",
  description:
    "For products, variants and menu items with published reviews; for other types script is null, because reviews " +
    "that a business collects about itself are not eligible. Imported and syndicated reviews are included, also in " +
    "the average, if they are displayed_on_page. script can be embedded unchanged between <script " +
    `type="application/ld+json"> and </script>.`,
  params: OfTarget,
  data: z.strictObject({
    markup: z.record(z.string(), z.unknown()).nullable(),
    script: z.string().nullable(),
  }),
  example: { params },
  async handle({ params: { type, target_id: id } }, { tx }) {
    const target = { type, id };
    const stored = await statsOf(tx, target);
    const { elsewhere = NO_STATS } = stored;
    const { items } = await tx.peekPage(reviews, {
      index: "helpful",
      value: `published.${filedTarget(target)}`,
      limit: elsewhere.rating_count === 0 ? SHOWN_MAX * 3 : LOOKED_AT_MAX,
    });
    const onPage = { ...stored, stats: addStats(stored.stats, elsewhere, -1) };
    const aggregate = await viewOf(tx, onPage, await readTotals(tx));
    const first = items[0]?.value;
    const shown = await findShown(items, tx.part);
    const markup = jsonLdOf(aggregate, shown, {
      name: first?.product_name ?? null,
      sku: first?.sku ?? null,
      url: first?.product_url ?? null,
    });
    return ok({ markup, script: markup === null ? null : toScriptText(markup) });
  },
});

/** The first reviews that may be in the markup, parsed with pauses up to the last of them. */
async function findShown(items: readonly Stored<Review>[], part: string): Promise<Review[]> {
  const shown: Review[] = [];
  for await (const { value } of inSlices(items, part)) {
    if (isInMarkup(value)) shown.push(value);
    if (shown.length === SHOWN_MAX) break;
  }
  return shown;
}

/** Reviews searched for those to show if some are from other systems. */
const LOOKED_AT_MAX = 200;

const rebuild = defineRoute({
  id: "reviews.aggregates.rebuild",
  method: "POST",
  path: "/aggregates/rebuild",
  scope: "manage",
  status: 200,
  summary: "Recompute all averages from the reviews",
  description:
    "Averages are always consistent, so differences should be empty; any difference is repaired. Also runs every " +
    "night.",
  data: z.strictObject({
    reviews: z.int(),
    targets: z.int(),
    differences: z.array(Id),
    repaired: z.int(),
  }),
  async handle(_, { tx }) {
    const counted = await recount(tx);
    return ok({ ...counted, differences: [...counted.differences] });
  },
});

const groupAggregate = groupResource.read("aggregate", {
  open: "public",
  summary: "Show the aggregate rating of a group of targets",
  data: z.strictObject({ group_id: Id, ...numberFields }),
  example: {
    params: { id: "rvg_01JD8Z5T9QK3M4N5P6R7S8T9V0" },
  },
  async handle({ params: { id } }, { tx }) {
    const group = await tx.require(groups, id);
    let sum = NO_STATS;
    for (const target of group.value.targets) sum = addStats(sum, (await statsOf(tx, target)).stats, 1);
    return ok({ group_id: id, ...numbersOf(sum, await readTotals(tx)) });
  },
});

export const aggregateRoutes = [listAggregates, rebuild, getAggregate, jsonLd, groupAggregate];
