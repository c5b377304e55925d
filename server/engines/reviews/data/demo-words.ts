import type { Review } from "../schema.ts";
import { SWEET_LINES } from "./demo-sweets.ts";

/** What the customers of a small bakery wrote. The stories are made up; nobody in them is anybody. */
export interface DemoReview {
  readonly product: keyof typeof DEMO_PRODUCTS;
  readonly stars: number;
  readonly title: string;
  readonly body: string;
  readonly name: string;
  readonly more?: {
    readonly status?: Review["status"];
    readonly level?: Review["verification"]["level"];
    readonly incentive?: Review["incentive"]["type"];
    readonly relationship?: Review["relationship"];
    readonly reply?: string;
    readonly reason?: Review["moderation"]["reason"];
    readonly featured?: true;
    readonly up?: number;
    readonly down?: number;
    readonly imported?: true;
  };
}

export const DEMO_PRODUCTS = {
  sourdough: { name: "Sourdough loaf", sku: "LOAF-SD" },
  rye: { name: "Dark rye", sku: "LOAF-RY" },
  croissant: { name: "All-butter croissant", sku: "PAS-CR" },
  bun: { name: "Cinnamon bun", sku: "PAS-CB" },
  cake: { name: "Carrot cake", sku: "CAKE-CA" },
  coffee: { name: "House espresso, 250 g", sku: "COF-250" },
  jam: { name: "Raspberry jam", sku: "JAM-RA" },
} as const;

const PLACES = ["Leeds", "York", "Bath", "Hull", null, "Ely", null, "Stroud", "Derby", null] as const;
export const placeOf = (at: number): string | null => PLACES[at % PLACES.length] ?? null;

export type DemoLine = [
  product: DemoReview["product"],
  stars: number,
  title: string,
  body: string,
  name: string,
  more?: DemoReview["more"],
];

