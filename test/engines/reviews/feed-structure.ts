import { convert } from "xmlbuilder2";

/**
 * The structure of Google's product review feed, version 2.4, as its schema (product_reviews.xsd), developers.google.com/product-review-feeds/schema and the
 * sample file there publish it: elements in this order, with how often each may stand.
 */
interface Shape {
  /** Child elements in order; `?` may be left out, `*` any number, `+` at least one. */
  readonly children?: readonly [name: string, shape: Shape, often: "1" | "?" | "*" | "+"][];
  readonly text?: RegExp;
  readonly attributes?: Readonly<Record<string, RegExp | null>>;
}

/** nonEmptyStringType of the published schema. */
const any = /\S/;
/** httpUrlType. */
const url = /^https?:\/\/\S+\.\S+$/;
const bool = /^(true|false)$/;
const text: Shape = { text: any };
const listOf = (name: string): Shape => ({ children: [[name, text, "+"]] });

const product: Shape = {
  children: [
    [
      "product_ids",
      {
        children: [
          ["gtins", { children: [["gtin", { text: /^\d{8,14}$/ }, "+"]] }, "?"],
          ["mpns", listOf("mpn"), "?"],
          ["skus", listOf("sku"), "?"],
          ["brands", listOf("brand"), "?"],
          ["asins", listOf("asin"), "?"],
        ],
      },
      "?",
    ],
    ["product_name", text, "?"],
    ["product_url", { text: url }, "1"],
  ],
};

const review: Shape = {
  children: [
    ["review_id", text, "1"],
    [
      "reviewer",
      {
        children: [
          ["name", { text: any, attributes: { is_anonymous: bool } }, "1"],
          ["reviewer_id", text, "?"],
        ],
      },
      "1",
    ],
    ["is_verified_purchase", { text: bool }, "?"],
    ["is_incentivized_review", { text: bool }, "?"],
    ["review_timestamp", { text: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/ }, "1"],
    ["title", text, "?"],
    ["content", text, "1"],
    ["review_language", { text: /^[a-z]{2,3}$/ }, "?"],
    ["review_country", { text: /^[A-Z]{2}$/ }, "?"],
    ["pros", listOf("pro"), "?"],
    ["cons", listOf("con"), "?"],
    ["review_url", { text: url, attributes: { type: /^(singleton|group)$/ } }, "1"],
    [
      "reviewer_images",
      { children: [["reviewer_image", { children: [["url", { text: url }, "1"]] }, "+"]] },
      "?",
    ],
    [
      "ratings",
      { children: [["overall", { text: /^[1-5](\.\d+)?$/, attributes: { min: /^1$/, max: /^5$/ } }, "1"]] },
      "1",
    ],
    ["products", { children: [["product", product, "+"]] }, "1"],
    ["is_spam", { text: bool }, "?"],
    ["collection_method", { text: /^(unsolicited|point_of_sale|post_fulfillment)$/ }, "?"],
    ["transaction_id", text, "?"],
  ],
};

const feed: Shape = {
  attributes: {
    "xmlns:vc": /^http:\/\/www\.w3\.org\/2007\/XMLSchema-versioning$/,
    "xmlns:xsi": /^http:\/\/www\.w3\.org\/2001\/XMLSchema-instance$/,
    "xsi:noNamespaceSchemaLocation": /\/product\/2\.4\/product_reviews\.xsd$/,
  },
  children: [
    ["version", { text: /^2\.4$/ }, "1"],
    ["aggregator", { children: [["name", text, "1"]] }, "?"],
    [
      "publisher",
      {
        children: [
          ["name", text, "1"],
          ["favicon", { text: url }, "?"],
        ],
      },
      "1",
    ],
    ["reviews", { children: [["review", review, "+"]] }, "?"],
  ],
};

/** An element as the parser gives it with `verbose`: names to lists, `@` for attributes, `#` for text. */
type Node = Readonly<Record<string, unknown>>;

/** Every place where a feed is not as published, or is no XML at all. */
export function feedFaults(xml: string): string[] {
  const broken = brokenTags(xml);
  if (broken !== null) return [broken];
  const parsed: unknown = convert(xml, { format: "object", verbose: true, wellFormed: true });
  const faults: string[] = [];
  const roots = childrenOf(parsed, "feed");
  if (roots.length !== 1) return ["There is not one feed."];
  check(roots[0], feed, "feed", faults);
  return faults;
}

/** The parser forgives tags that do not match; Google does not. A feed has no comments and no CDATA. */
function brokenTags(xml: string): string | null {
  const open: string[] = [];
  for (const [, slash, name = ""] of xml.replace(/^<\?xml[^>]*\?>/, "").matchAll(/<(\/?)([^\s>]+)[^>]*>/g)) {
    if (slash !== "/") open.push(name);
    else if (open.pop() !== name) return `</${name}> ends another element`;
  }
  if (open.length > 0) return `${open.join(", ")} never end`;
  return /&(?!(amp|lt|gt|quot|apos);)/.test(xml) ? "an ampersand stands alone" : null;
}

function check(node: unknown, shape: Shape, place: string, faults: string[]): void {
  const members: Node = typeof node === "object" && node !== null ? { ...node } : { "#": String(node) };
  const names = Object.keys(members).filter((name) => !name.startsWith("@") && name !== "#");
  for (const [name, value] of Object.entries(members)) {
    if (!name.startsWith("@")) continue;
    const pattern = shape.attributes?.[name.slice(1)];
    if (pattern === undefined || (pattern !== null && !pattern.test(String(value))))
      faults.push(`${place} ${name}`);
  }
  if (shape.children === undefined) {
    if (names.length > 0) faults.push(`${place} has elements`);
    const told = textOf(members);
    if (!(shape.text ?? any).test(told)) faults.push(`${place}: ${told}`);
    return;
  }
  const known = shape.children.map(([name]) => name);
  const order = names.map((name) => known.indexOf(name));
  if (order.some((at, n) => at < 0 || at < (order[n - 1] ?? -1)))
    faults.push(`${place}: order of ${names.join(", ")}`);
  for (const [name, inner, often] of shape.children) {
    const found = childrenOf(members, name);
    if ((often === "1" || often === "+") && found.length === 0) faults.push(`${place} lacks ${name}`);
    if ((often === "1" || often === "?") && found.length > 1)
      faults.push(`${place} has ${found.length} ${name}`);
    for (const [at, child] of found.entries()) check(child, inner, `${place}/${name}[${at}]`, faults);
  }
}

const textOf = (members: Node): string => (typeof members["#"] === "string" ? members["#"] : "");

function childrenOf(node: unknown, name: string): readonly unknown[] {
  const value =
    typeof node === "object" && node !== null
      ? Object.entries(node).find(([key]) => key === name)?.[1]
      : undefined;
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}
