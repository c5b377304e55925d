import type { Guide } from "./guide.ts";
import { client } from "./recipes.ts";

const TEXT = `
You need Node 20 or newer and a secret key of your own store: [sign up]({base}/signup), follow the link in the mail, and save
the key in the environment. Put the blocks of this page into one file, \`quickstart.mjs\`, in their order, or copy one at a time.

\`\`\`bash
export API_KEY=plat_live_…     # the key that the page showed
node quickstart.mjs
\`\`\`

## 1. Send requests

Each request has the key in its header; each response has its result in \`data\`, or what is wrong in \`error\`.

\`\`\`js
import { writeFile } from "node:fs/promises";

{client}
await api("PATCH", "/account/store", {
  name: "Corner Bakery",
  country: "GB",
  time_zone: "Europe/London",
  currency: "GBP",
});
\`\`\`

## 2. Add a product

Ingredients are read as they are on the pack. A person compares the result with the recipe and verifies it; until then, guests
see that the allergens are not known.

\`\`\`js
const product = await api("POST", "/allergens/products/import", {
  rows: [{
    external_ref: { system: "shop", id: "cheese-scone" },
    title: "Cheese scone",
    ingredients_text: "wheat flour, butter, cheddar (milk), milk, mustard, salt",
  }],
});
await api("POST", \`/allergens/products/\${product.rows[0].product_id}/verify\`, { by: "Ada Baker" });
\`\`\`

## 3. Publish a menu

The import takes the format of Uber Eats, Square, Toast, Deliverect and Otter. \`products: "link"\` connects the item with the product of
the same title, and with its allergens.

\`\`\`js
const WEEK = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const imported = await api("POST", "/menus/import", {
  format: "uber",
  locale: "en",
  currency: "GBP",
  products: "link",
  data: {
    menus: [{
      id: "counter",
      title: { translations: { en: "Counter" } },
      service_availability: WEEK.map((day_of_week) => ({
        day_of_week,
        time_periods: [{ start_time: "00:00", end_time: "23:59" }],
      })),
      category_ids: ["bakery"],
    }],
    categories: [{
      id: "bakery",
      title: { translations: { en: "Bakery" } },
      entities: [{ id: "cheese-scone", type: "ITEM" }],
    }],
    items: [{
      id: "cheese-scone",
      title: { translations: { en: "Cheese scone" } },
      price_info: { price: 260 },
    }],
    modifier_groups: [],
  },
});
const menu = imported.rows.find(({ kind }) => kind === "menu").id;
await api("POST", \`/menus/\${menu}/publish\`, {});
\`\`\`

## 4. Deliver to a zone

A zone has the postcodes that it covers and what delivery costs there; a slot window has its days, hours and capacity.

\`\`\`js
const zone = await api("POST", "/delivery/zones", {
  name: "Around the corner",
  patterns: ["SW1", "SE1"],
  minimum_order: 1500,
  fee_tiers: [{ from: 0, fee: 399 }, { from: 4000, fee: 0 }],
});
await api("POST", "/delivery/slot-windows", {
  name: "Morning",
  zone_ids: [zone.id],
  days: ["mon", "tue", "wed", "thu", "fri", "sat"],
  start: "08:00",
  end: "11:00",
  capacity: 20,
});
\`\`\`

## 5. Add a form

\`\`\`js
const form = await api("POST", "/forms", {
  name: "Contact us",
  fields: [
    { key: "email", type: "email", label: "Your e-mail address", required: true },
    { key: "message", type: "textarea", label: "Your message", required: true },
  ],
});
await api("POST", \`/forms/\${form.id}/publish\`);
\`\`\`

## 6. Show it on a page

A page has a publishable key, which can only read what is published and send forms, and only from the origins that you allow. The last
block writes \`shop.html\`. Serve it where you like, for example with \`npx serve\`, at the origin that you set.

\`\`\`js
const origin = process.env.SHOP_ORIGIN ?? "http://localhost:3000";
await api("PATCH", "/account/browser", { origins: [origin] });
const { api_key: key } = await api("POST", "/account/keys", { name: "Shop page", preset: "full" });
const { public_id } = await api("GET", \`/forms/\${form.id}/definition\`);
await writeFile("shop.html", \`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Corner Bakery</title>
    <script type="module" src="{base}/elements.js?key=\${key}"></script>
  </head>
  <body>
    <h1>Corner Bakery</h1>
    <h2>Menu</h2>
    <sf-menu menu="\${menu}"></sf-menu>
    <h2>Allergens</h2>
    <sf-allergens></sf-allergens>
    <h2>Delivery</h2>
    <sf-delivery postcode="SW1A 1AA" basket-total="2500" hold></sf-delivery>
    <h2>Contact</h2>
    <sf-form form="\${public_id}"></sf-form>
  </body>
</html>\`);
console.log("Open shop.html at", origin);
\`\`\`

Next: [Browser access]({base}/docs/guides/browsers) describes the elements, [Open a bakery]({base}/docs/guides/open-a-bakery)
imports thirty products, and [Testing]({base}/docs/guides/testing) moves the clock.
`;

/** The blocks of the guide are one program, which a test runs; it ends with the page that the guide describes. */
export const quickstart: Guide = {
  slug: "quickstart",
  title: "Quickstart",
  summary: "Fill your own store with a product, a menu, a delivery zone and a form, and show them on a page.",
  markdown: (baseUrl) => TEXT.replaceAll("{base}", () => baseUrl).replace("{client}", () => client(baseUrl)),
};
