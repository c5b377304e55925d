import { z } from "zod";

import { Id, Minor, resourceFields } from "../../../core/schema.ts";
import { MENU_LIMITS } from "./limits.ts";
import { Channel, ExternalRefs, hasPlaces, Title } from "./parts.ts";

export const Override = z
  .strictObject({
    target_id: Id.nullable()
      .default(null)
      .meta({ description: "An item, variation or modifier; null: all items and variations" }),
    price: Minor.nullable().default(null),
    percent: z
      .number()
      .min(-100)
      .max(1_000)
      .refine((percent) => hasPlaces(percent, 2), "Must have at most two decimal places.")
      .nullable()
      .default(null)
      .meta({ description: "Change of the price in percent: 15 raises it by 15 %, -20 lowers it by 20 %" }),
  })
  .refine(
    ({ price, percent }) => (price === null) !== (percent === null),
    "Specify either price or percent.",
  );
export type Override = z.output<typeof Override>;
export const priceLevelFields = {
  title: Title,
  menu_id: Id.nullable().meta({ description: "Menu in which it applies; null: all" }),
  channel: Channel.nullable().meta({ description: "Channel in which it applies; null: all" }),
  schedule_id: Id.nullable().meta({ description: "Schedule during which it applies; null: always" }),
  automatic: z.boolean().meta({ description: "False: applies only if a request or a menu refers to it" }),
  priority: z
    .int()
    .min(-1000)
    .max(1000)
    .meta({ description: "The highest priority that has a price applies" }),
  overrides: z.array(Override).max(MENU_LIMITS.overridesPerLevel),
  round_to: z
    .int()
    .min(1)
    .max(10_000)
    .nullable()
    .meta({ description: "Percentage prices are rounded to a multiple of this amount" }),
  external_refs: ExternalRefs,
};
export const PriceLevel = z.object({ ...resourceFields, ...priceLevelFields });
export type PriceLevel = z.output<typeof PriceLevel>;
