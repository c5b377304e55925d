import type { RateResult } from "../storage/contract.ts";
import type { Incoming } from "./messages.ts";
import type { Endpoint } from "./namespace.ts";
import type { Operator, Principal } from "./principal.ts";
import type { Refusal } from "./problem.ts";

/** What is known of a request so far; each gate adds to it. `headers` go out with whatever answer it gets. */
export interface Exchange {
  readonly req: Incoming;
  /** Epoch milliseconds, read once. */
  readonly now: number;
  readonly requestId: string;
  readonly path: string;
  /** Raw query, without the question mark. */
  readonly search: string;
  readonly headers: string[];
  principal: Principal | null;
  operator: Operator | null;
  rate: RateResult | null;
  endpoint: Endpoint | null;
  /** Why the request is refused, once it is. */
  refusal: Refusal | null;
  /** What was counted of a visitor for longer than a minute. */
  counted?: { readonly counter: string; readonly windowMs: number; readonly amount: number }[];
  /** Its handler was called. */
  isHandled?: boolean;
  /** Memory of the parsed body, in bytes. */
  bodyMemory?: number;
  /** The body, once a handler asked for it as it came: a transaction that runs again reads it again. */
  rawBody?: Promise<Uint8Array>;
  /** The body was given out as a stream. */
  isStreamed?: boolean;
  /** Counts what the work computed while that is committed; never rejects. The answer waits for it. */
  counting?: Promise<void>;
}
