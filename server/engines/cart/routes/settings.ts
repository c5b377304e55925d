import { z } from "zod";

import { settingsRoutes as routesOf } from "../../../core/settings-routes.ts";
import { DEFAULT_SETTINGS, settingsDocs } from "../repository.ts";
import { Settings, settingsFields } from "../schema.ts";

export const settingsRoutes = routesOf({
  engine: "cart",
  summary: { get: "Currency, time zone and name of the shop", update: "Change settings" },
  description: "Weekdays, quiet hours and dates go by the time zone.",
  collection: settingsDocs,
  schema: Settings,
  patch: z.strictObject(settingsFields).partial(),
  defaults: DEFAULT_SETTINGS,
  example: { shop_name: "Demo Bakery" },
});
