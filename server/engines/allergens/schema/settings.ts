import { z } from "zod";

import { Instant } from "../../../core/schema.ts";
import { Locale, ModeId } from "./ingredient.ts";

export const settingsFields = {
  default_mode: ModeId.meta({ description: "The mode of a request that specifies none" }),
  require_verified: z.boolean().meta({
    description:
      "A label of a product that is not verified has an error, and its metafields are not given out",
  }),
  stale_after_days: z
    .int()
    .min(1)
    .max(3_650)
    .nullable()
    .meta({ description: "Days after which a verification has to be repeated; null: never" }),
  language: Locale.optional().meta({ description: "Language of names and titles. Default: en" }),
  calorie_labelling: z.boolean().meta({
    description: "The business has to show calories (England: 250 or more employees, SI 2021/909)",
  }),
};

export const Settings = z.object({
  id: z.literal("settings"),
  ...settingsFields,
  updated_at: Instant.nullable().meta({ description: "Null while the defaults hold" }),
});
export type Settings = z.output<typeof Settings>;
