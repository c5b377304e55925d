import { DEMO_IDS } from "../data/demo-ids.ts";

/** Documents used in the examples of the routes: those of the demo shop. */
const times = { created_at: "2026-06-01T09:00:00.000Z", updated_at: "2026-06-01T09:00:00.000Z" };

export const exampleMenu = {
  id: DEMO_IDS.menus.day,
  ...times,
  title: { en: "Bakery and kitchen" },
  description: null,
  channels: [],
  currency: "GBP",
  time_zone: "Europe/London",
  schedule_ids: [],
  category_ids: [DEMO_IDS.categories.breads, DEMO_IDS.categories.breakfast],
  price_level_id: null,
  valid_from: null,
  valid_until: null,
  audience: "all" as const,
  status: "published" as const,
  latest_version: 1,
  published_version: 1,
  published_at: "2026-06-01T09:00:00.000Z",
  scheduled: null,
  version: 12,
};

export const exampleCategory = {
  id: DEMO_IDS.categories.breads,
  ...times,
  title: { en: "Breads", cy: "Bara" },
  description: { en: "Baked before six" },
  image: null,
  parent_id: null,
  menu_ids: [DEMO_IDS.menus.day],
  item_ids: [DEMO_IDS.items.sourdough],
  schedule_ids: [],
  sort_order: 1,
  visible: true,
  channels: [],
  version: 13,
};

export const exampleItem = {
  id: DEMO_IDS.items.latte,
  ...times,
  title: { en: "Latte" },
  description: { en: "Two shots and steamed milk" },
  sku: "CAF-LAT",
  product_id: null,
  price: 340,
  tax_rate_id: null,
  tax_inclusive: true,
  variations: [
    {
      id: DEMO_IDS.variations.latteLarge,
      title: { en: "Large" },
      price: 390,
      sku: null,
      kcal: { min: 240, max: null },
      portion_text: { en: "16 oz" },
    },
  ],
  modifier_groups: [{ group_id: DEMO_IDS.groups.milk, hidden_modifier_ids: [] }],
  kcal: { min: 180, max: null },
  portion_text: { en: "12 oz" },
  serves: 1,
  tags: ["hot"],
  alcohol: null,
  age_restricted: null,
  prep_time_minutes: 4,
  lead_time_minutes: null,
  max_per_order: 20,
  schedule_ids: [],
  channels: [],
  images: [],
  version: 14,
};

export const exampleGroup = {
  id: DEMO_IDS.groups.milk,
  ...times,
  title: { en: "Milk" },
  min: 1,
  max: 1,
  min_distinct: null,
  max_distinct: null,
  free_quantity: 0,
  free_policy: "cheapest_first" as const,
  defaults_charged: false,
  substitution: false,
  modifier_ids: [DEMO_IDS.modifiers.wholeMilk, DEMO_IDS.modifiers.oatMilk],
  display_mode: "required" as const,
  pre_modifiers: [],
  portions: [],
  version: 15,
};

export const exampleModifier = {
  id: DEMO_IDS.modifiers.oatMilk,
  ...times,
  title: { en: "Oat milk" },
  price: 40,
  sku: null,
  item_id: null,
  product_id: null,
  default: false,
  max_quantity: 1,
  nested_group_ids: [],
  removes: [],
  removes_ingredient_ids: [],
  kcal: { min: 20, max: null },
  version: 16,
};

export const exampleSchedule = {
  id: DEMO_IDS.schedules.breakfast,
  ...times,
  title: { en: "Breakfast" },
  rules: [
    {
      days: ["mon" as const, "tue" as const, "wed" as const, "thu" as const, "fri" as const],
      start: "07:30",
      end: "11:00",
    },
    { days: ["sat" as const, "sun" as const], start: "08:00", end: "12:00" },
  ],
  valid_from: null,
  valid_until: null,
  exceptions: [{ date: "2026-12-25", closed: true, ranges: [] }],
  holidays: { calendar_id: DEMO_IDS.calendars.bankHolidays, closed: true, ranges: [] },
  version: 17,
};

export const exampleCalendar = {
  id: DEMO_IDS.calendars.bankHolidays,
  ...times,
  title: { en: "Bank holidays" },
  days: [
    { date: "2026-12-25", title: "Christmas Day" },
    { date: "2026-12-28", title: "Boxing Day (substitute day)" },
  ],
  version: 19,
};

export const examplePriceLevel = {
  id: DEMO_IDS.priceLevels.delivery,
  ...times,
  title: { en: "Delivery" },
  menu_id: null,
  channel: "delivery" as const,
  schedule_id: null,
  automatic: true,
  priority: 10,
  overrides: [{ target_id: null, price: null, percent: 15 }],
  round_to: 5,
  version: 18,
};

export const exampleStock = {
  id: DEMO_IDS.items.sourdough,
  ...times,
  target: "item" as const,
  status: "quantity" as const,
  quantity: 18,
  low_threshold: 6,
  suspensions: [],
  available: true,
  low: false,
  version: 19,
};

export const exampleVersion = {
  id: `${DEMO_IDS.menus.day}.1`,
  ...times,
  menu_id: DEMO_IDS.menus.day,
  n: 1,
  by: null,
  hash: "9f2c1ad0e5b84c7763fd0aa1b2c3d4e5f60718293a4b5c6d7e8f901122334455",
  categories: 8,
  items: 18,
  modifiers: 20,
  bytes: 21_804,
  chunks: 1,
  version: 20,
};
