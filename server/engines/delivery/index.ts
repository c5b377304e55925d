import { DEMO_SHOP } from "../../core/shop.ts";
import { defineEngine, seedSets } from "../../core/engine.ts";
import { deliveryEvents } from "./data/events.ts";
import { demoDelivery } from "./demo.ts";
import { sweepHolds } from "./jobs.ts";
import {
  blockedDates,
  holds,
  locations,
  revisions,
  deliverySettings,
  slotUsages,
  slotWindows,
  zones,
} from "./repository.ts";
import { blockedDateRoutes } from "./routes/blocked-dates.ts";
import { bookingRoutes } from "./routes/bookings.ts";
import { calendarRoutes } from "./routes/calendars.ts";
import { feeTierRoutes } from "./routes/fee-tiers.ts";
import { holdRoutes } from "./routes/holds.ts";
import { locationRoutes } from "./routes/locations.ts";
import { outcodeRoutes } from "./routes/outcodes.ts";
import { settingsRoutes } from "./routes/settings.ts";
import { slotWindowRoutes } from "./routes/slot-windows.ts";
import { slotRoutes } from "./routes/slots.ts";
import { validateRoutes } from "./routes/validate.ts";
import { zoneRoutes } from "./routes/zones.ts";
import { holdStates } from "./rules/hold-state.ts";

export const delivery = defineEngine({
  name: "delivery",
  summary: "Outcodes, fee tiers, slot windows, blocked dates, delivery validation",
  routes: [
    ...validateRoutes,
    ...outcodeRoutes,
    ...zoneRoutes,
    ...feeTierRoutes,
    ...locationRoutes,
    ...slotWindowRoutes,
    ...slotRoutes,
    ...holdRoutes,
    ...bookingRoutes,
    ...blockedDateRoutes,
    ...calendarRoutes,
    ...settingsRoutes,
  ],
  jobs: [sweepHolds],
  events: deliveryEvents,
  states: [holdStates],
  seed: (now) => {
    const demo = demoDelivery(now);
    return [
      deliverySettings.seed(DEMO_SHOP, demo.settings),
      ...seedSets(demo, {
        zones,
        locations,
        slotWindows,
        blockedDates,
        holds,
        slotUsages,
        // Last: the configuration is reloaded from here on.
        revisions,
      }),
    ];
  },
});