const LINES: readonly DemoLine[] = [
  [
    "sourdough",
    5,
    "The crust sings",
    "It crackled all the way home on the bus, and the crumb is open without the holes that jam falls through.",
    "Ada",
    { up: 14, down: 1, featured: true, reply: "Thank you, Ada. The bus driver must have wondered!" },
  ],
  [
    "sourdough",
    5,
    "Best toast",
    "Toasts beautifully on the third day. We stopped buying anything else.",
    "Ben",
    { up: 6 },
  ],
  [
    "sourdough",
    4,
    "Lovely, a little dark",
    "A great loaf. For my taste the bake is a shade too dark, but others in the house disagree.",
    "Cleo",
    { up: 5, down: 1, reply: "We can set a paler one aside for you, just say so at the counter." },
  ],
  [
    "sourdough",
    2,
    "Dense middle",
    "Mine was gummy in the middle and I had to toast every slice. The next one was better.",
    "Dev",
    {
      up: 9,
      down: 2,
      reply: "That was the batch of 3 March, which we baked too short. Your next loaf is on us.",
    },
  ],
  ["sourdough", 5, "Every Saturday", "Queued in the rain for it twice. Would queue a third time.", "Ella"],
  [
    "sourdough",
    3,
    "Good, not cheap",
    "Tastes as it should. At this price I expected it to be larger.",
    "Finn",
    { up: 4, down: 3 },
  ],
  [
    "sourdough",
    5,
    "Like my grandmother's",
    "She baked one like this in a wood oven. That is all I have to say.",
    "Greta",
    { up: 11 },
  ],
  [
    "sourdough",
    4,
    "Keeps well",
    "Four days in a linen bag and still fine. The smell of the starter is mild.",
    "Hana",
  ],
  ["sourdough", 5, "", "Perfect.", "Ivo", { level: "none" }],
  [
    "sourdough",
    5,
    "Free loaf, honest words",
    "I was given one to try at the open day. I have bought three since.",
    "Jo",
    { incentive: "free_product", up: 2 },
  ],
  [
    "sourdough",
    1,
    "Never came",
    "The parcel was lost and nobody answered for a week.",
    "Kit",
    { status: "rejected", reason: "off_topic" },
  ],
  [
    "sourdough",
    5,
    "GREAT DEALS",
    "Visit www.cheap-bread-deals.example for discounts on everything!!!",
    "Deals",
    { status: "spam", reason: "spam", level: "none" },
  ],
  [
    "sourdough",
    4,
    "New favourite",
    "First order. Arrived still warm, which I had not expected by bicycle.",
    "Lena",
    { status: "pending" },
  ],
  [
    "rye",
    5,
    "Proper rye",
    "Dark, sour and dense as it has to be. With smoked fish there is nothing better.",
    "Mats",
    { up: 8 },
  ],
  [
    "rye",
    5,
    "Stays moist",
    "Sliced thin it lasts us ten days. The seeds are not stale, which is rare.",
    "Nora",
  ],
  [
    "rye",
    4,
    "Strong flavour",
    "Not for children, as we found out, but the two of us love it.",
    "Omar",
    { up: 3 },
  ],
  [
    "rye",
    3,
    "Crumbles",
    "Good flavour, but it falls apart when one cuts it on the first day. The card in the bag said so, to be fair.",
    "Pia",
    { up: 6, reply: "One night in the bag and it cuts like butter, we promise." },
  ],
  ["rye", 5, "Tastes of home", "I grew up near Turku. This is close.", "Quirin", { up: 7 }],
  [
    "rye",
    2,
    "Too sour",
    "Much too sour for me. No fault of the bakers, I suppose.",
    "Ruth",
    { up: 2, down: 2 },
  ],
  ["rye", 5, "", "Ordered again before it was finished.", "Sam"],
  [
    "rye",
    4,
    "Good slicer",
    "Even slices, no waste, and it freezes without turning to dust.",
    "Tess",
    { level: "verified_buyer" },
  ],
  [
    "rye",
    5,
    "From the old shop page",
    "Best rye in the county, hands down.",
    "Una",
    { imported: true, level: "none" },
  ],
  [
    "croissant",
    5,
    "All the layers",
    "You can count them. We did, and got to nineteen before it was gone.",
    "Vic",
    { up: 13, featured: true },
  ],
  [
    "croissant",
    5,
    "Butter!",
    "Smells of butter and of nothing else. Leaves the right amount of crumbs on a jumper.",
    "Wren",
    { up: 4 },
  ],
  [
    "croissant",
    4,
    "Come early",
    "Excellent at eight, sold out at nine. Bake more of these, please.",
    "Xena",
    { reply: "We hear you: from May there is a second batch at ten." },
  ],
  [
    "croissant",
    5,
    "Better than on holiday",
    "My husband, who is from Lyon, said nothing for five minutes.",
    "Yara",
    { up: 10, down: 1 },
  ],
  [
    "croissant",
    3,
    "Good when warm",
    "Wonderful out of the oven and rather ordinary by the afternoon.",
    "Zach",
    { up: 3, down: 1 },
  ],
  [
    "croissant",
    5,
    "Points well spent",
    "I got loyalty points for writing this, and would have written it without.",
    "Abel",
    { incentive: "points" },
  ],
  [
    "croissant",
    1,
    "Burnt underneath",
    "Three of six were black underneath. For a birthday breakfast that was a pity.",
    "Bea",
    {
      up: 7,
      reply:
        "We are sorry, Bea: our second oven ran hot that morning. It is mended, and the six are refunded.",
    },
  ],
  ["croissant", 4, "", "Very good, slightly small.", "Carl"],
  ["croissant", 5, "Ours since March", "Every Sunday since we moved here.", "Dora"],
  [
    "croissant",
    5,
    "Flaky in a good way",
    "Shatters, then melts. The paper bag was see-through by the time I got home.",
    "Egon",
  ],
];

export const DEMO_REVIEWS: readonly DemoReview[] = [...LINES, ...SWEET_LINES].map(
  ([product, stars, title, body, name, more]) => ({
    product,
    stars,
    title,
    body,
    name,
    ...(more === undefined ? {} : { more }),
  }),
);
