import { z } from "zod";

import { DEMO_IDS } from "../demo.ts";
import { conflict, conflictWhen, fail, invalidField } from "../../../lib/errors.ts";
import { empty, made, ok, values } from "../../../core/reply.ts";
import { routesOf } from "../../../core/resource.ts";
import { Id, listFields, Minor } from "../../../core/schema.ts";
import { loadPlan, zones } from "../repository.ts";
import type { Plan } from "../rules/compile-plan.ts";
import { DELIVERY_LIMITS } from "../schema/limits.ts";
import { FeeTier } from "../schema/zone.ts";
import type { FeeTierRow, Zone } from "../schema/zone.ts";
import { pageOfMany } from "../../../core/computed-page.ts";
import { saveZone } from "./zones.ts";

const ofZone = {
  type: "precondition_failed",
  when: "If-Match does not match the current version of the zone",
} as const;

const feeTierResource = routesOf({
  id: "delivery.fee-tiers",
  view: FeeTier,
  example: "fee_01KDVDNA00GGGGGGGGGGGGGGGX",
});

const listTiers = feeTierResource.list({
  summary: "List fee tiers",
  description: "The tiers of one zone or of all zones, ordered by zone and then by from.",
  query: z.object({ ...listFields, zone_id: Id.optional() }),
  handle: async ({ query }, { tx }) => {
    const plan = await loadPlan(tx);
    const rows = plan.zones
      .filter(({ id }) => query.zone_id === undefined || id === query.zone_id)
      .flatMap((zone) => zone.fee_tiers.map((tier) => toFeeTier(zone, tier)));
    const keyOf = ({ zone_id, from }: FeeTier): string => `${zone_id} ${String(from).padStart(16, "0")}`;
    const page = await pageOfMany(rows, keyOf, { part: tx.part, list: "fee-tiers" }, query);
    return values(page.items, page);
  },
});

const createTier = feeTierResource.create({
  summary: "Add a fee tier to a zone",
  body: z.strictObject({ zone_id: Id, from: Minor, fee: Minor }),
  errors: [conflictWhen("limit_reached", "The zone has reached its limit of fee tiers")],
  example: { body: { zone_id: DEMO_IDS.central, from: 4000, fee: 199 } },
  handle: async ({ body }, ctx) => {
    const before = await ctx.tx.get(zones, body.zone_id);
    if (before === null) throw invalidField(["zone_id"], "No zone with this id.");
    const tier = { id: ctx.newId("fee"), from: body.from, fee: body.fee };
    const feeTiers = before.value.fee_tiers;
    if (feeTiers.length >= DELIVERY_LIMITS.tiersPerZone) {
      throw conflict(
        "limit_reached",
        `The limit of ${DELIVERY_LIMITS.tiersPerZone} fee tiers per zone is reached. Delete one first.`,
      );
    }
    if (feeTiers.some(({ from }) => from === tier.from))
      throw invalidField(
        ["from"],
        "The zone already has a fee tier with this `from`. Change that tier instead.",
      );
    await saveZone(ctx, before, withTiers(before.value, [...feeTiers, tier]));
    return made(toFeeTier(before.value, tier), `/fee-tiers/${tier.id}`);
  },
});

const getTier = feeTierResource.get({
  summary: "Show a fee tier",
  handle: async ({ params }, { tx }) => {
    const { zone, tier } = findTier(await loadPlan(tx), params.id);
    return ok(toFeeTier(zone, tier));
  },
});

const updateTier = feeTierResource.update({
  summary: "Change a fee tier",
  body: z.strictObject({ from: Minor, fee: Minor }).partial(),
  errors: [ofZone],
  example: { body: { fee: 249 } },
  handle: async ({ params, body }, ctx) => {
    const { zone, tier } = findTier(await loadPlan(ctx.tx), params.id);
    const before = await ctx.current(zones, zone.id);
    const next = { id: tier.id, from: body.from ?? tier.from, fee: body.fee ?? tier.fee };
    const others = before.value.fee_tiers.filter(({ id }) => id !== tier.id);
    if (others.some(({ from }) => from === next.from))
      throw invalidField(
        ["from"],
        "The zone already has a fee tier with this `from`. Change that tier instead.",
      );
    await saveZone(ctx, before, withTiers(before.value, [...others, next]));
    return ok(toFeeTier(zone, next));
  },
});

const removeTier = feeTierResource.remove({
  summary: "Delete a fee tier",
  errors: [ofZone, conflictWhen("first_tier", "It is the tier from 0, which every zone requires")],
  handle: async ({ params }, ctx) => {
    const { zone, tier } = findTier(await loadPlan(ctx.tx), params.id);
    const before = await ctx.current(zones, zone.id);
    if (tier.from === 0) {
      throw conflict(
        "first_tier",
        "The tier from 0 cannot be deleted: every zone requires one. Change its fee, or replace all tiers of the zone.",
      );
    }
    const rest = before.value.fee_tiers.filter(({ id }) => id !== tier.id);
    await saveZone(ctx, before, withTiers(before.value, rest));
    return empty();
  },
});

const withTiers = (zone: Zone, tiers: readonly FeeTierRow[]): Zone => ({
  ...zone,
  fee_tiers: [...tiers].sort((a, b) => a.from - b.from),
});

/** Refers to its zone: a tier is part of it and has no document of its own. */
const toFeeTier = (zone: Zone, { id, from, fee }: FeeTierRow): FeeTier => ({
  id,
  from,
  fee,
  zone_id: zone.id,
});

function findTier(plan: Plan, id: string): { zone: Zone; tier: FeeTierRow } {
  for (const zone of plan.zones) {
    const tier = zone.fee_tiers.find((each) => each.id === id);
    if (tier !== undefined) return { zone, tier };
  }
  throw fail("not_found", "No such resource.");
}

export const feeTierRoutes = [listTiers, createTier, getTier, updateTier, removeTier];
