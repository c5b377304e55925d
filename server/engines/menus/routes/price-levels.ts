import type { Ctx } from "../../../core/route.ts";
import { menus, priceLevels, schedules } from "../repository.ts";
import { MENU_LIMITS } from "../schema/limits.ts";
import { PriceLevel } from "../schema/price-level.ts";
import { PriceLevelCreate, PriceLevelPatch } from "../schema/requests.ts";
import { partRoutes } from "./part-routes.ts";
import { refuseTwice, requireId } from "./write.ts";

export const priceLevelRoutes = partRoutes({
  path: "price-levels",
  name: { one: "a price level", many: "price levels" },
  description:
    "A price level applies where its menu, channel and schedule match, or where a request or a menu refers to it. " +
    "For each target the level with the highest priority that has a price applies; inside a level a price of a " +
    "variation takes precedence over one of its item, and that over one of all items. percent is rounded half up to " +
    "one minor unit, or to a multiple of round_to.",
  collection: priceLevels,
  schema: PriceLevel,
  create: PriceLevelCreate,
  patch: PriceLevelPatch,
  idPrefix: "prl",
  max: MENU_LIMITS.priceLevels,
  example: "prl_01KDVDNA0088888888888888AB",
  exampleBodies: {
    create: {
      title: "Delivery",
      channel: "delivery",
      priority: 10,
      overrides: [{ percent: 15 }],
      round_to: 5,
    },
    patch: { priority: 20 },
  },
  make: (input) => input,
  change: (input) => input,
  check: checkLevel,
  referrers: ["menu"],
});

/**
 * Throws 422 for unknown references and for two overrides of one target. Targets may be created later than their
 * prices.
 */
async function checkLevel({ tx }: Ctx, level: PriceLevel, before: PriceLevel | null): Promise<void> {
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
}
