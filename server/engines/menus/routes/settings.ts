import { z } from "zod";

import { menuSettings } from "../repository.ts";
import { settingsFields } from "../schema/settings.ts";

export const settingsRoutes = menuSettings.routes({
  summary: { get: "Show the menu settings", update: "Change the menu settings" },
  description:
    "default_locale is the language of texts that are sent without one. Existing texts do not change.",
  patch: z.strictObject(settingsFields).partial(),
  example: { kcal_labelling: "england" },
});
