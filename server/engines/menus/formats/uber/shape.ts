import { z } from "zod";

/**
 * A MenuConfiguration of Uber Eats (PUT /v2/eats/stores/{store_id}/menus and the published example payloads): flat
 * lists by id. Prices are integers of the smallest unit, intervals of energy are in E5 and alcohol in E2 notation,
 * texts are maps by language such as en or en_us. The currency is the store's.
 */

const Ref = z.string().min(1).max(128);
const Text = (charsMax: number) =>
  z.looseObject({
    translations: z
      .record(z.string().min(1).max(20), z.string().max(charsMax))
      .refine(
        (texts) => Object.values(texts).some((text) => text.trim() !== ""),
        "Text in at least one language is required.",
      ),
  });
const Title = Text(1_000);
/** Their own example has "" as the description of most items. */
const Description = z
  .looseObject({ translations: z.record(z.string().min(1).max(20), z.string().max(65_535)).nullish() })
  .nullish();
export type UberDescription = z.output<typeof Description>;
const Day = z.enum(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]);
const DayHours = z.looseObject({
  day_of_week: Day,
  time_periods: z
    .array(z.looseObject({ start_time: z.string().max(8), end_time: z.string().max(8) }))
    .max(20),
});
export type UberDayHours = z.output<typeof DayHours>;
const Entity = z.looseObject({ id: Ref, type: z.literal("ITEM").nullish() });
const Context = { context_type: z.enum(["MENU", "ITEM", "MODIFIER_GROUP"]), context_value: Ref };
const Count = z.int().min(0).max(1_000).nullish();
const Quantity = z.looseObject({
  min_permitted: Count,
  max_permitted: Count,
  default_quantity: Count,
  charge_above: Count,
  min_permitted_unique: z.int().min(0).max(100).nullish(),
  max_permitted_unique: z.int().min(0).max(100).nullish(),
});
export type UberQuantity = z.output<typeof Quantity>;
const QuantityInfo = z
  .looseObject({
    quantity: Quantity.nullish(),
    overrides: z
      .array(z.looseObject({ ...Context, quantity: Quantity }))
      .max(100)
      .nullish(),
  })
  .nullish();
const Rate = z.number().min(0).max(100).nullish();
const Interval = z.looseObject({ lower: z.int().min(0).nullish(), upper: z.int().min(0).nullish() });

const Item = z.looseObject({
  id: Ref,
  external_data: z.string().max(2_000).nullish(),
  title: Title,
  description: Description,
  image_url: z.string().max(2_000).nullish(),
  price_info: z.looseObject({
    price: z.int().min(0),
    overrides: z
      .array(z.looseObject({ ...Context, price: z.int().min(0) }))
      .max(200)
      .nullish(),
  }),
  // A sales tax is added to the price, a value-added tax is part of it.
  tax_info: z.looseObject({ tax_rate: Rate, vat_rate_percentage: Rate }).nullish(),
  quantity_info: QuantityInfo,
  suspension_info: z
    .looseObject({
      suspension: z
        .looseObject({ suspend_until: z.int().nullish(), reason: z.string().max(200).nullish() })
        .nullish(),
    })
    .nullish(),
  modifier_group_ids: z.looseObject({ ids: z.array(Ref).max(30).nullish() }).nullish(),
  nutritional_info: z
    .looseObject({
      calories: z
        .looseObject({
          energy_interval: Interval.nullish(),
          lower_range: z.int().min(0).nullish(),
          upper_range: z.int().min(0).nullish(),
          display_type: z.string().nullish(),
        })
        .nullish(),
      number_of_servings_interval: Interval.nullish(),
      allergens: z.array(z.string().max(100)).max(100).nullish(),
    })
    .nullish(),
  dish_info: z
    .looseObject({
      classifications: z
        .looseObject({
          alcoholic_items: z.int().min(0).nullish(),
          dietary_label_info: z.looseObject({ labels: z.array(z.string()).max(20).nullish() }).nullish(),
        })
        .nullish(),
    })
    .nullish(),
  beverage_info: z.looseObject({ alcohol_by_volume: z.int().min(0).max(10_000).nullish() }).nullish(),
  visibility_info: z
    .looseObject({
      start_date: z.string().nullish(),
      end_date: z.string().nullish(),
      hours: z
        .array(
          z.looseObject({
            start_date: z.string().nullish(),
            end_date: z.string().nullish(),
            hours_of_week: z.array(DayHours).max(20).nullish(),
          }),
        )
        .max(10)
        .nullish(),
    })
    .nullish(),
});
export type UberItem = z.output<typeof Item>;

const Group = z.looseObject({
  id: Ref,
  title: Title,
  quantity_info: QuantityInfo,
  modifier_options: z.array(Entity).max(100).nullish(),
});
export type UberGroup = z.output<typeof Group>;

export const UberMenus = z
  .looseObject({
    menu_type: z
      .enum([
        "MENU_TYPE_FULFILLMENT_DELIVERY",
        "MENU_TYPE_FULFILLMENT_PICK_UP",
        "MENU_TYPE_FULFILLMENT_DINE_IN",
      ])
      .nullish(),
    menus: z
      .array(
        z.looseObject({
          id: Ref,
          title: Title,
          subtitle: Description,
          service_availability: z.array(DayHours).max(20).nullish(),
          category_ids: z.array(Ref).max(100).nullish(),
        }),
      )
      .max(20),
    categories: z
      .array(
        z.looseObject({
          id: Ref,
          title: Title,
          subtitle: Description,
          entities: z.array(Entity).max(500).nullish(),
        }),
      )
      .max(500)
      .nullish(),
    items: z.array(Item).max(1_000).nullish(),
    modifier_groups: z.array(Group).max(500).nullish(),
  })
  .meta({ description: "A MenuConfiguration of Uber Eats, as used by its menu API" });
export type UberMenus = z.output<typeof UberMenus>;
