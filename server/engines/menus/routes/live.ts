import { z } from "zod";
import { menuResource } from "./menus.ts";

import { fromInstant } from "../../../lib/instant.ts";
import { invalidParameter } from "../../../lib/errors.ts";
import { okInPieces } from "../../../core/reply.ts";
import { Id, Instant } from "../../../core/schema.ts";
import { runInSlices } from "../../../lib/slices.ts";
import { listPieces } from "../../../lib/json-pieces.ts";
import { menus } from "../repository.ts";
import { categoryPieces, liveMenuSteps } from "../rules/live-menu.ts";
import { Channel } from "../schema/parts.ts";
import { LiveMenu } from "../schema/live.ts";
import { readAllStock, readLive, readWorld } from "./read-world.ts";
import { readerOf } from "./reader.ts";
import { liveTooLarge, notLive, refuseLongLive } from "./versions.ts";

const getLive = menuResource.read("live", {
  open: "public",
  summary: "Retrieve the menu that is live at a given time",
  description:
    "Returns texts in one language, prices at the price level in effect, what is available, why not and when that " +
    "changes, and allergens and energy of each item with its default modifiers. allergen_status unknown means that " +
    "no claim of absence can be made. Without channel, availability per channel is not considered.",
  query: z.object({
    at: Instant.optional().meta({ description: "Default: now" }),
    channel: Channel.optional(),
    locale: z
      .string()
      .max(35)
      .optional()
      .meta({ description: "Language of texts. Default: Accept-Language" }),
    price_level: Id.optional().meta({ description: "A price level that alone determines the prices" }),
    hide: z.enum(["unavailable"]).optional().meta({ description: "Omits what is not available" }),
  }),
  data: LiveMenu,
  errors: [
    { type: "not_found", code: "not_published", when: "No version is live at this time" },
    liveTooLarge,
  ],
  example: { query: { channel: "pickup", at: "2026-06-02T08:00:00.000Z" } },
  handle: async ({ params, query }, ctx) => {
    const menu = await ctx.tx.require(menus, params.id);
    const atMs = query.at === undefined ? ctx.now : fromInstant(query.at);
    const live = await readLive(ctx.tx, menu.value, atMs);
    if (live === null) throw notLive("not_found");
    const { tree, n } = live;
    refuseLongLive(tree);
    if (query.price_level !== undefined && !tree.price_levels.some(({ id }) => id === query.price_level)) {
      throw invalidParameter("price_level", "The menu has no price level with this id.");
    }
    const world = await readWorld(ctx, tree, {
      atMs,
      channel: query.channel ?? null,
      priceLevel: query.price_level ?? null,
      reader: await readerOf(ctx, query.locale),
      stockOf: await readAllStock(ctx.tx),
      items: tree.items,
    });
    const { categories, modifier_groups, ...others } = await runInSlices(
      liveMenuSteps(world, { version: n, hideUnavailable: query.hide === "unavailable" }),
      ctx.tx.part,
    );
    const pieces = { categories: categoryPieces(categories), modifier_groups: listPieces(modifier_groups) };
    // The same menu a minute later: `next_change_at` says until when nothing changes by time alone.
    const { at: _at, local: _local, ...lasting } = others;
    return okInPieces(others, pieces, lasting);
  },
});

export const liveRoutes = [getLive];
