import type { Category } from "../schema.ts";
import type { Calendar } from "../schema/calendar.ts";
import type { GroupUse, Item, Variation } from "../schema/item.ts";
import type { Schedule } from "../schema/schedule.ts";
import { DEMO_IDS } from "./demo-ids.ts";
import { BLANK_ITEM } from "../formats/to-resources.ts";
import { newResource } from "../../../lib/new-resource.ts";

const { categories: C, items: I, groups: G, schedules: S, menus: M, variations: V } = DEMO_IDS;
const WORKDAYS: Schedule["rules"][number]["days"] = ["mon", "tue", "wed", "thu", "fri"];

/** Products of the allergens demo that correspond to the items, by item. */
export type DemoProducts = Readonly<Partial<Record<keyof typeof I, string>>>;

export function demoSchedules(nowAt: string): Schedule[] {
  const schedule = (
    id: string,
    title: string,
    rules: Schedule["rules"],
    rest: Partial<Schedule> = {},
  ): Schedule => ({
    ...newResource(id, nowAt),
    title: { en: title },
    rules,
    valid_from: null,
    valid_until: null,
    exceptions: [],
    holidays: null,
    ...rest,
  });
  const holidays = { calendar_id: DEMO_IDS.calendars.bankHolidays, closed: true, ranges: [] };
  return [
    schedule(
      S.breakfast,
      "Breakfast",
      [
        { days: WORKDAYS, start: "07:30", end: "11:00" },
        { days: ["sat", "sun"], start: "08:00", end: "12:00" },
      ],
      { holidays },
    ),
    schedule(S.lunch, "Lunch and dinner", [{ days: [...WORKDAYS, "sat"], start: "11:30", end: "21:00" }]),
    schedule(S.night, "Friday and Saturday night", [{ days: ["fri", "sat"], start: "22:00", end: "02:00" }]),
    schedule(S.evening, "Last hours of the bakery", [
      { days: [...WORKDAYS, "sat"], start: "17:00", end: "19:00" },
    ]),
  ];
}

/** Public holidays of England and Wales with a fixed date. */
export function demoCalendars(nowAt: string): Calendar[] {
  const year = nowAt.slice(0, 4);
  const days = [
    { date: `${year}-12-25`, title: "Christmas Day" },
    { date: `${year}-12-26`, title: "Boxing Day" },
    { date: `${Number(year) + 1}-01-01`, title: "New Year’s Day" },
  ];
  const times = { created_at: nowAt, updated_at: nowAt };
  return [{ id: DEMO_IDS.calendars.bankHolidays, ...times, title: { en: "Bank holidays" }, days }];
}

export function demoCategories(nowAt: string): Category[] {
  const category = (
    id: string,
    title: Category["title"],
    itemIds: readonly string[],
    rest: Partial<Category> = {},
  ): Category => ({
    ...newResource(id, nowAt),
    title,
    description: null,
    image: null,
    parent_id: null,
    menu_ids: [M.day],
    item_ids: [...itemIds],
    schedule_ids: [],
    sort_order: 0,
    visible: true,
    channels: [],
    ...rest,
  });
  const child = (parent: string, order: number): Partial<Category> => ({
    parent_id: parent,
    menu_ids: [],
    sort_order: order,
  });
  return [
    category(C.breads, { en: "Breads", cy: "Bara" }, [I.sourdough, I.rye, I.baguette], {
      description: { en: "Baked before six", cy: "Wedi'i bobi cyn chwech" },
      sort_order: 1,
    }),
    category(
      C.pastries,
      { en: "Pastries", cy: "Teisennau" },
      [I.croissant, I.almondCroissant, I.cinnamonBun],
      {
        sort_order: 2,
      },
    ),
    category(C.breakfast, { en: "Breakfast", cy: "Brecwast" }, [I.porridge, I.eggs, I.baconRoll], {
      schedule_ids: [S.breakfast],
      sort_order: 3,
    }),
    category(C.kitchen, { en: "Kitchen", cy: "Cegin" }, [I.burger, I.pizza], {
      schedule_ids: [S.lunch],
      sort_order: 4,
    }),
    category(C.sandwiches, { en: "Sandwiches" }, [I.hamSandwich], child(C.kitchen, 0)),
    category(C.salads, { en: "Soup and salad" }, [I.soup, I.salad], child(C.kitchen, 1)),
    category(C.drinks, { en: "Drinks", cy: "Diodydd" }, [], { sort_order: 5 }),
    category(C.coffee, { en: "Coffee", cy: "Coffi" }, [I.espresso, I.flatWhite, I.latte], child(C.drinks, 0)),
    category(C.cold, { en: "Cold drinks" }, [I.orangeJuice, I.beer], child(C.drinks, 1)),
    category(C.late, { en: "Late kitchen" }, [I.burger, I.wings, I.beer], {
      menu_ids: [M.late],
      sort_order: 1,
    }),
  ];
}

