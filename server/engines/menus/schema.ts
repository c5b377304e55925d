import { z } from "zod";

import { WEEKDAYS } from "../../kernel/local-time.ts";
import {
  Currency,
  Id,
  Instant,
  LocalDate,
  LocalTime,
  Minor,
  resourceFields,
  TimeZone,
} from "../../kernel/schema.ts";

/** Named limits of the engine: everything a customer can fill has one. */
export const MENU_LIMITS = {
  menus: 50,
  categories: 500,
  items: 4_000,
  modifierGroups: 1_000,
  modifiers: 4_000,
  schedules: 200,
  priceLevels: 50,
  /** Top-level categories of a menu. */
  categoriesPerList: 100,
  /** Reordering them all must fit into one commit, with three operations for each. */
  childrenPerCategory: 50,
  itemsPerCategory: 500,
  menusPerCategory: 20,
  variations: 50,
  groupsPerItem: 30,
  modifiersPerGroup: 100,
  nestedGroups: 10,
  schedulesPerTarget: 10,
  rulesPerSchedule: 50,
  exceptionsPerSchedule: 400,
  overridesPerLevel: 1_500,
  locales: 20,
  images: 10,
  /** Levels of categories, and of modifier groups inside each other. */
  depth: 3,
  /** Categories that one change of a menu may add to it or take from it, in one commit. */
  linksPerChange: 40,
  linesPerOrder: 100,
  /** Items and modifiers whose stock one order may take, in one commit. */
  targetsPerOrder: 50,
  selectionsPerLine: 100,
} as const;

export const Locale = z
  .string()
  .regex(/^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|\d{3}))?$/, "Expected a language tag such as en or en-GB.");

/** Language of a text that was sent without one, until the store's own takes its place (RFC 5646: undetermined). */
export const UNTOLD = "und";

/** A text in one or more languages, by language tag. A plain text is taken as one in the store's own language. */
export function textOf(charsMax: number) {
  const words = z.string().trim().min(1).max(charsMax);
  const byLocale = z
    .record(Locale, words)
    .refine((texts) => Object.keys(texts).length > 0, "Give a text in at least one language.")
    .refine(
      (texts) => Object.keys(texts).length <= MENU_LIMITS.locales,
      `At most ${MENU_LIMITS.locales} languages.`,
    );
  return z
    .union([words, byLocale])
    .transform((text): Record<string, string> => (typeof text === "string" ? { [UNTOLD]: text } : text))
    .pipe(byLocale);
}
export const Title = textOf(150);
export const Description = textOf(2_000);
export type Text = z.output<typeof Title>;

export const Code = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, "Expected a code such as extra or gluten-free.");
export const Channel = z.enum(["delivery", "pickup", "dine_in", "catering", "kiosk"]);
export type Channel = z.output<typeof Channel>;
export const Channels = z
  .array(Channel)
  .max(5)
  .meta({ description: "Sales channels it is offered in; empty: all" });
export const Weekday = z.enum(WEEKDAYS);

const ScheduleIds = z
  .array(Id)
  .max(MENU_LIMITS.schedulesPerTarget)
  .meta({ description: "Open while one of them is; empty: always" });
const Sku = z.string().trim().min(1).max(64);
const Image = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).max(2_000),
  alt: Title.nullable().default(null),
});
const Minutes = z.int().min(0).max(43_200);
/** Energy in kcal; `max` is set where the dish has a range. */
export const Kcal = z
  .strictObject({
    min: z.int().min(0).max(100_000),
    max: z.int().min(0).max(100_000).nullable().default(null),
  })
  .refine(({ min, max }) => max === null || min <= max, { path: ["max"], message: "Lies below min." });
export type Kcal = z.output<typeof Kcal>;
/** A factor of a price, as a decimal with at most four places. */
const Factor = z
  .number()
  .min(0)
  .max(100)
  .refine((factor) => hasPlaces(factor, 4), "At most four decimal places.");

/** What a resource is called in the systems that it was imported from. Only imports write it. */
const ExternalRefs = z
  .array(z.strictObject({ system: Code, id: z.string().min(1).max(128) }))
  .max(10)
  .optional()
  .meta({ description: "Its ids in other systems; kept by imports and used by exports" });

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

