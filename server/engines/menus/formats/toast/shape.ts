import { z } from "zod";

/**
 * A response of Toast's menus API v2 (GET /menus/v2/menus) according to its OpenAPI document. Prices are decimal
 * numbers;
 * groups and options are maps by referenceId; a null maxSelections means no limit.
 */

const Guid = z.string().min(1).max(128);
const Name = z.string().trim().min(1).max(1_000);
const Description = z.string().max(65_535).nullish();
const Price = z.number().min(0).max(10_000_000).nullish();
const Reference = z.int().min(0);
const YesNo = z.enum(["YES", "NO"]).nullish();
const Visibility = z
  .array(z.enum(["POS", "KIOSK", "GRUBHUB", "TOAST_ONLINE_ORDERING", "ORDERING_PARTNERS"]))
  .nullish();
const Range = z.looseObject({ start: z.string().max(12), end: z.string().max(12) });
const Schedule = z.looseObject({
  days: z
    .array(z.enum(["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"]))
    .max(7),
  timeRanges: z.array(Range).max(50),
});
export type ToastSchedule = z.output<typeof Schedule>;
const Rules = z
  .looseObject({
    timeSpecificPricingRules: z
      .array(
        z.looseObject({
          timeSpecificPrice: Price,
          basePrice: Price,
          schedule: z.array(Schedule).max(50).nullish(),
        }),
      )
      .max(20)
      .nullish(),
    sizeSpecificPricingGuid: z.string().nullish(),
    sizeSequencePricingRules: z
      .array(
        z.looseObject({
          sizeName: z.string().nullish(),
          sizeGuid: z.string().nullish(),
          sequencePrices: z
            .array(z.looseObject({ sequence: z.int(), price: Price }))
            .max(100)
            .nullish(),
        }),
      )
      .max(50)
      .nullish(),
  })
  .nullish();
const Advisories = z.looseObject({ alcohol: z.looseObject({ containsAlcohol: YesNo }).nullish() }).nullish();
const Portion = z.looseObject({
  name: Name,
  guid: Guid,
  modifierGroupReferences: z.array(Reference).max(30).nullish(),
  priceScaleFactor: z.number().min(0).max(100).nullish(),
});

const Item = z.looseObject({
  name: Name,
  guid: Guid,
  description: Description,
  image: z.string().max(2_000).nullish(),
  visibility: Visibility,
  price: Price,
  pricingStrategy: z
    .enum(["BASE_PRICE", "MENU_SPECIFIC_PRICE", "TIME_SPECIFIC_PRICE", "SIZE_PRICE", "OPEN_PRICE"])
    .nullish(),
  pricingRules: Rules,
  taxInclusion: z.enum(["TAX_INCLUDED", "TAX_NOT_INCLUDED", "SMART_TAX"]).nullish(),
  itemTags: z
    .array(z.looseObject({ name: z.string().min(1).max(100), guid: z.string().nullish() }))
    .max(20)
    .nullish(),
  sku: z.string().max(64).nullish(),
  calories: z.int().nullish(),
  contentAdvisories: Advisories,
  portions: z.array(Portion).max(10).nullish(),
  prepTime: z.int().min(0).nullish(),
  modifierGroupReferences: z.array(Reference).max(30).nullish(),
});
export type ToastItem = z.output<typeof Item>;

const groupFields = {
  name: Name,
  guid: Guid,
  description: Description,
  image: z.string().max(2_000).nullish(),
  visibility: Visibility,
  menuItems: z.array(Item).max(500).nullish(),
};
const TooDeep = z.array(z.never("Groups can be nested at most 3 levels deep.")).nullish();
const Group3 = z.looseObject({ ...groupFields, menuGroups: TooDeep });
const Group2 = z.looseObject({ ...groupFields, menuGroups: z.array(Group3).max(100).nullish() });
const Group1 = z.looseObject({ ...groupFields, menuGroups: z.array(Group2).max(100).nullish() });
export type ToastGroup = z.output<typeof Group1> | z.output<typeof Group2> | z.output<typeof Group3>;

const Menu = z.looseObject({
  name: Name,
  guid: Guid,
  description: Description,
  visibility: Visibility,
  availability: z
    .looseObject({ alwaysAvailable: z.boolean().nullish(), schedule: z.array(Schedule).max(50).nullish() })
    .nullish(),
  menuGroups: z.array(Group1).max(100).nullish(),
});
export type ToastMenu = z.output<typeof Menu>;

const ModifierGroup = z.looseObject({
  name: Name,
  guid: Guid,
  referenceId: Reference,
  pricingStrategy: z.string().nullish(),
  pricingRules: Rules,
  defaultOptionsChargePrice: YesNo,
  defaultOptionsSubstitutionPricing: YesNo,
  minSelections: z.int().min(0).max(1_000).nullish(),
  maxSelections: z.int().min(1).max(1_000).nullish(),
  requiredMode: z.enum(["REQUIRED", "OPTIONAL_FORCE_SHOW", "OPTIONAL"]).nullish(),
  isMultiSelect: z.boolean().nullish(),
  preModifierGroupReference: Reference.nullish(),
  modifierOptionReferences: z.array(Reference).max(100).nullish(),
});
export type ToastModifierGroup = z.output<typeof ModifierGroup>;

const Option = z.looseObject({
  name: Name,
  guid: Guid,
  referenceId: Reference,
  description: Description,
  price: Price,
  pricingStrategy: z.string().nullish(),
  sku: z.string().max(64).nullish(),
  calories: z.int().nullish(),
  contentAdvisories: Advisories,
  isDefault: z.boolean().nullish(),
  allowsDuplicates: z.boolean().nullish(),
  modifierGroupReferences: z.array(Reference).max(10).nullish(),
});
export type ToastOption = z.output<typeof Option>;

const PreModifierGroup = z.looseObject({
  name: z.string().nullish(),
  guid: Guid,
  referenceId: Reference.nullish(),
  preModifiers: z
    .array(
      z.looseObject({
        name: Name,
        guid: Guid,
        fixedPrice: Price,
        multiplicationFactor: z.number().min(0).max(100).nullish(),
        displayMode: z.enum(["PREFIX", "SUFFIX"]).nullish(),
      }),
    )
    .max(20)
    .nullish(),
});
export type ToastPreModifierGroup = z.output<typeof PreModifierGroup>;

const References = <S extends z.ZodType>(schema: S) =>
  z.record(z.string().regex(/^\d{1,16}$/, "Expected a referenceId."), schema).nullish();
export const ToastMenus = z
  .looseObject({
    restaurantGuid: z.string().nullish(),
    lastUpdated: z.string().nullish(),
    restaurantTimeZone: z.string().max(64).nullish(),
    menus: z.array(Menu).min(1).max(20),
    modifierGroupReferences: References(ModifierGroup),
    modifierOptionReferences: References(Option),
    preModifierGroupReferences: References(PreModifierGroup),
  })
  .meta({ description: "A response of Toast's menus API, version 2" });
export type ToastMenus = z.output<typeof ToastMenus>;
