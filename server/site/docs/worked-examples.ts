/** A request that works on the demo shop unchanged: the tests run it in every form in which it is shown. */
export interface WorkedExample {
  readonly engine: string;
  /** Id of the route; what it sends is the example of the registry unless `query` or `body` say otherwise. */
  readonly route: string;
  readonly title: string;
  /** What the shop gets out of it. */
  readonly why: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
}

export const WORKED_EXAMPLES: readonly WorkedExample[] = [
  {
    engine: "allergens",
    route: "allergens.products.list",
    title: "Products and their allergens",
    why: "The products of the store with the allergens that must be declared in its jurisdiction.",
    query: { limit: 3 },
  },
  {
    engine: "allergens",
    route: "allergens.nutrition.calculate",
    title: "Nutrition panel from values per 100 g",
    why: "Per portion and per pack, rounded as the law of the country requires.",
  },
  {
    engine: "menus",
    route: "menus.menus.list",
    title: "Menus of the store",
    why: "The live view of a menu contains the items that can currently be ordered.",
    query: { limit: 2 },
  },
  {
    engine: "subscriptions",
    route: "subscriptions.previews.create",
    title: "Preview the charges of a subscription",
    why: "Previews and charges use the same function and therefore always match.",
  },
  {
    engine: "delivery",
    route: "delivery.validate",
    title: "Check delivery for a postcode and a basket",
    why: "One request at the start of the checkout. A negative result includes its reasons.",
  },
  {
    engine: "delivery",
    route: "delivery.slots.list",
    title: "Available delivery slots",
    why: "Slots with their remaining capacity, cut-off time and fee.",
    query: { postcode: "SW1A 1AA", basket_total: 2999 },
  },
  {
    engine: "catering",
    route: "catering.quotes.list",
    title: "Sent quotes",
    why: "Each with its versions, its status and the link to accept it.",
    query: { limit: 2 },
  },
  {
    engine: "content",
    route: "content.posts.list",
    title: "Published posts",
    why: "Published posts only, with metadata for search engines.",
    query: { limit: 2 },
  },
  {
    engine: "cart",
    route: "cart.evaluations.create",
    title: "Price a basket with all applicable offers",
    why: "The trace lists which rule discounted which line by which amount.",
  },
  {
    engine: "reviews",
    route: "reviews.reviews.list",
    title: "The latest reviews",
    why: "With the verification level and incentive disclosure of each review.",
    query: { limit: 2 },
  },
  {
    engine: "forms",
    route: "forms.forms.list",
    title: "Forms of the store",
    why: "Each with its version, its fields and its conversion rate.",
    query: { limit: 2 },
  },
  {
    engine: "answeros",
    route: "answeros.scores.list",
    title: "Readiness of pages for answer engines",
    why: "Every check with its evidence and how to fix it.",
    query: { limit: 2 },
  },
  {
    engine: "tiers",
    route: "tiers.evaluations.create",
    title: "Evaluate the tier for an order history",
    why: "Test the rules of a programme before they apply to customers.",
  },
];
