import { z } from "zod";

import { settingsRoutes as routesOf } from "../../../core/settings-routes.ts";
import { DEFAULT_SETTINGS, settingsDocs } from "../repository.ts";
import { Settings, settingsFields } from "../schema/draft.ts";

/** URLs of posts are computed when they are published: a new site_url applies to later publications. */
export const settingsRoutes = routesOf({
  engine: "content",
  scope: "manage",
  summary: { get: "Show the content settings", update: "Change the content settings" },
  collection: settingsDocs,
  schema: Settings,
  patch: z.strictObject(settingsFields).partial(),
  defaults: DEFAULT_SETTINGS,
  example: { approvals_required: 1, site_url: "https://crumb.example" },
});
