/** A request that works on the demo shop as it stands here: the tests run it in every form in which it is shown. */
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
    title: "What is in what",
    why: "The shop's products with the allergens that must be declared where it trades.",
    query: { limit: 3 },
  },
  {
    engine: "allergens",
    route: "allergens.nutrition.calculate",
    title: "A nutrition panel from what is known of 100 g",
    why: "Per portion, per pack, with the rounding that the law of the country asks for.",
  },
  {
    engine: "menus",
    route: "menus.menus.list",
    title: "The menus of the shop",
    why: "What may be ordered from each at this moment is told by its live view.",
    query: { limit: 2 },
  },
  {
    engine: "subscriptions",
    route: "subscriptions.previews.create",
    title: "What a standing order will cost, and when",
    why: "The same function makes the previews and the charges, so that the two agree to the penny.",
  },
  {
    engine: "delivery",
    route: "delivery.validate",
    title: "Does the shop deliver here, for this basket?",
    why: "One question at the top of the checkout; a no comes with its reasons.",
  },
  {
    engine: "delivery",
    route: "delivery.slots.list",
    title: "When it could come",
    why: "Slots with what is left of their capacity, until which moment they can be chosen, and the fee.",
    query: { postcode: "SW1A 1AA", basket_total: 2999 },
  },
  {
    engine: "catering",
    route: "catering.quotes.list",
    title: "Quotes that are out",
    why: "Each with its versions, its state and the link on which the customer accepts it.",
    query: { limit: 2 },
  },
  {
    engine: "content",
    route: "content.posts.list",
    title: "The blog, as a storefront shows it",
    why: "Only what is published, with what search engines ask for.",
    query: { limit: 2 },
  },
  {
    engine: "cart",
    route: "cart.evaluations.create",
    title: "What a basket costs with every offer that applies",
    why: "The trace says which rule took which penny off which line.",
  },
  {
    engine: "reviews",
    route: "reviews.reviews.list",
    title: "The latest reviews",
    why: "With how each was verified, and whether it was paid for.",
    query: { limit: 2 },
  },
  {
    engine: "forms",
    route: "forms.forms.list",
    title: "The forms of the shop",
    why: "Each with its version, its fields and how many who saw it sent it.",
    query: { limit: 2 },
  },
  {
    engine: "answeros",
    route: "answeros.scores.list",
    title: "How ready pages are to be quoted by answer engines",
    why: "Every point with its evidence and what would mend it.",
    query: { limit: 2 },
  },
  {
    engine: "tiers",
    route: "tiers.evaluations.create",
    title: "Which tier a history of orders earns",
    why: "Try the rules of a programme before anybody is moved by them.",
  },
];
