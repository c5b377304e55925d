import type { Guide } from "./guide.ts";

/** A request of the guide. `{name}` in the path or the body is an id of an earlier response. */
export interface GuideRequest {
  readonly title: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH";
  readonly path: string;
  readonly body?: unknown;
}

/** Name, price in minor units, ingredients as on the label. */
const PRODUCTS: readonly (readonly [string, number, string])[] = [
  ["White sourdough", 420, "wheat flour, water, salt"],
  ["Rye sourdough", 450, "rye flour, water, salt"],
  ["Wholemeal loaf", 400, "wholemeal wheat flour, water, salt, yeast"],
  ["Seeded loaf", 460, "wheat flour, water, sunflower seeds, sesame seeds, salt, yeast"],
  ["Oat loaf", 440, "wheat flour, oat flakes, water, salt, yeast"],
  ["Baguette", 220, "wheat flour, water, salt, yeast"],
  ["Ciabatta", 240, "wheat flour, water, olive oil, salt, yeast"],
  ["Focaccia", 380, "wheat flour, water, olive oil, rosemary, salt, yeast"],
  ["Burger bun", 120, "wheat flour, milk, butter, eggs, sugar, salt, yeast"],
  ["Bagel", 160, "wheat flour, water, barley malt, salt, yeast"],
  ["Croissant", 260, "wheat flour, butter, milk, sugar, salt, yeast"],
  ["Almond croissant", 340, "wheat flour, butter, almonds, eggs, milk, sugar, salt, yeast"],
  ["Chocolate croissant", 320, "wheat flour, butter, dark chocolate (cocoa mass, sugar), milk, salt, yeast"],
  ["Cinnamon bun", 310, "wheat flour, butter, milk, sugar, cinnamon, salt, yeast"],
  ["Cardamom bun", 310, "wheat flour, butter, milk, sugar, cardamom, salt, yeast"],
  ["Currant bun", 210, "wheat flour, milk, butter, currants, sugar, salt, yeast"],
  ["Plain scone", 230, "wheat flour, butter, milk, sugar, salt"],
  ["Cheese scone", 260, "wheat flour, butter, cheddar (milk), milk, mustard, salt"],
  ["Lemon drizzle cake", 330, "wheat flour, butter, eggs, sugar, lemon juice"],
  ["Carrot cake", 360, "wheat flour, carrots, eggs, walnuts, sugar, rapeseed oil"],
  ["Brownie", 320, "butter, sugar, eggs, cocoa powder, wheat flour"],
  ["Hazelnut cookie", 240, "wheat flour, butter, hazelnuts, sugar, eggs"],
  ["Oat cookie", 220, "oat flakes, butter, sugar, wheat flour, raisins"],
  ["Shortbread", 200, "wheat flour, butter, sugar"],
  ["Peanut bar", 260, "peanuts, oat flakes, honey, butter"],
  ["Apple tart", 350, "wheat flour, butter, apples, sugar, eggs"],
  ["Pistachio tart", 420, "wheat flour, butter, pistachios, eggs, sugar"],
  ["Celery and bean pasty", 430, "wheat flour, butter, celery, white beans, salt"],
  ["Soy and mushroom roll", 410, "wheat flour, tofu (soya), mushrooms, rapeseed oil, salt"],
  ["Egg sandwich", 480, "wheat flour, eggs, mayonnaise (rapeseed oil, eggs, mustard), salt, yeast"],
];

const refOf = (name: string): string => name.toLowerCase().replaceAll(" ", "-");
const WORKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const DAYS = WORKDAYS.map((day) => day.slice(0, 3));