type ItemParts = Partial<Omit<Item, "title">> & Pick<Item, "price">;
const kcal = (min: number, max: number | null = null) => ({ min, max });
const use = (id: string, rest: Partial<GroupUse> = {}): GroupUse => ({
  group_id: id,
  hidden_modifier_ids: [],
  ...rest,
});
const variation = (id: string, title: string, price: number, rest: Partial<Variation> = {}): Variation => ({
  id,
  title: { en: title },
  price,
  sku: null,
  kcal: null,
  portion_text: null,
  ...rest,
});

type MakeItem = (key: keyof typeof I, title: Item["title"], parts: ItemParts) => Item;

/** Items of the demo shop. */
export function demoItems(nowAt: string, products: DemoProducts): Item[] {
  const item: MakeItem = (key, title, parts) => ({
    ...newResource(I[key], nowAt),
    title,
    description: null,
    ...BLANK_ITEM,
    product_id: products[key] ?? null,
    variations: [],
    modifier_groups: [],
    schedule_ids: [],
    ...parts,
  });
  return [...bakery(item), ...kitchen(item), ...drinks(item)];
}

const bakery = (item: MakeItem): Item[] => [
  item(
    "sourdough",
    { en: "Country sourdough", cy: "Surdoes" },
    {
      price: 480,
      sku: "BRD-SOU",
      kcal: kcal(2240),
      portion_text: { en: "900 g" },
      variations: [
        variation(V.sourdoughHalf, "Half", 260, { kcal: kcal(1120), portion_text: { en: "450 g" } }),
      ],
    },
  ),
  item("rye", { en: "Seeded rye" }, { price: 450, kcal: kcal(1980), portion_text: { en: "800 g" } }),
  item("baguette", { en: "Baguette" }, { price: 220, kcal: kcal(640), portion_text: { en: "250 g" } }),
  item(
    "croissant",
    { en: "Butter croissant" },
    { price: 260, kcal: kcal(310), portion_text: { en: "70 g" } },
  ),
  item("almondCroissant", { en: "Almond croissant" }, { price: 340, kcal: kcal(450) }),
  item("cinnamonBun", { en: "Cinnamon bun" }, { price: 320, kcal: kcal(410) }),
];

const kitchen = (item: MakeItem): Item[] => [
  item("porridge", { en: "Oat porridge" }, { price: 480, kcal: kcal(320), prep_time_minutes: 6, serves: 1 }),
  item(
    "eggs",
    { en: "Eggs on toast" },
    {
      price: 790,
      kcal: kcal(260),
      prep_time_minutes: 10,
      modifier_groups: [use(G.toast), use(G.spread)],
    },
  ),
  item("baconRoll", { en: "Bacon roll" }, { price: 590, kcal: kcal(430), prep_time_minutes: 8 }),
  item("hamSandwich", { en: "Ham and mustard sandwich" }, { price: 690, kcal: kcal(510) }),
  item(
    "burger",
    { en: "Cheeseburger" },
    {
      price: 1150,
      kcal: kcal(720),
      prep_time_minutes: 14,
      modifier_groups: [use(G.burger)],
      max_per_order: 20,
    },
  ),
  item("wings", { en: "Ten wings" }, { price: 950, kcal: kcal(880), modifier_groups: [use(G.sauces)] }),
  item(
    "pizza",
    { en: "Margherita" },
    {
      price: 1050,
      kcal: kcal(830),
      prep_time_minutes: 12,
      modifier_groups: [use(G.toppings)],
    },
  ),
  item(
    "soup",
    { en: "Soup of the day" },
    {
      price: null,
      kcal: kcal(180, 260),
      variations: [variation(V.soupLarge, "Bowl", 650, { portion_text: { en: "400 ml" } })],
    },
  ),
  item("salad", { en: "Grain salad" }, { price: 850, kcal: kcal(430), tags: ["vegan"] }),
];

const drinks = (item: MakeItem): Item[] => [
  item("espresso", { en: "Espresso" }, { price: 240, kcal: kcal(2), modifier_groups: [use(G.shots)] }),
  item(
    "flatWhite",
    { en: "Flat white" },
    {
      price: 320,
      kcal: kcal(4),
      modifier_groups: [use(G.milk), use(G.shots)],
    },
  ),
  item(
    "latte",
    { en: "Latte" },
    {
      price: 340,
      sku: "CAF-LAT",
      kcal: kcal(4),
      portion_text: { en: "12 oz" },
      variations: [variation(V.latteLarge, "Large", 390, { portion_text: { en: "16 oz" } })],
      modifier_groups: [use(G.milk), use(G.shots)],
    },
  ),
  item(
    "orangeJuice",
    { en: "Fresh orange juice" },
    { price: 380, kcal: kcal(110), portion_text: { en: "250 ml" } },
  ),
  item(
    "beer",
    { en: "Pale ale" },
    {
      price: 520,
      kcal: kcal(140),
      portion_text: { en: "330 ml" },
      alcohol: { abv: 4.2 },
      age_restricted: 18,
    },
  ),
];
