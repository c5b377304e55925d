import { conflictWhen, unprocessableWhen } from "../lib/errors.ts";
import type { AiUsage } from "./ai-ledger.ts";
import type { Claim } from "../lib/text/facts.ts";

/**
 * The one way in which engines have a text written (`ctx.ports.ai`). Every call reserves its part of the store's
 * budgets, runs, settles and leaves a usage record; from any provider, the result was checked against its sources.
 */
export interface Ai {
  /**
   * Writes and settles before it resolves. Called again with the same request id and request (a handler that lost a
   * race runs twice) it gives the first result and costs nothing. Refuses with 409 `budget_exceeded` where a budget says
   * `block`, 422 for a provider or model that is not configured, 503 `ai_unavailable` (with Retry-After where the
   * provider gave one) when the provider fails.
   */
  generate(request: AiRequest): Promise<AiResult>;
  /**
   * The same as it is being written. Refusals before the first word reject the promise; what goes wrong later is an event
   * `error`, the last one. Leaving the loop early cancels the call and settles what was used.
   */
  stream(request: AiRequest): Promise<AsyncIterable<AiEvent>>;
  /** Providers that can be asked for by name, the default first. */
  readonly providers: readonly AiProviderInfo[];
}

export interface AiProviderInfo {
  readonly id: string;
  readonly model: string;
  /** True where the same input gives the same output and nothing leaves this machine. */
  readonly is_local: boolean;
}

/** A task for a provider of the operator. */
export interface AiProviderTask {
  readonly model: string;
  readonly operation: AiOperation;
  readonly system: string;
  readonly prompt: string;
  /** BCP 47. */
  readonly locale: string;
  /** The question alone, for `answer`. */
  readonly question: string | null;
  readonly outputTokensMax: number;
  readonly signal: AbortSignal;
}

/**
 * A provider in the code of the operator, for protocols other than that of OpenAI: an item of `aiProviders` in the
 * configuration file. Its budgets, records and checks are those of every provider.
 */
export interface AiProvider {
  /** Name in requests, and of its answers as an answer engine. */
  readonly id: string;
  /** Models that requests may specify, the default first. */
  readonly models: readonly string[];
  /** Writes the text of a prompt; throws where it cannot. `sources` are the pages that an answer cites. */
  write(task: AiProviderTask): Promise<{
    readonly text: string;
    readonly sources?: readonly { readonly url: string; readonly title: string | null }[] | undefined;
    readonly tokens?: { readonly input: number; readonly output: number } | null | undefined;
  }>;
}

export const PROVIDER_ID = /^[a-z0-9][a-z0-9_-]{0,39}$/;
/** Ids of the providers of the platform itself. */
export const OWN_PROVIDERS: readonly string[] = ["builtin", "openai-compatible"];

export const AI_OPERATIONS = [
  "summarise",
  "meta_description",
  "title_suggestions",
  "outline",
  "faq",
  "keywords",
  "rewrite",
  "draft",
  "answer",
  "reply",
] as const;
export type AiOperation = (typeof AI_OPERATIONS)[number];

export const REWRITE_OPS = [
  "answer_first",
  "drop_filler",
  "split_long",
  "question_headings",
  "list_from_series",
] as const;
export type RewriteOp = (typeof REWRITE_OPS)[number];

export interface AiRequest {
  /** Namespace of the engine that asks, for the usage record. */
  readonly engine: string;
  readonly operation: AiOperation;
  readonly input: AiInput;
  /** Wishes of the shop, in its own words; the builtin provider does not read them. */
  readonly instructions?: string | undefined;
  /** Default: the configured one. */
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  /** The key that pays; null for jobs. */
  readonly key_id: string | null;
  /** Id of what the text is for, as in `drf_…`; null for what is stored nowhere. */
  readonly resource: string | null;
  readonly request_id: string;
  /** The store's partition, where budgets and records are stored: `ctx.tx.part`. */
  readonly part: string;
  /** Distinguishes several samples of one request. */
  readonly sample?: number;
  readonly signal?: AbortSignal;
}

/** What an operation works on; each reads what it knows of this. */
export interface AiInput {
  /** The text itself, a review to reply to, or notes for a draft. */
  readonly text: string;
  readonly format?: "markdown" | "html";
  /** BCP 47. Default: `en`. */
  readonly locale?: string;
  readonly title?: string | undefined;
  readonly keyphrase?: string | undefined;
  readonly brand?: string | undefined;
  /** For `answer`; for `rewrite` with `answer_first`: what the text should answer at once. */
  readonly question?: string | undefined;
  /** For `rewrite`, applied in this order. */
  readonly ops?: readonly RewriteOp[];
  /** Sentences of a summary, titles, keywords, questions: how many at most. */
  readonly count?: number;
  /** For `answer`: what may be quoted, best first. */
  readonly passages?: readonly { readonly id: string; readonly text: string }[];
  /** For `reply`: stars (1–5) and the name shown with the review. */
  readonly rating?: number;
  readonly author_name?: string | undefined;
  /** What else is known to be true of the store: prices, opening hours, names. The output may say these things. */
  readonly facts?: readonly string[];
  /** Sentences about allergens that must stay in the text word for word. */
  readonly locked?: readonly string[];
}

export interface AiResult {
  readonly text: string;
  /** Parts of an answer that is a list: titles, keywords, headings, questions. */
  readonly items?: readonly AiItem[];
  readonly provider: string;
  readonly model: string;
  readonly usage: AiUsage;
  /** Its usage record, `aiu_…`. */
  readonly usage_id: string;
  /** True when a budget was used up and the builtin provider answered instead. */
  readonly fallback: boolean;
  /** What the text says that neither the input nor the facts do. While there is any, it is not to be applied. */
  readonly unsupported_claims: readonly Claim[];
  /** Pages that the provider names as its sources. */
  readonly sources: readonly { readonly url: string; readonly title: string | null }[];
}

export interface AiItem {
  readonly text: string;
  /** The answer to a question of `faq`. */
  readonly answer?: string;
  /** The level of a heading of `outline`. */
  readonly level?: number;
  /** Of a keyword or a summarised sentence; comparable inside one result only. */
  readonly score?: number;
  /** Where a passage or a sentence comes from: its id, or its place in the text from 0. */
  readonly origin?: string;
}

/** Events of a stream; served as they are, by their `type`. */
export type AiEvent =
  | { readonly type: "delta"; readonly text: string }
  | { readonly type: "usage"; readonly usage: AiUsage; readonly usage_id: string }
  | { readonly type: "done"; readonly result: AiResult }
  | { readonly type: "error"; readonly code: string; readonly detail: string; readonly usage_id: string };

/** What a route that has a text written declares. */
export const aiErrors = [
  conflictWhen("budget_exceeded", "A budget of the store that blocks is exhausted"),
  unprocessableWhen("unknown_provider", "No provider with this name"),
  unprocessableWhen("unknown_model", "The provider has no model with this name"),
  { type: "service_unavailable", code: "ai_unavailable", when: "The provider does not respond" },
] as const;