const menu = {
  menus: [
    {
      id: "counter",
      title: { translations: { en: "Counter" } },
      service_availability: WORKDAYS.map((day) => ({
        day_of_week: day,
        time_periods: [{ start_time: "07:00", end_time: "17:00" }],
      })),
      category_ids: ["bakery"],
    },
  ],
  categories: [
    {
      id: "bakery",
      title: { translations: { en: "Bakery" } },
      entities: PRODUCTS.map(([name]) => ({ id: refOf(name), type: "ITEM" })),
    },
  ],
  items: PRODUCTS.map(([name, price]) => ({
    id: refOf(name),
    title: { translations: { en: name } },
    price_info: { price },
  })),
  modifier_groups: [],
};

export const BAKERY_REQUESTS: readonly GuideRequest[] = [
  {
    title: "Set the profile of the store",
    method: "PATCH",
    path: "/v1/account/store",
    body: { name: "Corner Bakery", country: "GB", time_zone: "Europe/London", currency: "GBP" },
  },
  {
    title: "Import the products with their ingredients",
    method: "POST",
    path: "/v1/allergens/products/import",
    body: {
      rows: PRODUCTS.map(([title, , ingredients]) => ({
        external_ref: { system: "shop", id: refOf(title) },
        title,
        ingredients_text: ingredients,
      })),
    },
  },
  {
    title: "Read what was understood: the allergens of each product, and its revision",
    method: "GET",
    path: "/v1/allergens/products?limit=100&include=revision",
  },
  {
    title: "Verify them, after a person has compared them with the recipes",
    method: "POST",
    path: "/v1/allergens/products/verify",
    body: { by: "Ada Baker", products: "{products}" },
  },
  {
    title: "Publish the allergen sheet for guests; the response has its public link",
    method: "PUT",
    path: "/v1/allergens/sheet",
    body: { title: "Allergen information" },
  },
  {
    title: "Import the menu with its prices; each item is linked to the product with its title",
    method: "POST",
    path: "/v1/menus/import",
    body: { format: "uber", locale: "en", currency: "GBP", products: "link", data: menu },
  },
  { title: "Publish it", method: "POST", path: "/v1/menus/{menu}/publish", body: {} },
  {
    title: "Create the delivery zone",
    method: "POST",
    path: "/v1/delivery/zones",
    body: {
      name: "Around the corner",
      patterns: ["SW1", "SE1"],
      minimum_order: 1500,
      fee_tiers: [
        { from: 0, fee: 399 },
        { from: 4000, fee: 0 },
      ],
    },
  },
  {
    title: "Create the pickup location",
    method: "POST",
    path: "/v1/delivery/locations",
    body: { name: "Corner Bakery", hours: [{ days: DAYS, start: "07:00", end: "17:00" }] },
  },
  {
    title: "Offer slots for both",
    method: "POST",
    path: "/v1/delivery/slot-windows",
    body: {
      name: "Morning",
      zone_ids: ["{zone}"],
      location_ids: ["{location}"],
      days: DAYS,
      start: "08:00",
      end: "11:00",
      capacity: 20,
      cut_off: { days_before: 1, time: "18:00" },
    },
  },
  {
    title: "Check a first order",
    method: "POST",
    path: "/v1/delivery/validate",
    body: { postcode: "SW1A 1AA", basketTotal: 2500 },
  },
];

export const openABakery: Guide = {
  slug: "open-a-bakery",
  title: "Open a bakery",
  summary: "From an empty store to products with allergens, a live menu, delivery and pickup in 11 requests.",
  markdown: (baseUrl) => `
This guide fills an empty store with ${PRODUCTS.length} products in ${BAKERY_REQUESTS.length} requests. A name in braces is
an id from an earlier response: \`{menu}\` is the id of the row of kind \`menu\`, and \`{products}\` lists \`id\` and
\`revision\` of each product of the third response. Send every request to \`${baseUrl}\` with your key.
${BAKERY_REQUESTS.map(requestText).join("\n")}
`,
};

function requestText({ title, method, path, body }: GuideRequest, index: number): string {
  const json = body === undefined ? "" : `\n\n${JSON.stringify(body, null, 2)}`;
  return `\n## ${index + 1}. ${title}\n\n\`\`\`http\n${method} ${path}${json}\n\`\`\``;
}
