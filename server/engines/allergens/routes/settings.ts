import { z } from "zod";

import { allergenSettings } from "../repository.ts";
import { settingsFields } from "../schema/settings.ts";

export const settingsRoutes = allergenSettings.routes({
  summary: { get: "Show the allergen settings", update: "Change the allergen settings" },
  description:
    "Another default mode holds from the next request on: what is declared is worked out when it is read.",
  patch: z.strictObject(settingsFields).partial(),
  example: { default_mode: "eu", stale_after_days: 180 },
});
