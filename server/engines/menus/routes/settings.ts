import { z } from "zod";

import { settingsRoutes as routesOf } from "../../../core/settings-routes.ts";
import { DEFAULT_SETTINGS, settingsDocs } from "../repository.ts";
import { Settings, settingsFields } from "../schema/settings.ts";

export const settingsRoutes = routesOf({
  engine: "menus",
  summary: { get: "Show the menu settings", update: "Change the menu settings" },
  description:
    "default_locale is the language of texts that are sent without one. Existing texts do not change.",
  collection: settingsDocs,
  schema: Settings,
  patch: z.strictObject(settingsFields).partial(),
  defaults: DEFAULT_SETTINGS,
  example: { kcal_labelling: "england" },
});
