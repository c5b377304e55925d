import { z } from "zod";

import { DEMO_SHOP_NAME } from "../../../core/shop.ts";
import { followHolidays } from "../services/follow-holidays.ts";
import { cateringSettings } from "../repository.ts";
import { settingsFields } from "../schema.ts";

export const settingsRoutes = cateringSettings.routes({
  summary: {
    get: "Show the settings: the shop's name and address, zone, holidays, and what a new quote has that says nothing else",
    update: "Change the settings",
  },
  scope: "manage",
  patch: z.strictObject(settingsFields).partial(),
  example: { shop_name: DEMO_SHOP_NAME },
  check: async ({ holidays }, ctx) => {
    if (holidays !== undefined) await followHolidays(ctx);
  },
});
