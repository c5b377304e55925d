import { z } from "zod";

import { DEMO_IDS } from "../demo.ts";
import { conflictWhen } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";
import { empty, item, ok } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { Minor, withVersion } from "../../../core/schema.ts";
import type { Stored } from "../../../core/tx.ts";
import { resource } from "../../../core/resource.ts";
import { loadPlan, markChanged, zones } from "../repository.ts";
import { loadPlanAt } from "../services/plan-at.ts";
import { Coordinates, Zone, zoneFields } from "../schema/zone.ts";
import { Country } from "../schema/settings.ts";
import { DELIVERY_LIMITS } from "../schema/limits.ts";
import { MatchAnswer } from "../schema.ts";
import { answerMatch } from "./answer-match.ts";
import { checkZone, refuseWhenFull } from "./check-zone.ts";
import { leavePlace } from "./leave-place.ts";
import { refuseWhilePlaceIsUsed } from "./live-use.ts";
import { mergePatch } from "../../../lib/merge-patch.ts";
import { newResource } from "../../../lib/new-resource.ts";

const ZoneView = withVersion(Zone);
const Tiers = z
  .array(z.strictObject({ from: Minor, fee: Minor }))
  .min(1)
  .max(DELIVERY_LIMITS.tiersPerZone)
  .meta({
    description:
      "The first starts from 0; from increases strictly. A fee applies to baskets from its from up to the next one",
  });

const Create = z.strictObject({
  ...zoneFields,
  country: Country.optional().meta({ description: "Default: the country in the settings" }),
  patterns: zoneFields.patterns.default([]),
  excludes: zoneFields.excludes.default([]),
  area: zoneFields.area.default(null),
  priority: zoneFields.priority.default(0),
  active: z.boolean().default(true),
  minimum_order: Minor.default(0),
  free_from: zoneFields.free_from.default(null),
  lead_minutes: zoneFields.lead_minutes.default(null),
  fee_tiers: Tiers,
});
const Patch = z.strictObject(zoneFields).partial();

const conflict = conflictWhen(
  "pattern_conflict",
  "A pattern of another active zone with the same priority overlaps",
);

const zoneResource = resource({
  id: "delivery.zones",
  collection: zones,
  view: ZoneView,
  example: DEMO_IDS.central,
});

const listZones = zoneResource.list({ summary: "List delivery zones" });

const createZone = zoneResource.create({
  summary: "Create a delivery zone",
  description:
    "Patterns, most specific first: SW1A 1AA, SW1A 1, SW1A, SW1 (the outcode SW1 and SW1A to SW1Y, never SW10), " +
    "SW1-SW9, SW, *. An exclude takes precedence over an include of the same level; between zones the priority " +
    "decides. An area on the map is matched where a request sends coordinates; it is more specific than every pattern " +
    "except a full postcode.",
  body: Create,
  errors: [conflict, conflictWhen("limit_reached", "The store has reached its limit of zones")],
  example: {
    body: {
      name: "Hackney and Bow",
      patterns: ["E8", "E9", "E3-E5"],
      excludes: ["E3 3"],
      priority: 3,
      minimum_order: 1800,
      fee_tiers: [
        { from: 0, fee: 599 },
        { from: 4000, fee: 0 },
      ],
    },
  },
  make: async (body, ctx) => {
    const plan = await loadPlan(ctx.tx);
    refuseWhenFull(plan.zones.length, DELIVERY_LIMITS.zones, "zones");
    const zone: Zone = {
      ...body,
      ...newResource(ctx.newId("zon"), ctx.nowAt),
      country: body.country ?? plan.settings.country,
      fee_tiers: body.fee_tiers.map((tier) => ({ id: ctx.newId("fee"), ...tier })),
      slot_window_ids: [],
    };
    await markChanged(ctx.tx, ctx.newId);
    return checkZone(zone, plan, ctx.tx.part);
  },
});

const getZone = zoneResource.get({ summary: "Show a delivery zone" });

const updateZone = zoneResource.custom.update({
  summary: "Change a delivery zone",
  body: Patch,
  errors: [conflict],
  example: { body: { minimum_order: 1200 } },
  handle: async ({ params, body }, ctx) => {
    const before = await ctx.current(zones, params.id);
    return item(await saveZone(ctx, before, mergePatch(before.value, body)));
  },
});

const putTiers = defineRoute({
  id: "delivery.zones.set-fee-tiers",
  method: "PUT",
  path: "/zones/:id/fee-tiers",
  summary: "Replace the fee tiers of a zone",
  body: z.strictObject({ fee_tiers: Tiers }),
  data: ZoneView,
  example: {
    params: { id: DEMO_IDS.central },
    body: {
      fee_tiers: [
        { from: 0, fee: 499 },
        { from: 5000, fee: 0 },
      ],
    },
  },
  handle: async ({ params, body }, ctx) => {
    const before = await ctx.current(zones, params.id);
    // A tier with an unchanged start is the same tier with a new fee.
    const idAt = new Map(before.value.fee_tiers.map(({ from, id }) => [from, id]));
    const feeTiers = body.fee_tiers.map((tier) => ({ id: idAt.get(tier.from) ?? ctx.newId("fee"), ...tier }));
    return item(await saveZone(ctx, before, { ...before.value, fee_tiers: feeTiers }));
  },
});

const removeZone = zoneResource.custom.remove({
  summary: "Delete a delivery zone",
  description:
    "References to it are removed from slot windows and blocked dates. Refused while it has holds or bookings.",
  errors: [
    conflictWhen("has_bookings", "The zone has holds or bookings for today or later"),
    conflictWhen("too_many_links", "More than 90 slot windows and blocked dates refer to it"),
  ],
  handle: async ({ params }, ctx) => {
    const before = await ctx.current(zones, params.id);
    const plan = await loadPlanAt(ctx.tx, ctx.now);
    await refuseWhilePlaceIsUsed(ctx.tx, plan, params.id, ctx.now);
    ctx.tx.remove(zones, before);
    await leavePlace(ctx, plan, "zone_ids", params.id);
    await markChanged(ctx.tx, ctx.newId);
    return empty();
  },
});

const matchZone = defineRoute({
  id: "delivery.zones.match",
  method: "POST",
  path: "/zones/match",
  scope: "read",
  summary: "Explain which zone a postcode falls into",
  description:
    "Returns every zone with a matching pattern, what included or excluded the postcode, and why one of them takes " +
    "precedence.",
  body: z.strictObject({
    postcode: z.string().max(64),
    country: Country.optional(),
    coordinates: Coordinates.optional(),
  }),
  data: MatchAnswer,
  example: {
    body: { postcode: "SW1A 1AA" },
  },
  handle: async ({ body }, { tx }) => {
    const plan = await loadPlan(tx);
    return ok(await answerMatch(tx.part, plan, { ...body, country: body.country ?? plan.settings.country }));
  },
});

/** Validates a changed zone against the others and stages it. */
export async function saveZone(ctx: Ctx, before: Stored<Zone>, value: Zone): Promise<Stored<Zone>> {
  const plan = await loadPlan(ctx.tx);
  await markChanged(ctx.tx, ctx.newId);
  const checked = await checkZone(value, plan, ctx.tx.part);
  return ctx.tx.put(zones, before, { ...checked, updated_at: ctx.nowAt });
}

export const zoneRoutes = [listZones, createZone, matchZone, getZone, updateZone, putTiers, removeZone];
