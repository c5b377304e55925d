import { z } from "zod";

import { mergePatch } from "../../../kernel/merge-patch.ts";
import { created, defineRoute, empty, item, list } from "../../../kernel/route.ts";
import type { Ctx } from "../../../kernel/route.ts";
import { Id, ListQuery, withVersion } from "../../../kernel/schema.ts";
import { markChanged, menus, priceLevels, schedules } from "../repository.ts";
import { MENU_LIMITS, PriceLevel } from "../schema.ts";
import { PriceLevelCreate, PriceLevelPatch } from "../schema/requests.ts";
import { examplePriceLevel } from "./examples.ts";
import {
  countGone,
  countNew,
  full,
  inOwnLanguage,
  missing,
  newTimes,
  referenced,
  refuseTwice,
  refuseWhileReferenced,
  requireId,
  stale,
} from "./write.ts";

const View = withVersion(PriceLevel);
const Params = z.object({ id: Id });

const listPriceLevels = defineRoute({
  id: "menus.price-levels.list",
  method: "GET",
  path: "/price-levels",
  summary: "List price levels",
  query: ListQuery,
  data: z.array(View),
  example: { data: [examplePriceLevel] },
  handle: async ({ query }, { tx }) => list(await tx.page(priceLevels, query)),
});

const createPriceLevel = defineRoute({
  id: "menus.price-levels.create",
  method: "POST",
  path: "/price-levels",
  status: 201,
  summary: "Create a price level",
  description:
    "A level holds where its menu, channel and schedule say, or where a request or a menu names it. For each target the " +
    "highest priority that has a price wins; inside a level a variation comes before its item, the item before all. " +
    "percent is rounded half up to one minor unit, or to a multiple of round_to.",
  body: PriceLevelCreate,
  data: View,
  errors: [full],
  example: {
    body: { title: "Delivery", channel: "delivery", priority: 10, overrides: [{ percent: 15 }], round_to: 5 },
    data: examplePriceLevel,
  },
  handle: async ({ body }, ctx) => {
    const told = await inOwnLanguage(ctx.tx, body);
    const value = { ...told, id: ctx.newId("prl"), ...newTimes(ctx) };
    await countNew(ctx, priceLevels, MENU_LIMITS.priceLevels);
    return created(
      ctx.tx.create(priceLevels, await checkLevel(ctx, value, null)),
      `/price-levels/${value.id}`,
    );
  },
});

const getPriceLevel = defineRoute({
  id: "menus.price-levels.get",
  method: "GET",
  path: "/price-levels/:id",
  summary: "Show a price level",
  params: Params,
  data: View,
  errors: [missing],
  example: { params: { id: examplePriceLevel.id }, data: examplePriceLevel },
  handle: async ({ params }, { tx }) => item(await tx.require(priceLevels, params.id)),
});

const updatePriceLevel = defineRoute({
  id: "menus.price-levels.update",
  method: "PATCH",
  path: "/price-levels/:id",
  summary: "Change a price level",
  description: "Versions of menus that are published keep it as it was.",
  params: Params,
  body: PriceLevelPatch,
  data: View,
  errors: [missing, stale],
  example: { params: { id: examplePriceLevel.id }, body: { priority: 20 }, data: examplePriceLevel },
  handle: async ({ params, body }, ctx) => {
    const before = await ctx.current(priceLevels, params.id);
    const value = mergePatch(before.value, await inOwnLanguage(ctx.tx, body));
    await markChanged(ctx.tx, ctx.newId);
    const next = { ...(await checkLevel(ctx, value, before.value)), updated_at: ctx.nowAt };
    return item(ctx.tx.put(priceLevels, before, next));
  },
});

const removePriceLevel = defineRoute({
  id: "menus.price-levels.remove",
  method: "DELETE",
  path: "/price-levels/:id",
  summary: "Delete a price level",
  params: Params,
  data: z.null(),
  errors: [missing, stale, referenced],
  example: { params: { id: examplePriceLevel.id } },
  handle: async ({ params }, ctx) => {
    const before = await ctx.current(priceLevels, params.id);
    await countGone(ctx, priceLevels);
    await refuseWhileReferenced(ctx.tx, [params.id], ["menu"]);
    ctx.tx.remove(priceLevels, before);
    return empty();
  },
});

/** Throws 422 for references to nothing and for two overrides of one target. Targets may be made later than their prices. */
async function checkLevel({ tx }: Ctx, level: PriceLevel, before: PriceLevel | null): Promise<PriceLevel> {
  await requireId(tx, menus, { member: "menu_id", id: level.menu_id, before: before?.menu_id });
  await requireId(tx, schedules, {
    member: "schedule_id",
    id: level.schedule_id,
    before: before?.schedule_id,
  });
  refuseTwice(
    "overrides",
    level.overrides.map(({ target_id: id }) => id ?? ""),
  );
  return level;
}

export const priceLevelRoutes = [
  listPriceLevels,
  createPriceLevel,
  getPriceLevel,
  updatePriceLevel,
  removePriceLevel,
];
