import { DEMO_SHOP_NAME } from "../../../core/shop.ts";
import { z } from "zod";

import { cartSettings } from "../repository.ts";
import { settingsFields } from "../schema.ts";

export const settingsRoutes = cartSettings.routes({
  summary: { get: "Currency, time zone and name of the shop", update: "Change settings" },
  description: "Weekdays, quiet hours and dates go by the time zone.",
  patch: z.strictObject(settingsFields).partial(),
  example: { shop_name: DEMO_SHOP_NAME },
});
