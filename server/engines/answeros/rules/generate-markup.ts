import type { PageFacts } from "../../../lib/text/model.ts";
import type { MarkupType } from "../schema/markup.ts";
import { entityOf } from "./checks.ts";

/** Data about a page in addition to its text. */
export interface MarkupSource {
  readonly facts: PageFacts;
  readonly url: string | null;
  readonly entity: string | null;
  /** Approved questions and answers of the page. */
  readonly questions: readonly { readonly text: string; readonly answer: string }[];
  readonly date_published: string | null;
  readonly date_modified: string | null;
}

type JsonLd = Record<string, unknown>;

/**
 * JSON-LD of a type, generated only from the page itself: missing values are omitted, and the
 * validation reports them. Prices are those in the text, answers the approved ones.
 */
export function generateMarkup(type: MarkupType, source: MarkupSource): JsonLd {
  const head: JsonLd = { "@context": "https://schema.org", "@type": type === "Other" ? "WebPage" : type };
  return compact({ ...head, ...MAKERS[type](source) });
}

const MAKERS: Readonly<Record<MarkupType, (source: MarkupSource) => JsonLd>> = {
  Product: (source) => ({ ...thing(source), offers: offerOf(source) }),
  Recipe: (source) => ({
    ...thing(source),
    recipeIngredient: listAfter(source.facts, /ingredient|you need/i),
    recipeInstructions: listAfter(source.facts, /method|instruction|step|how to/i)?.map((text) => ({
      "@type": "HowToStep",
      text,
    })),
  }),
  Article: (source) => {
    const { name, ...rest } = thing(source);
    return {
      headline: name,
      ...rest,
      datePublished: source.date_published,
      dateModified: source.date_modified,
      author: named("Person", source.facts.properties["article:author"]),
    };
  },
  LocalBusiness: (source) => ({
    ...thing(source),
    telephone: telephoneOf(source.facts),
    address: addressOf(source.facts),
  }),
  FAQPage: (source) => ({
    mainEntity: questionsOf(source).map(({ text, answer }) => ({
      "@type": "Question",
      name: text,
      acceptedAnswer: { "@type": "Answer", text: answer },
    })),
  }),
  QAPage: (source) => {
    const [first] = questionsOf(source);
    if (first === undefined) return {};
    return {
      mainEntity: {
        "@type": "Question",
        name: first.text,
        answerCount: 1,
        acceptedAnswer: { "@type": "Answer", text: first.answer },
      },
    };
  },
  BreadcrumbList: ({ url }) => ({ itemListElement: url === null ? [] : crumbsOf(url) }),
  Other: (source) => thing(source),
};

function thing(source: MarkupSource): JsonLd {
  const { facts, url } = source;
  const image =
    facts.properties["og:image"] ?? facts.text.images.find(({ src }) => /^https?:/.test(src))?.src;
  return { name: entityOf(source), description: facts.description, url: url ?? facts.canonical, image };
}

// A whole number, from its first digit to its last one, with points or commas: 4.20, 12,50, 1.250,00.
const AMOUNT = String.raw`(\d{1,3}(?:[.,]\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d{1,2})?)`;
/** Of R$ and A$ the currency is not known, and of 1 250 € not the first digit: no price is better than another one. */
const PRICE = new RegExp(
  String.raw`(?:(?<!\p{L})(?:US)?([£$\u20AC])\s?${AMOUNT}(?![.,]?\d))|(?:(?<![\d.,]|\d\s)${AMOUNT}\s?(GBP|EUR|USD|[£\u20AC]))`,
  "u",
);
const SIGNS: Readonly<Record<string, string>> = { "£": "GBP", "€": "EUR", $: "USD" };

/** The first price of the text; the store reviews it before publication. */
function offerOf({ facts, url }: MarkupSource): JsonLd | null {
  const [, sign, before, after, code] = PRICE.exec(facts.text.text) ?? [];
  const [, whole = "", decimals = ""] = /^(.+?)(?:[.,](\d{1,2}))?$/.exec(before ?? after ?? "") ?? [];
  const price = [whole.replaceAll(/[.,]/g, ""), ...(decimals === "" ? [] : [decimals])].join(".");
  if (price === "") return null;
  const currency = sign ?? code ?? "";
  return { "@type": "Offer", price, priceCurrency: SIGNS[currency] ?? currency, url };
}

/** Approved answers that the page shows, otherwise the question headings of the page with the text below them. */
function questionsOf({ questions, facts }: MarkupSource): readonly { text: string; answer: string }[] {
  if (questions.length > 0) return questions;
  return facts.text.headings
    .filter((heading) => heading.is_question)
    .flatMap(({ text, block }) => {
      const next = facts.text.blocks[block + 1];
      return next === undefined || next.kind === "heading" ? [] : [{ text, answer: next.text }];
    });
}

/** The list items below a heading. */
function listAfter({ text }: PageFacts, heading: RegExp): string[] | null {
  const start = text.headings.find((other) => heading.test(other.text))?.block;
  if (start === undefined) return null;
  const rest = text.blocks.slice(start + 1);
  const end = rest.findIndex(({ kind }) => kind === "heading");
  const items = rest.slice(0, end === -1 ? rest.length : end).filter(({ kind }) => kind === "list_item");
  return items.length === 0 ? null : items.map((item) => item.text);
}

const telephoneOf = ({ text }: PageFacts): string | null =>
  text.links.find(({ href }) => href.startsWith("tel:"))?.href.slice("tel:".length) ?? null;

/** A line that ends with a British postcode. */
function addressOf({ text }: PageFacts): string | null {
  const line = text.blocks.find(
    ({ text: one }) => /\b[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2}\b/.test(one) && one.length < 160,
  );
  return line?.text ?? null;
}

const named = (type: string, name: string | undefined): JsonLd | null =>
  name === undefined ? null : { "@type": type, name };

function crumbsOf(url: string): JsonLd[] {
  const { origin, pathname } = new URL(url);
  const parts = pathname.split("/").filter((part) => part !== "");
  return parts.map((part, index) => ({
    "@type": "ListItem",
    position: index + 1,
    name: decode(part).replaceAll("-", " "),
    item: `${origin}/${parts.slice(0, index + 1).join("/")}`,
  }));
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const isThere = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0);

const compact = (value: JsonLd): JsonLd =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      if (!isThere(member)) return [];
      const isPlain = typeof member === "object" && !Array.isArray(member) && member !== null;
      return [[name, isPlain ? compact({ ...member }) : member]];
    }),
  );
