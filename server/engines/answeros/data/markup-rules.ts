/** Required and recommended properties of JSON-LD types, with the source and date of each rule. */
export interface MarkupRule {
  readonly types: readonly string[];
  /** Each entry is met if one of its paths has a value; a path traverses lists. */
  readonly required: readonly (readonly string[])[];
  readonly recommended: readonly (readonly string[])[];
  /** `schema.org`: the vocabulary; `google`: requirements of its rich results, which change yearly. */
  readonly by: "schema.org" | "google";
  readonly source: string;
  readonly as_of: string;
}

/** Date of the table as a whole: findings include it, since Google changes its lists. */
export const MARKUP_RULES_AS_OF = "2026-11-21";

const docs = "https://developers.google.com/search/docs/appearance/structured-data";

export const MARKUP_RULES: readonly MarkupRule[] = [
  {
    types: ["Product"],
    required: [["name"], ["offers", "review", "aggregateRating"]],
    // One source lists image as required for merchant listings, another as recommended.
    recommended: [["offers/price", "offers/lowPrice"], ["offers/priceCurrency"], ["image"], ["description"]],
    by: "google",
    source: `${docs}/product`,
    as_of: "2026-11-21",
  },
  {
    types: ["Offer"],
    required: [["price", "priceSpecification/price"]],
    recommended: [["priceCurrency", "priceSpecification/priceCurrency"], ["availability"]],
    by: "google",
    source: `${docs}/merchant-listing`,
    as_of: "2026-11-21",
  },
  {
    types: ["Recipe"],
    required: [["name"], ["image"]],
    recommended: [["recipeIngredient"], ["recipeInstructions"], ["totalTime", "cookTime"], ["author"]],
    by: "google",
    source: `${docs}/recipe`,
    as_of: "2026-11-21",
  },
  {
    types: ["LocalBusiness", "Bakery", "FoodEstablishment", "Restaurant", "CafeOrCoffeeShop", "Store"],
    required: [["name"], ["address"]],
    recommended: [["telephone"], ["openingHoursSpecification", "openingHours"], ["geo"], ["url"]],
    by: "google",
    source: `${docs}/local-business`,
    as_of: "2026-11-21",
  },
  {
    types: ["FAQPage"],
    required: [["mainEntity"], ["mainEntity/name"], ["mainEntity/acceptedAnswer/text"]],
    recommended: [],
    by: "schema.org",
    source: `${docs}/faqpage (rich result ended 2026-05-07; the markup stays valid)`,
    as_of: "2026-05-07",
  },
  {
    types: ["QAPage"],
    required: [
      ["mainEntity/name", "mainEntity/text"],
      ["mainEntity/answerCount"],
      ["mainEntity/acceptedAnswer", "mainEntity/suggestedAnswer"],
    ],
    recommended: [["mainEntity/author"], ["mainEntity/datePublished", "mainEntity/dateCreated"]],
    by: "google",
    source: `${docs}/qapage`,
    as_of: "2026-11-21",
  },
  {
    types: ["Article", "NewsArticle", "BlogPosting"],
    required: [],
    recommended: [["headline"], ["image"], ["datePublished"], ["dateModified"], ["author"]],
    by: "google",
    source: `${docs}/article`,
    as_of: "2026-11-21",
  },
  {
    types: ["AggregateRating"],
    required: [["ratingValue"], ["ratingCount", "reviewCount"]],
    recommended: [],
    by: "google",
    source: `${docs}/review-snippet`,
    as_of: "2026-11-21",
  },
  {
    types: ["SpeakableSpecification"],
    required: [["cssSelector", "xpath", "xPath"]],
    recommended: [],
    by: "google",
    source: `${docs}/speakable (beta: news in US English)`,
    as_of: "2026-11-21",
  },
  {
    types: ["BreadcrumbList"],
    required: [["itemListElement"], ["itemListElement/position"]],
    recommended: [["itemListElement/name", "itemListElement/item/name"]],
    by: "google",
    source: `${docs}/breadcrumb`,
    as_of: "2026-11-21",
  },
];

/** Properties by the type of their value (schema.org). */
export const URL_MEMBERS: ReadonlySet<string> = new Set([
  "url",
  "image",
  "logo",
  "sameAs",
  "contentUrl",
  "thumbnailUrl",
  "hasMap",
  "menu",
]);
export const DATE_MEMBERS: ReadonlySet<string> = new Set([
  "datePublished",
  "dateModified",
  "dateCreated",
  "uploadDate",
  "startDate",
  "endDate",
  "validFrom",
  "validThrough",
  "priceValidUntil",
]);
export const NUMBER_MEMBERS: ReadonlySet<string> = new Set([
  "price",
  "lowPrice",
  "highPrice",
  "ratingValue",
  "bestRating",
  "worstRating",
  "ratingCount",
  "reviewCount",
  "answerCount",
  "upvoteCount",
  "position",
]);

/** The JSON-LD types that match a page, best first. */
export const FITTING_TYPES: Readonly<Record<string, readonly string[]>> = {
  product: ["Product"],
  recipe: ["Recipe"],
  article: ["Article", "NewsArticle", "BlogPosting"],
  local_business: ["LocalBusiness", "Bakery", "FoodEstablishment", "Restaurant", "CafeOrCoffeeShop", "Store"],
  faq: ["FAQPage"],
  qa: ["QAPage"],
  catering: ["Product", "Service", "Offer", "FoodEstablishment", "Menu"],
  menu: ["Menu", "Restaurant", "Product"],
  other: [],
};
