import { z } from "zod";

import { invalidParameter } from "../../../lib/errors.ts";
import { list } from "../../../core/reply.ts";
import { routesOf } from "../../../core/resource.ts";
import { Id, listFields, LocalDate, withVersion } from "../../../core/schema.ts";
import { holds, referenceKey } from "../repository.ts";
import { Hold } from "../schema/hold.ts";

const listBookings = routesOf({ id: "delivery.bookings", view: withVersion(Hold) }).list({
  summary: "List bookings (confirmed holds)",
  description:
    "Ordered by slot. Filter by day, by zone or location, by both, or by the reference of the hold.",
  query: z.object({
    ...listFields,
    date: LocalDate.optional(),
    zone_id: Id.optional(),
    location_id: Id.optional(),
    reference: z.string().trim().min(1).max(120).optional(),
  }),
  handle: async ({ query }, { tx }) => {
    const { limit, cursor, date, zone_id: zoneId, location_id: locationId, reference } = query;
    if (reference !== undefined && [date, zoneId, locationId].some((other) => other !== undefined)) {
      throw invalidParameter("reference", "`reference` cannot be combined with other filters.");
    }
    if (zoneId !== undefined && locationId !== undefined) {
      throw invalidParameter("location_id", "Specify either zone_id or location_id.");
    }
    const day = [date, zoneId ?? locationId].filter((part) => part !== undefined).join(".");
    const value = reference === undefined ? day : referenceKey(reference);
    return list(await tx.peekPage(holds, { index: "booked", value, limit, cursor }));
  },
});

export const bookingRoutes = [listBookings];
