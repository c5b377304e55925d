import { z } from "zod";

import { Instant } from "../../../../core/schema.ts";

/**
 * The body of Deliverect's product sync (POST /productAndCategories): products by PLU, of type 1 product, 2 modifier,
 * 3 modifier group, 4 bundle. Prices are integers with two decimals, a maximum of 0 is no limit, minUniqueOptions and
 * maxUniqueOptions count different options, multiMax units of one option (developers.deliverect.com, product
 * configuration, modifier groups, changelog minunique).
 */

/** Values of productType. */
export const PRODUCT = 1;
export const MODIFIER = 2;
export const GROUP = 3;
export const BUNDLE = 4;

const Plu = z.string().trim().min(1).max(128);
const Name = z.string().trim().min(1).max(1_000);
export const Translations = z.record(z.string().min(1).max(20), z.string().max(2_000)).nullish();
const Count = z.int().min(0).max(1_000).nullish();

const Product = z.looseObject({
  productType: z.int().min(1).max(4),
  plu: Plu,
  name: Name,
  nameTranslations: Translations,
  description: z.string().max(65_535).nullish(),
  descriptionTranslations: Translations,
  price: z.int().min(0).nullish(),
  priceLevels: z.record(z.string().min(1).max(128), z.int().min(0)).nullish(),
  imageUrl: z.string().max(2_000).nullish(),
  // Their own example contains a single id, and an empty string, in place of lists.
  posCategoryIds: z.union([z.array(z.string()), z.string()]).nullish(),
  subProducts: z.array(Plu).max(100).nullish(),
  min: Count,
  max: Count,
  multiMax: Count,
  minUniqueOptions: z.int().min(0).max(100).nullish(),
  maxUniqueOptions: z.int().min(0).max(100).nullish(),
  defaultQuantity: Count,
  snoozed: z.boolean().nullish(),
  snoozeEnd: Instant.nullish(),
  productTags: z.array(z.int()).max(100).nullish(),
  calories: z.int().min(0).max(100_000).nullish(),
  caloriesRangeHigh: z.int().min(0).max(100_000).nullish(),
});
export type DeliverectProduct = z.output<typeof Product>;
/** A product of a menu push refers to others by id, and may have no PLU. */
export const PushedProduct = Product.extend({
  plu: z.string().trim().max(128).nullish(),
});

/** Times of the store; 1 is Monday (developers.deliverect.com, "Store opening times"). */
export const Availabilities = z
  .array(
    z.looseObject({
      dayOfWeek: z.int().min(1).max(7),
      startTime: z.string().max(8),
      endTime: z.string().max(8),
    }),
  )
  .max(100)
  .nullish();
export type Availabilities = z.output<typeof Availabilities>;

export const categoryFields = {
  availabilities: Availabilities,
  name: Name,
  nameTranslations: Translations,
  description: z.string().max(65_535).nullish(),
  descriptionTranslations: Translations,
  imageUrl: z.string().max(2_000).nullish(),
};

export const DeliverectProducts = z
  .looseObject({
    accountId: z.string().nullish(),
    locationId: z.string().nullish(),
    products: z.array(Product).min(1).max(1_000),
    categories: z
      .array(
        z.looseObject({
          posCategoryId: z.string().trim().min(1).max(128),
          ...categoryFields,
        }),
      )
      .max(500)
      .nullish(),
    priceLevels: z
      .array(z.looseObject({ name: Name, posId: z.string().min(1).max(128) }))
      .max(50)
      .nullish(),
  })
  .meta({ description: "The body of a Deliverect product sync" });
export type DeliverectProducts = z.output<typeof DeliverectProducts>;
