import { z } from "zod";

import { DEMO_IDS } from "../demo.ts";
import { conflictWhen } from "../../../lib/errors.ts";
import { resource } from "../../../core/resource.ts";
import { empty } from "../../../core/reply.ts";
import { withVersion } from "../../../core/schema.ts";
import { mergePatch } from "../../../lib/merge-patch.ts";
import { loadPlan, locations, markChanged } from "../repository.ts";
import { loadPlanAt } from "../services/plan-at.ts";
import { DELIVERY_LIMITS } from "../schema/limits.ts";
import { Location, locationFields } from "../schema/location.ts";
import { refuseWhenFull } from "./check-zone.ts";
import { leavePlace } from "./leave-place.ts";
import { refuseWhilePlaceIsUsed } from "./live-use.ts";
import { newResource } from "../../../lib/new-resource.ts";

const LocationView = withVersion(Location);
const Create = z.strictObject({
  ...locationFields,
  address: locationFields.address.default(""),
  channels: locationFields.channels.default(["pickup"]),
  hours: locationFields.hours.default([]),
  lead_minutes: locationFields.lead_minutes.default(null),
});
const Patch = z.strictObject(locationFields).partial();

const locationResource = resource({
  id: "delivery.locations",
  collection: locations,
  view: LocationView,
  example: DEMO_IDS.shop,
});

const listLocations = locationResource.list({ summary: "List pickup locations" });

const createLocation = locationResource.create({
  summary: "Create a pickup location",
  description:
    "A place where customers collect orders or eat. Slot windows refer to it with location_ids; a slot is offered only " +
    "within its opening hours. It has no fee and no minimum order.",
  body: Create,
  errors: [conflictWhen("limit_reached", "The store has reached its limit of locations")],
  example: {
    body: {
      name: "Bakery on Strutton Ground",
      address: "12 Strutton Ground, London SW1P 2HP",
      hours: [{ days: ["mon", "tue", "wed", "thu", "fri"], start: "07:00", end: "17:00" }],
    },
  },
  make: async (body, ctx) => {
    const plan = await loadPlan(ctx.tx);
    refuseWhenFull(plan.locations.length, DELIVERY_LIMITS.locations, "locations");
    await markChanged(ctx.tx, ctx.newId);
    return { ...newResource(ctx.newId("loc"), ctx.nowAt), ...body };
  },
});

const getLocation = locationResource.get({ summary: "Show a pickup location" });

const updateLocation = locationResource.update({
  summary: "Change a pickup location",
  body: Patch,
  example: { body: { lead_minutes: 45 } },
  change: async (before, body, ctx) => {
    await markChanged(ctx.tx, ctx.newId);
    return mergePatch(before, body);
  },
});

const removeLocation = locationResource.custom.remove({
  summary: "Delete a pickup location",
  description:
    "References to it are removed from slot windows and blocked dates. Refused while it has holds or bookings.",
  errors: [
    conflictWhen("has_bookings", "It has holds or bookings for today or later"),
    conflictWhen("too_many_links", "More than 90 slot windows and blocked dates refer to it"),
  ],
  handle: async ({ params }, ctx) => {
    const before = await ctx.current(locations, params.id);
    const plan = await loadPlanAt(ctx.tx, ctx.now);
    await refuseWhilePlaceIsUsed(ctx.tx, plan, params.id, ctx.now);
    ctx.tx.remove(locations, before);
    await leavePlace(ctx, plan, "location_ids", params.id);
    await markChanged(ctx.tx, ctx.newId);
    return empty();
  },
});

export const locationRoutes = [listLocations, createLocation, getLocation, updateLocation, removeLocation];
