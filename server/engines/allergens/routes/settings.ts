import { z } from "zod";

import { settingsRoutes as routesOf } from "../../../core/settings-routes.ts";
import { DEFAULT_SETTINGS, settingsDocs } from "../repository.ts";
import { Settings, settingsFields } from "../schema.ts";

export const settingsRoutes = routesOf({
  engine: "allergens",
  summary: { get: "Show the allergen settings", update: "Change the allergen settings" },
  description:
    "Another default mode holds from the next request on: what is declared is worked out when it is read.",
  collection: settingsDocs,
  schema: Settings,
  patch: z.strictObject(settingsFields).partial(),
  defaults: DEFAULT_SETTINGS,
  example: { default_mode: "eu", stale_after_days: 180 },
});