/** What a version of a menu holds of the menu itself. */
export const menuFields = {
  title: Title,
  description: Description.nullable(),
  channels: Channels,
  currency: Currency,
  time_zone: TimeZone,
  schedule_ids: ScheduleIds,
  category_ids: z
    .array(Id)
    .max(MENU_LIMITS.categoriesPerList)
    .meta({ description: "Top-level categories, in order; kept in step with their menu_ids" }),
  price_level_id: Id.nullable().meta({ description: "A price level that always takes part" }),
  valid_from: LocalDate.nullable().meta({ description: "First day" }),
  valid_until: LocalDate.nullable().meta({ description: "Last day" }),
  audience: z.enum(["all", "children"]),
  external_refs: ExternalRefs,
};
export const MenuStatus = z.enum(["draft", "published", "archived"]);
export const Scheduled = z.object({ version: z.int().min(1), at: Instant });
export const Menu = z.object({
  ...resourceFields,
  ...menuFields,
  status: MenuStatus,
  latest_version: z.int().min(0).meta({ description: "Number of the version made last; 0: none yet" }),
  published_version: z.int().min(1).nullable(),
  published_at: Instant.nullable().meta({ description: "Since when published_version is live" }),
  scheduled: Scheduled.nullable().meta({ description: "The version that goes live next, and when" }),
});
export type Menu = z.output<typeof Menu>;

export const categoryFields = {
  title: Title,
  description: Description.nullable(),
  image: Image.nullable(),
  parent_id: Id.nullable(),
  menu_ids: z
    .array(Id)
    .max(MENU_LIMITS.menusPerCategory)
    .meta({ description: "Menus that show it at their top level; empty when it has a parent" }),
  item_ids: z.array(Id).max(MENU_LIMITS.itemsPerCategory).meta({ description: "In the order of showing" }),
  schedule_ids: ScheduleIds,
  sort_order: z.int().min(0).max(999_999).meta({ description: "Order among the children of one parent" }),
  visible: z.boolean(),
  channels: Channels,
  external_refs: ExternalRefs,
};
export const Category = z.object({ ...resourceFields, ...categoryFields });
export type Category = z.output<typeof Category>;

export const Variation = z.strictObject({
  id: Id,
  title: Title,
  price: Minor,
  sku: Sku.nullable().default(null),
  kcal: Kcal.nullable().default(null),
  portion_text: Title.nullable().default(null),
  external_refs: ExternalRefs,
});
export type Variation = z.output<typeof Variation>;

/** A modifier group on an item; what is left out holds as the group itself says. */
export const GroupUse = z.strictObject({
  group_id: Id,
  min: z.int().min(0).max(1_000).optional(),
  max: z.int().min(1).max(1_000).nullable().optional(),
  hidden_modifier_ids: z.array(Id).max(MENU_LIMITS.modifiersPerGroup).default([]),
});
export type GroupUse = z.output<typeof GroupUse>;

export const itemFields = {
  title: Title,
  description: Description.nullable(),
  sku: Sku.nullable(),
  product_id: Id.nullable().meta({ description: "The product of /v1/allergens that it is" }),
  price: Minor.nullable().meta({ description: "Null only where every sale is of a variation" }),
  tax_rate_id: z.string().min(1).max(64).nullable(),
  tax_inclusive: z.boolean(),
  variations: z.array(Variation).max(MENU_LIMITS.variations),
  modifier_groups: z
    .array(GroupUse)
    .max(MENU_LIMITS.groupsPerItem)
    .meta({ description: "In the order of asking" }),
  kcal: Kcal.nullable(),
  portion_text: Title.nullable().meta({ description: "Such as 350 g" }),
  serves: z.int().min(1).max(1_000).nullable(),
  tags: z.array(Code).max(20),
  alcohol: z
    .strictObject({ abv: z.number().min(0).max(100).nullable().default(null) })
    .nullable()
    .meta({ description: "Null: not alcoholic; abv in per cent by volume" }),
  age_restricted: z.int().min(1).max(99).nullable().meta({ description: "Lowest age of a buyer" }),
  prep_time_minutes: Minutes.nullable(),
  lead_time_minutes: Minutes.nullable(),
  max_per_order: z.int().min(1).max(10_000).nullable(),
  schedule_ids: ScheduleIds,
  channels: Channels,
  images: z.array(Image).max(MENU_LIMITS.images),
  external_refs: ExternalRefs,
};
export const Item = z.object({ ...resourceFields, ...itemFields });
export type Item = z.output<typeof Item>;

