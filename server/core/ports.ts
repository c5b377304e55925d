import type { KnownAllergens, ProductVerdict } from "./known-allergens.ts";
import type { Ai } from "./ai.ts";
import type { NewId } from "./ids.ts";
import type { MadePayment, PaymentPageRequest } from "./payments.ts";
import type { RunTx, Tx } from "./tx.ts";

/** A POST to another party's server. */
export interface OutgoingPost {
  /** Absolute https URL. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Milliseconds until it is given up, from connecting to the end of the answer. */
  readonly timeoutMs: number;
}

export interface OutgoingAnswer {
  readonly status: number;
  /** The first 64 KB of the answer, as text. */
  readonly body: string;
  /** `Retry-After` as it came, where the answer has one. */
  readonly retryAfter?: string;
}

/** A GET (or HEAD) to another party's server. */
export interface OutgoingGet {
  /** Absolute http or https URL. */
  readonly url: string;
  readonly method?: "GET" | "HEAD";
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds until it is given up, from connecting to the end of the answer. Default: 10 s. */
  readonly timeoutMs?: number;
  /** Bytes of the decoded body that are read at most. Default: 2 MB. */
  readonly bytesMax?: number;
  readonly signal?: AbortSignal;
  /** Partition of the store in whose turns the answer is read. */
  readonly part?: string;
}

export interface FetchedAnswer {
  readonly status: number;
  /** By lower-case name; several of one name are joined by ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded (gzip, deflate, br), and cut at the limit. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** True when there was more of the body than was read. */
  readonly isCut: boolean;
  /** Target of a redirect (301, 302, 303, 307, 308), absolute; null for any other answer. It was not followed. */
  readonly location: string | null;
  /** The body as text, by the charset that its media type names, else UTF-8. */
  text(): string;
}

/** Where contents of files are stored, where not among the documents. Keys are made of our own ids: `<part>/<id>`. */
export interface FileStore {
  /** Resolves when the content is durable. Throws StoreError. */
  write(key: string, content: Uint8Array): Promise<void>;
  /** Null for a file that does not exist. */
  read(key: string): Promise<Uint8Array<ArrayBuffer> | null>;
  /** Also for a file that does not exist, or of which a write was interrupted. */
  remove(key: string): Promise<void>;
  has(key: string): Promise<boolean>;
  /** The keys of the files; some drivers of unstorage list the first thousand only. */
  list(): Promise<readonly string[]>;
}

/** What the service around the engines does for them, in addition to storage and time. */
export interface Ports {
  /** Public address of the service, without a trailing slash: links begin with it. */
  readonly baseUrl: string;
  /** Epoch milliseconds of real time, which a store's test clock does not move: for what other machines check. */
  readonly realNow: () => number;
  /**
   * What only this service can make of a text, for signing links: 43 characters of base64url. The purpose keeps a
   * signature made for one use from passing in another.
   */
  readonly sign: (purpose: string, text: string) => string;
  /**
   * Sends a POST and resolves with whatever answer came. Rejects with an `OutgoingError`; only `refused` means that
   * nothing was sent. It follows no redirect and does not reach into private networks unless the operator runs `dev`.
   */
  readonly post: (request: OutgoingPost) => Promise<OutgoingAnswer>;
  /**
   * Sends a GET and resolves with whatever answer came, under the guards of `post`; `outgoing.allow` of the configuration
   * lifts them for single hosts and ranges. It follows no redirect: `fetchFollowing` (`fetching.ts`) asks hop by hop.
   */
  readonly fetch: (request: OutgoingGet) => Promise<FetchedAnswer>;
  /**
   * Has a file looked at for viruses: `pending` when the scanner did not answer. Absent where the operator has set up
   * none.
   */
  readonly scan?: (bytes: Uint8Array) => Promise<"clean" | "infected" | "pending">;
  /** Where files are stored. Absent where they are stored among the documents (`core/contents.ts`). */
  readonly files?: FileStore;
  /** Texts written by a provider, within the store's budgets. */
  readonly ai: Ai;
  /** What engines provide to each other. */
  readonly engines: EnginePorts;
}

/**
 * What a step of an engine needs in addition to its transaction, whether a route, a link or a job takes it. Engines extend it by what
 * their own steps share: settings, words, the transaction.
 */
export interface Work {
  /** Epoch milliseconds, by the store's clock. */
  readonly now: number;
  /** The same instant in RFC 3339. */
  readonly nowAt: string;
  /** Partition of the store. */
  readonly part: string;
  readonly newId: NewId;
  readonly ports: Ports;
}

/** Work of several commits: other services are asked between them. */
export interface LongWork extends Work {
  readonly runTx: RunTx;
}

