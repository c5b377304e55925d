import { z } from "zod";

import { Currency, Instant } from "../../../../core/schema.ts";

/**
 * Objects of the Square Catalog API (connect-api-specification api.json @5733f66 of 2025-08-19), as far as they
 * concern menus. Loose: other fields are reported, not refused.
 */

const Name = z.string().trim().min(1).max(1_000);
const Money = z.looseObject({ amount: z.int().nonnegative(), currency: Currency });
const Ref = z.string().min(1).max(128);
const CategoryRef = z.looseObject({ id: Ref, ordinal: z.int().nullish() });
const Time = z.string().regex(/^\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?$/, "Expected a local time such as 08:30:00.");
/** -1: not set, 0: no limit (CatalogItemModifierListInfo). */
const Count = z.int().min(-1).max(1_000);

const Pricing = z.enum(["FIXED_PRICING", "VARIABLE_PRICING"]).nullish();

const presence = {
  present_at_all_locations: z.boolean().nullish(),
  present_at_location_ids: z.array(Ref).max(500).nullish(),
  absent_at_location_ids: z.array(Ref).max(500).nullish(),
};
const LocationOverrides = z
  .array(
    z.looseObject({
      location_id: Ref,
      price_money: Money.nullish(),
      pricing_type: Pricing,
      sold_out: z.boolean().nullish(),
      sold_out_valid_until: Instant.nullish(),
    }),
  )
  .max(500)
  .nullish();
export type LocationOverrides = z.output<typeof LocationOverrides>;

const Variation = z.looseObject({
  ...presence,
  type: z.literal("ITEM_VARIATION").nullish(),
  id: Ref,
  is_deleted: z.boolean().nullish(),
  item_variation_data: z.looseObject({
    item_id: z.string().nullish(),
    name: z.string().max(255).nullish(),
    sku: z.string().max(64).nullish(),
    ordinal: z.int().nullish(),
    pricing_type: Pricing,
    price_money: Money.nullish(),
    location_overrides: LocationOverrides,
    sellable: z.boolean().nullish(),
  }),
});

const Modifier = z.looseObject({
  ...presence,
  type: z.literal("MODIFIER").nullish(),
  id: Ref,
  is_deleted: z.boolean().nullish(),
  modifier_data: z.looseObject({
    name: Name,
    price_money: Money.nullish(),
    on_by_default: z.boolean().nullish(),
    ordinal: z.int().nullish(),
    modifier_list_id: z.string().nullish(),
    location_overrides: LocationOverrides,
  }),
});

const Toggle = z.enum(["YES", "NO", "NOT_SET"]).nullish();
const ListInfo = z.looseObject({
  modifier_list_id: Ref,
  min_selected_modifiers: Count.nullish(),
  max_selected_modifiers: Count.nullish(),
  enabled: z.boolean().nullish(),
  ordinal: z.int().nullish(),
  modifier_overrides: z
    .array(
      z.looseObject({ modifier_id: Ref, hidden_online_override: Toggle, on_by_default_override: Toggle }),
    )
    .nullish(),
});

const FoodWord = z.looseObject({
  type: z.string().nullish(),
  standard_name: z.string().nullish(),
  custom_name: z.string().nullish(),
});

export const SquareObject = z.looseObject({
  type: z.string().min(1).max(64),
  id: Ref,
  is_deleted: z.boolean().nullish(),
  ...presence,
  item_data: z
    .looseObject({
      name: Name,
      description: z.string().max(65_535).nullish(),
      description_html: z.string().max(65_535).nullish(),
      description_plaintext: z.string().max(65_535).nullish(),
      category_id: Ref.nullish(),
      categories: z.array(CategoryRef).nullish(),
      modifier_list_info: z.array(ListInfo).max(30).nullish(),
      variations: z.array(Variation).max(50).nullish(),
      product_type: z.string().nullish(),
      image_ids: z.array(Ref).max(10).nullish(),
      tax_ids: z.array(Ref).max(50).nullish(),
      is_archived: z.boolean().nullish(),
      is_alcoholic: z.boolean().nullish(),
      food_and_beverage_details: z
        .looseObject({
          calorie_count: z.int().min(0).max(100_000).nullish(),
          dietary_preferences: z.array(FoodWord).nullish(),
          ingredients: z.array(FoodWord).nullish(),
        })
        .nullish(),
    })
    .nullish(),
  category_data: z
    .looseObject({
      name: Name,
      category_type: z.enum(["REGULAR_CATEGORY", "MENU_CATEGORY", "KITCHEN_CATEGORY"]).nullish(),
      parent_category: z.looseObject({ id: Ref.nullish(), ordinal: z.int().nullish() }).nullish(),
      is_top_level: z.boolean().nullish(),
      root_category: z.string().nullish(),
      path_to_root: z.array(z.unknown()).nullish(),
      availability_period_ids: z.array(Ref).nullish(),
      online_visibility: z.boolean().nullish(),
      image_ids: z.array(Ref).nullish(),
    })
    .nullish(),
  modifier_list_data: z
    .looseObject({
      name: Name,
      modifier_type: z.enum(["LIST", "TEXT"]).nullish(),
      selection_type: z.enum(["SINGLE", "MULTIPLE"]).nullish(),
      min_selected_modifiers: Count.nullish(),
      max_selected_modifiers: Count.nullish(),
      allow_quantities: z.boolean().nullish(),
      modifiers: z.array(Modifier).max(100).nullish(),
      ordinal: z.int().nullish(),
    })
    .nullish(),
  availability_period_data: z
    .looseObject({
      start_local_time: Time,
      end_local_time: Time,
      day_of_week: z.enum(["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]),
    })
    .nullish(),
  tax_data: z
    .looseObject({
      name: z.string().nullish(),
      calculation_phase: z.string().nullish(),
      inclusion_type: z.enum(["ADDITIVE", "INCLUSIVE"]).nullish(),
      enabled: z.boolean().nullish(),
    })
    .nullish(),
  image_data: z
    .looseObject({ name: z.string().nullish(), url: z.string().nullish(), caption: z.string().nullish() })
    .nullish(),
});
export type SquareObject = z.output<typeof SquareObject>;

const Objects = z.array(SquareObject).max(1_000);
export const SquareCatalog = z
  .looseObject({
    objects: Objects.nullish(),
    related_objects: Objects.nullish(),
    cursor: z.string().max(2_000).nullish(),
    batches: z
      .array(z.looseObject({ objects: Objects }))
      .max(10)
      .nullish(),
  })
  .meta({
    description:
      "Catalog objects: a response of ListCatalog or SearchCatalogObjects, or batches for an upsert",
  });
export type SquareCatalog = z.output<typeof SquareCatalog>;
