import { z } from "zod";

import { Currency, Instant, TimeZone } from "../../../core/schema.ts";
import { Locale } from "./parts.ts";

/** Settings that every store has before it saves any. */
export const settingsFields = {
  default_locale: Locale.meta({ description: "Language of a text that is sent without one" }),
  time_zone: TimeZone,
  currency: Currency,
  kcal_labelling: z.enum(["none", "england", "us"]).meta({
    description:
      "england: N kcal with the portion and the statement of SI 2021/909 reg. 5; us: rounded by 21 CFR 101.9(c)(1)",
  }),
  low_threshold: z
    .int()
    .min(0)
    .max(100_000)
    .meta({ description: "Stock at or below it is low, unless its own says" }),
};
export const Settings = z.object({
  id: z.literal("settings"),
  ...settingsFields,
  updated_at: Instant.nullable().meta({ description: "Null while the defaults hold" }),
});
export type Settings = z.output<typeof Settings>;