/** Questions that one engine answers for the others, in the transaction of the one that asks. */
export interface EnginePorts {
  /**
   * Provided by allergens: what is known of products, by product id; `mode` is the store's own when null. What was not
   * knows is not in the map: treat it as unknown, never as free.
   */
  allergensOf(
    tx: Tx,
    productIds: readonly string[],
    about: { readonly mode: string | null; readonly now: number },
  ): Promise<ReadonlyMap<string, KnownAllergens>>;
  /**
   * Answered by allergens: whether products suit a guest, by product id, as `POST /v1/allergens/check` judges them in the store's own mode.
   * A product that it does not know is not in the map: it is unknown, as all are where a word is no code.
   */
  judgeProducts(
    tx: Tx,
    productIds: readonly string[],
    guest: { readonly avoid: readonly string[]; readonly diets: readonly string[]; readonly now: number },
  ): Promise<ReadonlyMap<string, ProductVerdict>>;
  /**
   * Provided by allergens: the products that another system's objects are about, in the order of these: the one with its
   * reference, else the only one with one of its titles, unless that lacks one of its allergens, else a new, unverified one if `is_created` is set; null without
   * one. What an object contains and its product, found by reference or given, does not declare is added to the product, which has to be
   * verified again. Not in a transaction: each product has a commit of its own.
   */
  linkProducts(
    work: ProductLinker,
    wanted: readonly WantedProduct[],
  ): Promise<readonly (LinkedProduct | null)[]>;
  /**
   * Answered by menus: the same for an item with what was chosen for it, as `POST /v1/menus/price` takes `selections`;
   * null for an item that is not there or a choice that cannot be made. It asks `allergensOf` in turn, so it is called
   * as a method of the ports.
   */
  allergensOfItem(
    this: EnginePorts,
    tx: Tx,
    item: { readonly menu_item_id: string; readonly selections: readonly unknown[] },
    about: { readonly mode: string | null; readonly now: number },
  ): Promise<KnownAllergens | null>;
  /** Answered by menus: items and modifiers that sell a product, by product id; absent: none does. */
  menuItemsOf(
    tx: Tx,
    productIds: readonly string[],
  ): Promise<ReadonlyMap<string, readonly { readonly id: string; readonly title: string }[]>>;
  /** Provided by menus: lead times of items in minutes, 0 for an item without one; absent: no item with this id. */
  leadMinutesOf(tx: Tx, itemIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Answered by tiers: what a customer has by the shop's own id of it; null for one of whom nothing is known. */
  tierOf(tx: Tx, customerId: string): Promise<KnownTier | null>;
  /**
   * Provided by content: what a draft says now (with what is staged for a published one), or a post as it is on the
   * site, both by the draft's id; null for what is not there.
   */
  textOf(tx: Tx, about: { readonly kind: "draft" | "post"; readonly id: string }): Promise<KnownText | null>;
  /**
   * Answered by content: gives a draft another body, as a new revision. On a published draft it is staged and waits for
   * `publish`; a scheduled one is refused, since it would not be looked at again. Null when there is no such draft; refused
   * with 409 where its state allows no edit. What an AI wrote is noted with the draft.
   */
  reviseDraft(tx: Tx, change: DraftChange): Promise<RevisedDraft | null>;
  /**
   * Provided by catering: drafts a quote for a customer who asked for one elsewhere, at the prices given. Nothing reaches
   * the customer before the kitchen sends it. Null where the engine is not installed.
   */
  createQuote(tx: Tx, wanted: WantedQuote): Promise<{ readonly id: string; readonly number: number } | null>;
  /** Provided by catering: status of a quote (`draft`, `sent`, `viewed`, `accepted`, …); null when it does not exist. */
  quoteStateOf(tx: Tx, quoteId: string): Promise<{ readonly status: string } | null>;
  /** Provided by subscriptions: whether the store has a gateway with a page on which a customer can pay once. */
  hasPaymentPage(tx: Tx): Promise<boolean>;
  /** Provided by subscriptions: the address of that page; null when the gateway gives none. Not in a transaction. */
  openPaymentPage(work: LongWork, request: PaymentPageRequest): Promise<string | null>;
  /** Provided by subscriptions: what was paid on a page; null while nothing was. Not in a transaction. */
  readPagePayment(work: LongWork, sessionId: string): Promise<MadePayment | null>;
  /** Provided by catering: records a payment that a gateway reports, once. Not in a transaction. */
  takePagePayment(work: LongWork, payment: MadePayment): Promise<void>;
  /** Provided by answeros: how well a text lends itself to being quoted in answers, 0 to 100; null without that engine. */
  aeoOf(tx: Tx, text: JudgedText, about: { readonly now: number }): Promise<number | null>;
}

/** A product as another system describes it. */
export interface WantedProduct {
  readonly external_ref: { readonly system: string; readonly id: string };
  /** The title in each of its languages; a new product has the first. Case and accents do not count. */
  readonly titles: readonly string[];
  /** Allergen codes that its product declares; codes that are not known are left out. */
  readonly contains: readonly string[];
  /** The product that it has already. */
  readonly product_id: string | null;
  /** Whether nothing is written. */
  readonly is_dry_run: boolean;
  /** Whether it is created where none is found. */
  readonly is_created: boolean;
}

/** What finds and creates products. */
export interface ProductLinker extends Pick<LongWork, "part" | "runTx" | "nowAt" | "newId"> {
  /** Id of the key that asks. */
  readonly caller: string | null;
}

export interface LinkedProduct {
  readonly product_id: string;
  readonly outcome: "linked" | "created";
}

/** A quote as a customer asks for it. */
export interface WantedQuote {
  readonly now: number;
  readonly newId: NewId;
  readonly title: string;
  readonly customer: { readonly name: string; readonly email: string; readonly company: string };
  /** Local date and times of the event in the shop's zone (`YYYY-MM-DD`, `HH:MM`). */
  readonly event: {
    readonly date: string;
    readonly start: string;
    readonly end: string;
    readonly site: string;
  };
  readonly guests: number;
  /** Prices are minor units of the shop's currency; null quantity: the number of guests for `per_head`, else 1. */
  readonly lines: readonly {
    readonly type: "per_head" | "fixed";
    readonly title: string;
    readonly unit_price: number;
    readonly quantity: number | null;
    readonly tax_rate_bps: number;
    readonly product_ref: string | null;
  }[];
  readonly dietary: readonly { readonly code: string; readonly count: number }[];
  /** Ids of what it came from, kept with the quote. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** A text of the content engine, as it would be on the site. */
export interface KnownText {
  /** The draft's id. */
  readonly id: string;
  readonly kind: "draft" | "post";
  readonly revision: number;
  readonly title: string;
  /** The title and description for search engines; null where the text has none of its own. */
  readonly seo_title: string | null;
  readonly description: string | null;
  readonly focus_keyphrase: string | null;
  /** BCP 47. */
  readonly locale: string;
  readonly body_format: "markdown" | "html";
  /** As it was written: not sanitised. */
  readonly body: string;
  /** Its address, now or in the future; null while the shop has not said where its site is. */
  readonly url: string | null;
  readonly canonical_url: string | null;
  readonly robots: {
    readonly noindex: boolean;
    readonly nosnippet: boolean;
    readonly max_snippet: number | null;
  };
  readonly published_at: string | null;
  readonly updated_at: string;
}

/** What of a text is judged by itself, be it stored or not. */
export type JudgedText = Pick<
  KnownText,
  | "title"
  | "seo_title"
  | "description"
  | "locale"
  | "body_format"
  | "body"
  | "canonical_url"
  | "robots"
  | "updated_at"
>;

export interface DraftChange {
  readonly draft_id: string;
  readonly body: string;
  readonly message: string;
  readonly source: "human" | "ai" | "import";
  /** Claims that no source supports and that a person approved: by which text, why, and how many. */
  readonly override?: { readonly id: string; readonly reason: string; readonly claims: number } | undefined;
  /** Id of the key or name of the process that writes it. */
  readonly by: string;
  readonly now_at: string;
}

export interface RevisedDraft {
  /** Number of the revision that holds the body: the one before where nothing changed. */
  readonly revision: number;
  /** It waits for `publish`. */
  readonly is_staged: boolean;
}

/** The tier of a customer, as of the last time something about it was judged. */
export interface KnownTier {
  readonly level_id: string;
  readonly name: string;
  /** 0 is the base. */
  readonly rank: number;
  readonly benefits: readonly {
    /** Such as `free_delivery` or `discount_offer`; what it means is for the one who asks. */
    readonly kind: string;
    readonly ref: string;
    readonly value: number;
    readonly title: string;
  }[];
}

/** The answers of all engines together; a question that none of them answers is answered with nothing known. */
export const joinEnginePorts = (answers: readonly Partial<EnginePorts>[]): EnginePorts =>
  answers.reduce<EnginePorts>((all, own) => ({ ...all, ...own }), NO_ENGINE_PORTS);

/** The answers of engines that are not there: nothing is known. */
export const NO_ENGINE_PORTS: EnginePorts = {
  allergensOf: () => Promise.resolve(new Map()),
  judgeProducts: () => Promise.resolve(new Map()),
  linkProducts: (_work, wanted) => Promise.resolve(wanted.map(() => null)),
  allergensOfItem: () => Promise.resolve(null),
  menuItemsOf: () => Promise.resolve(new Map()),
  leadMinutesOf: () => Promise.resolve(new Map()),
  tierOf: () => Promise.resolve(null),
  textOf: () => Promise.resolve(null),
  reviseDraft: () => Promise.resolve(null),
  createQuote: () => Promise.resolve(null),
  quoteStateOf: () => Promise.resolve(null),
  hasPaymentPage: () => Promise.resolve(false),
  openPaymentPage: () => Promise.resolve(null),
  readPagePayment: () => Promise.resolve(null),
  takePagePayment: () => Promise.resolve(),
  aeoOf: () => Promise.resolve(null),
};

/** `refused`: the request never left. `unknown`: it may have been carried out, and the answer did not come. */
export type OutgoingFault = "refused" | "unknown";

export class OutgoingError extends Error {
  readonly fault: OutgoingFault;
  /** When the budget that refused the request renews, in epoch milliseconds; null for every other fault. */
  readonly renewsAtMs: number | null;
  constructor(
    fault: OutgoingFault,
    message: string,
    options: { readonly cause?: unknown; readonly renewsAtMs?: number | null } = {},
  ) {
    super(message, options);
    this.name = "OutgoingError";
    this.fault = fault;
    this.renewsAtMs = options.renewsAtMs ?? null;
  }
}