/** A word before or after a modifier that changes its price: EXTRA, LIGHT, ON THE SIDE. */
export const PreModifier = z
  .strictObject({
    code: Code,
    title: Title,
    factor: Factor.nullable().default(null),
    fixed_price: Minor.nullable().default(null),
    position: z.enum(["prefix", "suffix"]).default("prefix"),
  })
  .refine(({ factor, fixed_price }) => factor === null || fixed_price === null, {
    path: ["fixed_price"],
    message: "Give factor or fixed_price, not both.",
  });
export type PreModifier = z.output<typeof PreModifier>;
/** A part of the dish that a modifier goes on: left half, whole. */
export const Portion = z.strictObject({ code: Code, title: Title, scale: Factor });
export type Portion = z.output<typeof Portion>;

export const modifierGroupFields = {
  title: Title,
  min: z.int().min(0).max(1_000).meta({ description: "Least units over all modifiers" }),
  max: z
    .int()
    .min(1)
    .max(1_000)
    .nullable()
    .meta({ description: "Most units over all modifiers; null: no limit" }),
  min_distinct: z.int().min(0).max(100).nullable().meta({ description: "Least different modifiers" }),
  max_distinct: z.int().min(1).max(100).nullable().meta({ description: "Most different modifiers" }),
  free_quantity: z.int().min(0).max(1_000).meta({ description: "Units that cost nothing" }),
  free_policy: z.enum(["cheapest_first", "first_selected"]),
  defaults_charged: z.boolean().meta({ description: "Whether default modifiers cost their price" }),
  substitution: z.boolean().meta({
    description: "Whether a modifier in place of a removed default costs the difference only",
  }),
  modifier_ids: z.array(Id).max(MENU_LIMITS.modifiersPerGroup),
  display_mode: z.enum(["required", "forced", "optional"]),
  pre_modifiers: z.array(PreModifier).max(20),
  portions: z.array(Portion).max(10),
  external_refs: ExternalRefs,
};
export const ModifierGroup = z.object({ ...resourceFields, ...modifierGroupFields });
export type ModifierGroup = z.output<typeof ModifierGroup>;

export const modifierFields = {
  title: Title,
  price: Minor,
  sku: Sku.nullable(),
  item_id: Id.nullable().meta({
    description: "The item it is, when it is sold by itself too: they share stock",
  }),
  product_id: Id.nullable().meta({ description: "The product of /v1/allergens that it adds" }),
  default: z.boolean(),
  max_quantity: z.int().min(1).max(1_000),
  nested_group_ids: z.array(Id).max(MENU_LIMITS.nestedGroups),
  removes: z
    .array(Code)
    .max(20)
    .meta({ description: "Allergen codes that it takes away, as no cheese does milk" }),
  removes_ingredient_ids: z.array(Id).max(20).meta({
    description: "Ingredients of /v1/allergens that it takes away; without them removes is judged cautiously",
  }),
  kcal: Kcal.nullable(),
  external_refs: ExternalRefs,
};
export const Modifier = z.object({ ...resourceFields, ...modifierFields });
export type Modifier = z.output<typeof Modifier>;

const TimeRange = z.strictObject({
  start: LocalTime,
  end: LocalTime.meta({ description: "At or before start: the next day; 00:00 to 00:00 is the whole day" }),
});
export type TimeRange = z.output<typeof TimeRange>;
export const scheduleFields = {
  title: Title,
  rules: z
    .array(TimeRange.extend({ days: z.array(Weekday).min(1).max(7) }))
    .max(MENU_LIMITS.rulesPerSchedule),
  valid_from: LocalDate.nullable().meta({ description: "First day on which a range may start" }),
  valid_until: LocalDate.nullable().meta({ description: "Last day on which a range may start" }),
  exceptions: z
    .array(
      z.strictObject({
        date: LocalDate,
        closed: z.boolean().default(false),
        ranges: z
          .array(TimeRange)
          .max(10)
          .default([])
          .meta({ description: "In place of the rules; empty when closed" }),
      }),
    )
    .max(MENU_LIMITS.exceptionsPerSchedule),
};
export const Schedule = z.object({ ...resourceFields, ...scheduleFields });
export type Schedule = z.output<typeof Schedule>;

