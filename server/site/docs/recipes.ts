/** A task of several requests, as a program for Node that runs on the demo store unchanged: a test runs each. */
export interface Recipe {
  readonly engine: string;
  readonly title: string;
  readonly why: string;
  /** The steps, after the function `api`. */
  readonly steps: string;
}

/** The whole program of a recipe. */
export const programOf = ({ steps }: Recipe, baseUrl: string): string =>
  `${client(baseUrl)}\n${steps.trim()}\n`;

/** What every program begins with. */
export const client = (baseUrl: string): string => `async function api(method, path, body) {
  const response = await fetch("${baseUrl}/v1" + path, {
    method,
    headers: { Authorization: \`Bearer \${process.env.API_KEY}\`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const { data, error } = await response.json();
  if (error) throw new Error(\`\${error.title}: \${error.detail}\`);
  return data;
}
`;

export const RECIPES: readonly Recipe[] = [
  {
    engine: "allergens",
    title: "From ingredients to a verified label",
    why: "Ingredients are read as they are on the pack. A person confirms what was found; then the label can be printed.",
    steps: `
const { rows } = await api("POST", "/allergens/products/import", {
  rows: [{
    external_ref: { system: "shop", id: "oat-biscuit" },
    title: "Oat biscuit",
    ingredients_text: "oat flakes, butter (milk), wheat flour, sugar, eggs",
  }],
});
const id = rows[0].product_id;
const { allergens } = await api("GET", \`/allergens/products/\${id}\`);
await api("POST", \`/allergens/products/\${id}/verify\`, { by: "Ada Baker" });
const label = await api("GET", \`/allergens/products/\${id}/label\`);
console.log(allergens, label.ingredients_html);`,
  },
  {
    engine: "menus",
    title: "Sold out for today",
    why: "A suspended item disappears from every channel at once and comes back by itself.",
    steps: `
const [menu] = await api("GET", "/menus?status=published&limit=1");
const live = await api("GET", \`/menus/\${menu.id}/live\`);
const item = live.categories[0].items[0];
const until = new Date(performance.timeOrigin + 4 * 3600_000).toISOString();
await api("POST", \`/menus/items/\${item.id}/suspend\`, { until });
await api("POST", \`/menus/items/\${item.id}/restore\`, {});
console.log(item.title, "is back on", menu.title);`,
  },
  {
    engine: "subscriptions",
    title: "Pause a subscription and resume it",
    why: "A paused subscription is neither charged nor delivered. The portal link lets customers do the same themselves.",
    steps: `
const [contract] = await api("GET", "/subscriptions/contracts?status=active&limit=1");
const paused = await api("POST", \`/subscriptions/contracts/\${contract.id}/pause\`, { mode: "shift" });
const resumed = await api("POST", \`/subscriptions/contracts/\${contract.id}/resume\`, {});
const portal = await api("POST", \`/subscriptions/contracts/\${contract.id}/portal-link\`, {});
console.log(paused.status, resumed.status, portal.url);`,
  },
  {
    engine: "delivery",
    title: "Hold a slot during the checkout",
    why: "A hold takes capacity for some minutes, so two customers never get the last place. Confirm it with the order.",
    steps: `
const slots = await api("GET", "/delivery/slots?postcode=SW1A%201AA&basket_total=2999");
const slot = slots.find(({ status }) => status === "open");
const hold = await api("POST", "/delivery/holds", {
  slot_id: slot.id,
  reference: "order 1042",
  postcode: "SW1A 1AA",
});
const confirmed = await api("POST", \`/delivery/holds/\${hold.id}/confirm\`);
console.log(confirmed.state, slot.local.date, slot.local.start);`,
  },
  {
    engine: "catering",
    title: "Write a quote and send it",
    why: "The customer gets a mail with a page on which they choose options, accept and pay the deposit.",
    steps: `
const [account] = await api("GET", "/catering/accounts?status=active&limit=1");
const in30Days = new Date(performance.timeOrigin + 30 * 86400_000).toISOString().slice(0, 10);
const quote = await api("POST", "/catering/quotes", {
  account_id: account.id,
  title: "Board lunch",
  lines: [{ type: "per_head", title: "Working lunch", unit_price: 1295, tax_rate_bps: 2000 }],
  event: { date: in30Days, start: "12:30", end: "14:00" },
  headcount: { estimate: 30, min: 25, max: 40 },
});
const sent = await api("POST", \`/catering/quotes/\${quote.id}/send\`, { message: "As discussed." });
console.log(sent.status, sent.total, sent.currency);`,
  },
  {
    engine: "content",
    title: "Check a post and publish it",
    why: "The score lists what search engines and readers would miss, each with how to fix it.",
    steps: `
const draft = await api("POST", "/content/drafts", {
  title: "How we keep a sourdough starter",
  body: "Feed your sourdough starter daily. Keep it warm.",
  author: { id: "ada", name: "Ada Baker" },
  seo: { focus_keyphrase: "sourdough starter" },
});
const score = await api("POST", \`/content/drafts/\${draft.id}/scores\`);
const published = await api("POST", \`/content/drafts/\${draft.id}/publish\`);
console.log(published.status, score.seo, score.checks.find(({ fix }) => fix !== null).fix);`,
  },
  {
    engine: "cart",
    title: "Create an offer and price a basket with it",
    why: "An offer is a draft until it is activated. The trace of an evaluation shows which line it discounted.",
    steps: `
const croissants = { refs: ["almond-croissant"], categories: [], tags: [] };
const offer = await api("POST", "/cart/offers", {
  title: "Three almond croissants for two",
  trigger: "automatic",
  effect: {
    class: "bogo",
    buy: { filter: croissants, qty: 2, spend: null },
    get: { filter: croissants, qty: 1 },
    value: { kind: "free", value: 0 },
  },
});
await api("POST", \`/cart/offers/\${offer.id}/activate\`);
const priced = await api("POST", "/cart/evaluations", {
  lines: [{ id: "1", ref: "almond-croissant", quantity: 3, unit_price: 340 }],
});
console.log(priced.totals);`,
  },
  {
    engine: "reviews",
    title: "Publish a review and read the average",
    why: "Every review waits for moderation, unless the settings publish it. The average is updated in the same commit.",
    steps: `
const review = await api("POST", "/reviews", {
  target: { type: "product", id: "oat-bar" },
  rating: 5,
  title: "Good crumb",
  body: "Gone by noon, and worth the queue.",
  author: { display_name: "Ada" },
  email: "ada@shop.example",
  incentive: { type: "none" },
});
if (review.status === "pending") await api("POST", \`/reviews/\${review.id}/approve\`, {});
const [{ rating_count, rating_value }] = await api("GET", "/reviews/aggregates?target_id=oat-bar");
console.log(rating_value, "of 5 from", rating_count, "reviews");`,
  },
  {
    engine: "forms",
    title: "Create a form and read its submissions",
    why: "The embed code is one line for any page; the form works without script as well.",
    steps: `
const form = await api("POST", "/forms", {
  name: "Allergy question",
  fields: [
    { key: "email", type: "email", label: "Your e-mail address", required: true },
    { key: "question", type: "textarea", label: "Your question", required: true },
  ],
});
await api("POST", \`/forms/\${form.id}/publish\`);
const submissions = await api("GET", \`/forms/\${form.id}/submissions\`);
console.log(form.slug, submissions.length);`,
  },
  {
    engine: "answeros",
    title: "Answer a question in your own words",
    why: "Approved answers are served as structured data and in llms.txt, where answer engines find them.",
    steps: `
const question = await api("POST", "/answeros/questions", {
  text: "Do you bake without nuts?",
  answer: { text: "All our loaves are baked without nuts, in a kitchen that also handles hazelnuts." },
});
const approved = await api("POST", \`/answeros/questions/\${question.id}/approve\`, {});
console.log(approved.answer.status, approved.answer.text);`,
  },
  {
    engine: "tiers",
    title: "Report an order and show the customer's level",
    why: "Events with the same external_id count once, so they can be sent again. The response says what is missing for the next level.",
    steps: `
const { customer_id } = await api("POST", "/tiers/events", {
  customer: { id: "grace", email: "grace@shop.example" },
  event: {
    type: "order",
    external_id: "shop-4712",
    order_ref: "4712",
    occurred_at: new Date(performance.timeOrigin).toISOString(),
    currency: "GBP",
    amount: 4375,
  },
});
const member = await api("GET", \`/tiers/customers/\${customer_id}\`);
console.log(member.tier.name, member.totals, member.next_level);`,
  },
];
