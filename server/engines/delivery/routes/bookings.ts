import { z } from "zod";

import { defineRoute, list } from "../../../core/route.ts";
import { Id, listFields, LocalDate, withVersion } from "../../../core/schema.ts";
import { holds } from "../repository.ts";
import { Hold } from "../schema.ts";
import { exampleBooking } from "./examples.ts";

const listBookings = defineRoute({
  id: "delivery.bookings.list",
  method: "GET",
  path: "/bookings",
  summary: "List bookings (confirmed holds)",
  description: "Ordered by slot. Filter by day, by zone, or by both.",
  query: z.object({ ...listFields, date: LocalDate.optional(), zone_id: Id.optional() }),
  data: z.array(withVersion(Hold)),
  example: { data: [exampleBooking] },
  handle: async ({ query }, { tx }) => {
    const { limit, cursor, date, zone_id: zoneId } = query;
    const value = [date, zoneId].filter((part) => part !== undefined).join(".");
    return list(await tx.peekPage(holds, { index: "booked", value, limit, cursor }));
  },
});

export const bookingRoutes = [listBookings];
