import { z } from "zod";

import { settingsRoutes as routesOf } from "../../../core/settings-routes.ts";
import { DEFAULT_SETTINGS, settingsDocs } from "../repository.ts";
import { Settings, settingsFields } from "../schema.ts";

export const settingsRoutes = routesOf({
  engine: "subscriptions",
  summary: {
    get: "Show the settings: the shop's name, and what a new contract has that says nothing else",
    update: "Change the settings",
  },
  scope: "manage",
  collection: settingsDocs,
  schema: Settings,
  patch: z.strictObject(settingsFields).partial(),
  defaults: DEFAULT_SETTINGS,
  example: { shop_name: "Demo Roasters" },
});
