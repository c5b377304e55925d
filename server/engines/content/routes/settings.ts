import { z } from "zod";

import { contentSettings } from "../repository.ts";
import { recordLeftSite } from "../services/site-pages.ts";
import { settingsFields } from "../schema/draft.ts";

export const settingsRoutes = contentSettings.routes({
  scope: "manage",
  summary: { get: "Show the content settings", update: "Change the content settings" },
  patch: z.strictObject(settingsFields).partial(),
  description:
    "Changing site_url or post_path changes the URLs of all posts: see GET /v1/content/sites for redirects.",
  // The site that is left: its URLs are redirected.
  check: async (patch, { nowAt, tx }) => {
    if (patch.site_url !== undefined || patch.post_path !== undefined)
      await recordLeftSite(tx, await contentSettings.read(tx), nowAt);
  },
  example: { approvals_required: 1, site_url: "https://crumb.example" },
});