export const Override = z
  .strictObject({
    target_id: Id.nullable()
      .default(null)
      .meta({ description: "Item, variation or modifier; null: all items and variations" }),
    price: Minor.nullable().default(null),
    percent: z
      .number()
      .min(-100)
      .max(1_000)
      .refine((percent) => hasPlaces(percent, 2), "At most two decimal places.")
      .nullable()
      .default(null)
      .meta({ description: "Change of the price: 15 is dearer by 15 %, -20 is cheaper by 20 %" }),
  })
  .refine(({ price, percent }) => (price === null) !== (percent === null), "Give either price or percent.");
export type Override = z.output<typeof Override>;
export const priceLevelFields = {
  title: Title,
  menu_id: Id.nullable().meta({ description: "Menu in which it holds; null: all" }),
  channel: Channel.nullable().meta({ description: "Channel in which it holds; null: all" }),
  schedule_id: Id.nullable().meta({ description: "When it holds; null: always" }),
  automatic: z.boolean().meta({ description: "False: it holds only where a request or a menu names it" }),
  priority: z.int().min(-1000).max(1000).meta({ description: "The highest that has a price wins" }),
  overrides: z.array(Override).max(MENU_LIMITS.overridesPerLevel),
  round_to: z
    .int()
    .min(1)
    .max(10_000)
    .nullable()
    .meta({ description: "Prices by percent end on a multiple of it" }),
  external_refs: ExternalRefs,
};
export const PriceLevel = z.object({ ...resourceFields, ...priceLevelFields });
export type PriceLevel = z.output<typeof PriceLevel>;

export const StockTarget = z.enum(["item", "modifier"]);
export const StockStatus = z.enum(["in_stock", "quantity", "out_of_stock"]);
export const Suspension = z.object({
  channel: Channel.nullable().meta({ description: "Null: all channels" }),
  until: Instant.nullable().meta({
    description: "Available again at this instant; null: when it is restored",
  }),
  reason: z.string().max(200).nullable(),
  since: Instant,
});
export type Suspension = z.output<typeof Suspension>;
export const stockFields = {
  status: StockStatus,
  quantity: z.int().min(0).max(1_000_000).nullable().meta({ description: "What is left; null: not counted" }),
  low_threshold: z.int().min(0).max(1_000_000).nullable().meta({ description: "Null: the settings' own" }),
};
/** What is left of an item or a modifier; its id is the id of what it is about. */
export const Stock = z.object({
  ...resourceFields,
  target: StockTarget,
  ...stockFields,
  suspensions: z.array(Suspension).max(6).meta({ description: "One for each channel, one for all of them" }),
});
export type Stock = z.output<typeof Stock>;

/** Everything that a menu shows, by reference: what a version holds and what is imported and exported. Lists are in order of id. */
export const MenuTree = z.object({
  menu: z.object({ id: Id, ...menuFields }),
  categories: z.array(z.object({ id: Id, ...categoryFields })),
  items: z.array(z.object({ id: Id, ...itemFields })),
  modifier_groups: z.array(z.object({ id: Id, ...modifierGroupFields })),
  modifiers: z.array(z.object({ id: Id, ...modifierFields })),
  schedules: z.array(z.object({ id: Id, ...scheduleFields })),
  price_levels: z.array(z.object({ id: Id, ...priceLevelFields })),
});
export type MenuTree = z.output<typeof MenuTree>;
export type TreeMenu = MenuTree["menu"];
export type TreeCategory = MenuTree["categories"][number];
export type TreeItem = MenuTree["items"][number];
export type TreeGroup = MenuTree["modifier_groups"][number];
export type TreeModifier = MenuTree["modifiers"][number];
export type TreeSchedule = MenuTree["schedules"][number];
export type TreePriceLevel = MenuTree["price_levels"][number];

function hasPlaces(value: number, places: number): boolean {
  const [, fraction = ""] = String(value).split(".");
  return !String(value).includes("e") && fraction.length <= places;
}
