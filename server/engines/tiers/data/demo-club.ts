import { DEMO_SHOP_NAME } from "../../../core/shop.ts";
import type { ProgrammeDraft } from "../schema/programme.ts";
import type { z } from "zod";

/** The loyalty programme of the demo shop. */
export const DEMO_PROGRAMME_ID = "tpg_0DEM0BAKERYC1VB00000000001";

const year = { type: "rolling" as const, months: 12 };
const spend = (value: number) => ({ metric: "spend" as const, value, window: year });

export const demoProgramme: z.input<typeof ProgrammeDraft> = {
  name: "Bakery Club",
  grace_days: 14,
  start_date: "2020-01-01",
  mail: { send: true, shop_name: DEMO_SHOP_NAME, shop_url: "https://bakery.example/" },
  levels: [
    { id: "lvl_friend", name: "Friend", rank: 0, entry: { all: [] }, colour: "#8a6d4b" },
    {
      id: "lvl_silver",
      name: "Silver",
      rank: 1,
      entry: { any: [spend(20_000), { metric: "orders", value: 8, window: year }] },
      benefits: [{ kind: "free_delivery", title: "Free delivery" }],
      colour: "#a8a9ad",
    },
    {
      id: "lvl_gold",
      name: "Gold",
      rank: 2,
      entry: { all: [spend(60_000)] },
      retain: { all: [spend(50_000)] },
      benefits: [
        { kind: "free_delivery", title: "Free delivery" },
        { kind: "discount_offer", ref: "gold-10", value: 10, title: "10% off all coffee" },
        { kind: "early_access", value: 24, title: "New roasts a day early" },
      ],
      colour: "#c9a227",
    },
  ],
};

/** A customer's buying pattern: interval between orders, first and last age in days, and amount. */
export interface Habit {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly every: number;
  readonly amount: number;
  /** Every n-th order is partly refunded. */
  readonly refunds?: number;
  readonly channel?: string;
}

/** Ages are days before now. */
export const demoHabits: readonly Habit[] = [
  { name: "Ada Byron", from: 720, to: 2, every: 11, amount: 2600 },
  { name: "Bela Kovacs", from: 700, to: 5, every: 24, amount: 4400, channel: "shop" },
  { name: "Cyd Marsh", from: 640, to: 12, every: 30, amount: 1900 },
  { name: "Dora Lind", from: 600, to: 40, every: 18, amount: 2800 },
  { name: "Emil Okafor", from: 560, to: 21, every: 28, amount: 6900, channel: "catering" },
  { name: "Fay Whitlock", from: 540, to: 3, every: 35, amount: 2300, refunds: 5 },
  { name: "Hugo Wells", from: 640, to: 545, every: 12, amount: 3200 },
  { name: "Ivo Stern", from: 450, to: 360, every: 12, amount: 3200 },
  { name: "Gus Marrow", from: 520, to: 330, every: 14, amount: 4200 },
  { name: "Hana Sato", from: 500, to: 4, every: 16, amount: 3300 },
  { name: "Ines Duarte", from: 480, to: 130, every: 18, amount: 2100 },
  { name: "Jon Pike", from: 460, to: 15, every: 45, amount: 5200 },
  { name: "Kit Farrow", from: 430, to: 60, every: 60, amount: 1500 },
  { name: "Lea Brandt", from: 405, to: 1, every: 13, amount: 4900 },
  { name: "Max Osei", from: 396, to: 260, every: 15, amount: 2900 },
  { name: "Nell Carver", from: 372, to: 190, every: 20, amount: 2600 },
  { name: "Otto Vance", from: 350, to: 8, every: 40, amount: 3600 },
  { name: "Pia Romano", from: 330, to: 6, every: 21, amount: 1700 },
  { name: "Quinn Hale", from: 300, to: 210, every: 30, amount: 2200 },
  { name: "Rosa Lim", from: 280, to: 10, every: 25, amount: 7800, channel: "catering" },
  { name: "Sam Idris", from: 260, to: 20, every: 50, amount: 1600 },
  { name: "Tess Moran", from: 240, to: 2, every: 12, amount: 2400 },
  { name: "Uma Patel", from: 200, to: 9, every: 33, amount: 4000 },
  { name: "Vic Larsen", from: 170, to: 100, every: 35, amount: 1900, refunds: 2 },
  { name: "Wren Abbey", from: 140, to: 7, every: 19, amount: 2500 },
  { name: "Xan Gruber", from: 110, to: 30, every: 40, amount: 3100 },
  { name: "Yara Nunes", from: 90, to: 3, every: 14, amount: 3400 },
  { name: "Zeb Cole", from: 60, to: 18, every: 21, amount: 2700 },
  { name: "Amy Stone", from: 45, to: 4, every: 20, amount: 5200 },
  { name: "Ben Archer", from: 28, to: 5, every: 11, amount: 2100 },
  { name: "Cleo Banks", from: 16, to: 16, every: 30, amount: 21_500 },
  { name: "Dan Frost", from: 6, to: 6, every: 30, amount: 1800 },
];
