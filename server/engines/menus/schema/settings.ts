import { z } from "zod";

import { Currency, Instant, TimeZone } from "../../../core/schema.ts";
import { Locale } from "./parts.ts";

/** Default settings of a store. */
export const settingsFields = {
  default_locale: Locale.meta({ description: "Language of texts that are sent without one" }),
  time_zone: TimeZone,
  currency: Currency,
  kcal_labelling: z.enum(["none", "england", "us"]).meta({
    description:
      "england: N kcal with the portion and the statement required by SI 2021/909 reg. 5; us: rounded according to 21 " +
      "CFR 101.9(c)(1)",
  }),
  sell_unverified: z
    .boolean()
    .optional()
    .meta({
      description:
        "False: an item or modifier is not available while its product of /v1/allergens is not verified, with the reason " +
        "allergens_unverified. Default: true",
    }),
  low_threshold: z
    .int()
    .min(0)
    .max(100_000)
    .meta({ description: "Stock is low at or below this number, unless overridden per item" }),
};
export const Settings = z.object({
  id: z.literal("settings"),
  ...settingsFields,
  updated_at: Instant.nullable().meta({ description: "Null while the defaults apply" }),
});
export type Settings = z.output<typeof Settings>;
