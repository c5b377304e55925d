import type { Endpoint } from "../../http/namespace.ts";
import { ERRORS } from "../../lib/errors.ts";
import { inTurn } from "../../lib/slices.ts";
import { referencePath } from "./engine-page.ts";
import { GUIDES } from "./guides.ts";

export interface Hit {
  readonly path: string;
  readonly title: string;
  readonly about: string;
}

const HITS_MAX = 30;

/** Guides come before the routes that they explain. */
const GUIDE_BOOST = 8;
const isGuide = (id: unknown): boolean => String(id).startsWith("/docs/guides/");

/** What other systems call the same thing. */
const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map([
  ["429", ["rate"]],
  ["bill", ["invoice"]],
  ["callback", ["webhook"]],
  ["cors", ["browser"]],
  ["discount", ["offer", "coupon"]],
  ["gdpr", ["privacy", "erase"]],
  ["gluten", ["allergen"]],
  ["inventory", ["stock"]],
  ["login", ["authentication", "key"]],
  ["loyalty", ["tier", "programme"]],
  ["pagination", ["cursor", "list"]],
  ["promo", ["offer", "coupon"]],
  ["retry", ["idempotency"]],
  ["shipping", ["delivery"]],
  ["stripe", ["payment", "gateway"]],
  ["throttling", ["rate"]],
  ["token", ["key"]],
  ["voucher", ["coupon"]],
]);

/** Words of a query that are searched: anybody may search, as often as they like. */
const WORDS_MAX = 10;
/** Share of a word's letters that may differ. */
const FUZZY = 0.15;

/** Searches guides, routes and error types. The index is made at the first search. */
export function createSearch(shown: readonly Endpoint[]): (words: string, baseUrl: string) => Promise<Hit[]> {
  const open = once(async (baseUrl: string) => {
    const { default: MiniSearch } = await import("minisearch");
    const entries = [...guides(baseUrl), ...routes(shown), ...errors()];
    const index = new MiniSearch<Entry>({
      idField: "path",
      fields: ["title", "about", "text"],
      storeFields: ["title", "about"],
      tokenize: (text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u),
      searchOptions: {
        boost: { title: 3, about: 2 },
        // One letter begins a third of all words: looking all of them up for each of fifty letters would take a quarter of a second, and
        // those of ten pairs of letters 20 ms.
        prefix: (term) => term.length > 2,
        fuzzy: (term) => (term.length > 3 ? FUZZY : false),
        combineWith: "AND",
      },
    });
    index.addAll(entries);
    return index;
  });
  return async (words, baseUrl) => {
    if (words.trim() === "") return [];
    const index = await open(baseUrl);
    const asked = new Set((words.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, WORDS_MAX));
    const queries = Array.from(asked, (word) => ({
      combineWith: "OR" as const,
      queries: [word, ...(SYNONYMS.get(word) ?? [])],
    }));
    const query = { combineWith: "AND" as const, queries };
    const boosts = { boostDocument: (id: unknown) => (isGuide(id) ? GUIDE_BOOST : 1) };
    // The pages have no key that counts: searches share the time that the event loop has for long work.
    const hits = await inTurn("docs.search", () => index.search(query, boosts));
    return hits
      .slice(0, HITS_MAX)
      .map(({ id, title, about }) => ({ path: String(id), title: String(title), about: String(about) }));
  };
}

interface Entry extends Hit {
  readonly text: string;
}

const guides = (baseUrl: string): Entry[] =>
  GUIDES.map(({ slug, title, summary, markdown }) => ({
    path: `/docs/guides/${slug}`,
    title,
    about: summary,
    text: markdown(baseUrl),
  }));

const routes = (shown: readonly Endpoint[]): Entry[] =>
  shown.map((endpoint) => ({
    path: referencePath(endpoint),
    title: `${endpoint.route.method} ${endpoint.path}`,
    about: endpoint.route.summary,
    text: `${endpoint.route.id} ${endpoint.route.description}`,
  }));

const errors = (): Entry[] =>
  Object.entries(ERRORS).map(([type, { status, title }]) => ({
    path: `/docs/errors/${type}`,
    title: `${status} ${title}`,
    about: `The error type ${type}`,
    text: "error",
  }));

/** Does a thing once; a failure is not kept. */
function once<A, T>(make: (arg: A) => Promise<T>): (arg: A) => Promise<T> {
  let made: Promise<T> | null = null;
  return (arg) => {
    made ??= make(arg);
    made.catch(() => (made = null));
    return made;
  };
}
