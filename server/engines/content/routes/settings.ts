import { z } from "zod";

import { contentSettings } from "../repository.ts";
import { settingsFields } from "../schema/draft.ts";

export const settingsRoutes = contentSettings.routes({
  scope: "manage",
  summary: { get: "Show the content settings", update: "Change the content settings" },
  patch: z.strictObject(settingsFields).partial(),
  example: { approvals_required: 1, site_url: "https://crumb.example" },
});
