import type { AiItem, AiRequest } from "../core/ai.ts";
import type { Tokens } from "./cost.ts";

/** What a provider is asked: the request with everything settled that it left open. */
export interface Task extends Pick<AiRequest, "operation" | "input" | "instructions" | "part"> {
  readonly model: string;
  readonly signal: AbortSignal;
  /** Longest answer, in tokens. */
  readonly outputTokensMax: number;
}

/** What a provider gave. */
export interface Written {
  readonly text: string;
  readonly items?: readonly AiItem[];
  /** As the provider counted; null where it did not. */
  readonly tokens: Tokens | null;
  readonly sources: readonly { readonly url: string; readonly title: string | null }[];
}

/** A writer of texts. Failures are `ProviderError`s; a cancellation is the signal's own reason. */
export interface Provider {
  readonly id: string;
  readonly isLocal: boolean;
  /** Models that may be asked, the default first. */
  readonly models: readonly string[];
  /** All that a task sends, for counting it beforehand. */
  readonly promptOf: (task: Task) => string;
  readonly write: (task: Task) => Promise<Written>;
  /** Yields the text as it comes, and returns what `write` would. */
  readonly stream: (task: Task) => AsyncGenerator<string, Written, undefined>;
}

interface ProviderErrorOptions {
  /** False where the provider refused before it began to write. */
  readonly isCharged: boolean;
  /** Seconds after which to retry, if the provider specified it. */
  readonly retryAfter?: number | null;
  /** What is wrong and what to do, for the caller; the message is for the log and may name internal addresses. */
  readonly detail?: string;
  /** What the provider charged for, if it reported usage. */
  readonly tokens?: Tokens | null;
  /** What it wrote before the failure. */
  readonly text?: string;
  readonly cause?: unknown;
}

/** A failure of a provider, and whether it may have been charged. */
export class ProviderError extends Error {
  readonly isCharged: boolean;
  readonly retryAfter: number | null;
  readonly detail: string | null;
  readonly tokens: Tokens | null;
  readonly text: string;
  constructor(message: string, options: ProviderErrorOptions) {
    super(message, { cause: options.cause });
    this.name = "ProviderError";
    this.isCharged = options.isCharged;
    this.retryAfter = options.retryAfter ?? null;
    this.detail = options.detail ?? null;
    this.tokens = options.tokens ?? null;
    this.text = options.text ?? "";
  }
}
