import { z } from "zod";

import { Currency, Instant } from "../../../../core/schema.ts";

/**
 * Menus of Otter's Public API (MenusUpsertRequest, Menus): four maps by id. Amounts are decimal numbers; a maximum of
 * 0 is no limit, and a missing maxPerModifierSelectionQuantity is 1.
 */

const Ref = z.string().min(1).max(128);
const Name = z.string().trim().min(1).max(1_000);
const Description = z.string().max(65_535).nullish();
const Amount = z.number().min(0).max(10_000_000);
const Money = z.looseObject({ currencyCode: Currency, amount: Amount });
const Count = z.int().min(0).max(1_000).nullish();
const Day = z.enum(["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"]);

const Menu = z.looseObject({
  id: Ref,
  name: Name,
  description: Description,
  categoryIds: z.array(Ref).max(100).nullish(),
  fulfillmentModes: z.array(z.enum(["DELIVERY", "PICK_UP", "DINE_IN"])).nullish(),
  hours: z
    .looseObject({
      intervals: z
        .array(
          z.looseObject({
            day: Day,
            fromHour: z.int().min(0).max(23),
            fromMinute: z.int().min(0).max(59).nullish(),
            toHour: z.int().min(0).max(24),
            toMinute: z.int().min(0).max(59).nullish(),
          }),
        )
        .max(100),
    })
    .nullish(),
});

const Category = z.looseObject({
  id: Ref,
  name: Name,
  description: Description,
  itemIds: z.array(Ref).max(500).nullish(),
});

const Item = z.looseObject({
  id: Ref,
  name: Name,
  description: Description,
  price: Money,
  status: z
    .looseObject({
      saleStatus: z.enum(["FOR_SALE", "INDEFINITELY_NOT_FOR_SALE", "TEMPORARILY_NOT_FOR_SALE"]),
      suspendedUntil: Instant.nullish(),
    })
    .nullish(),
  // A value-added tax is part of the price, any other is added to it.
  tax: z.looseObject({ percentageValue: z.unknown(), isValueAddedTax: z.boolean().nullish() }).nullish(),
  modifierGroupIds: z.array(Ref).max(30).nullish(),
  photoUrls: z.array(z.string().max(2_000)).max(10).nullish(),
  priceOverrides: z
    .array(
      z.looseObject({
        rules: z.array(z.looseObject({ externalServiceSlug: z.string().min(1).max(100).nullish() })).max(20),
        currencyCode: Currency.nullish(),
        amount: Amount.nullish(),
      }),
    )
    .max(20)
    .nullish(),
  skuDetails: z
    .looseObject({
      skuSlug: z.string().max(64).nullish(),
      dietaryClassifications: z
        .array(z.looseObject({ tag: z.string() }))
        .max(50)
        .nullish(),
      allergenClassifications: z
        .array(z.looseObject({ tag: z.string(), containsAllergen: z.boolean() }))
        .max(50)
        .nullish(),
      containsAlcohol: z.boolean().nullish(),
      nutritionalInfo: z
        .looseObject({
          energyKcal: z
            .looseObject({
              low: z.number().min(0).max(100_000).nullish(),
              high: z.number().min(0).max(100_000).nullish(),
            })
            .nullish(),
        })
        .nullish(),
      servings: z.looseObject({ min: z.int().nullish(), max: z.int().nullish() }).nullish(),
    })
    .nullish(),
});
export type OtterItem = z.output<typeof Item>;

const Group = z.looseObject({
  id: Ref,
  name: Name,
  description: Description,
  minimumSelections: Count,
  maximumSelections: Count,
  maxPerModifierSelectionQuantity: Count,
  itemIds: z.array(Ref).max(100).nullish(),
  defaultModifierSelectionData: z
    .looseObject({
      defaultModifierSelections: z
        .array(z.looseObject({ itemId: Ref, selectionQuantity: z.int().min(0).max(1_000).nullish() }))
        .max(100),
    })
    .nullish(),
});
export type OtterGroup = z.output<typeof Group>;
export type OtterMenu = z.output<typeof Menu>;

export const OtterMenus = z
  .looseObject({
    menus: z.record(z.string(), Menu),
    categories: z.record(z.string(), Category).nullish(),
    items: z.record(z.string(), Item).nullish(),
    modifierGroups: z.record(z.string(), Group).nullish(),
  })
  .meta({ description: "Menus of Otter's Public API, as accepted by its POST and PUT" });
export type OtterMenus = z.output<typeof OtterMenus>;
