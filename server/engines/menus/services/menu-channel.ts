import { OutgoingError } from "../../../core/ports.ts";
import type { OutgoingAnswer, Ports } from "../../../core/ports.ts";
import { signedHeaders } from "../../../core/standard-webhooks.ts";
import { joinPieces, jsonPieces } from "../../../lib/json-pieces.ts";

/** Something that cannot be sold in the channel now, or can again. */
export interface StockChange {
  readonly kind: "item" | "modifier";
  readonly id: string;
  /** The id that the channel's own format uses. */
  readonly external_id: string;
  readonly available: boolean;
  /** Available again at this time; null: not known. */
  readonly until: string | null;
}

export interface MenuMessage {
  /** The same in every attempt with the same allergens and diets. */
  readonly id: string;
  readonly data: {
    readonly connection_id: string;
    readonly menu_id: string;
    readonly menu_version: number;
    readonly format: string;
    readonly document: object;
  };
}

export interface StockMessage {
  readonly id: string;
  readonly data: {
    readonly connection_id: string;
    readonly menu_id: string;
    readonly menu_version: number;
    readonly changes: readonly StockChange[];
  };
}

/**
 * What came of a message. `pending`: the channel is still at work, and gets the same message again; `retry`: it may
 * have got the message or not; `refused`: sending it again would not help.
 */
export type ChannelResult =
  | { readonly status: "accepted" }
  | { readonly status: "pending" }
  | { readonly status: "refused"; readonly error: string }
  | {
      readonly status: "retry";
      readonly error: string;
      /** Epoch milliseconds of real time before which another attempt is not useful; null: unknown. */
      readonly notBeforeMs: number | null;
    };

/** A system that shows the menu to its own customers. Messages arrive at least once, so they must bear repetition. */
export interface MenuChannel {
  readonly publish: (message: MenuMessage) => Promise<ChannelResult>;
  readonly updateStock: (message: StockMessage) => Promise<ChannelResult>;
}

const TIMEOUT_MS = 20_000;
const ERROR_MAX = 500;
const RETRY_AFTER_MAX_SECONDS = 86_400;
/** Refusals that another attempt may overcome. */
const TEMPORARY: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/**
 * JSON posted to a URL, signed by Standard Webhooks. 2xx accepts it, 202 says that the channel is still at work,
 * 5xx, 408, 409, 425 and 429 ask for another attempt, and every other answer refuses it.
 */
export function createSignedPush(deps: {
  readonly url: string;
  readonly secrets: readonly string[];
  /** Whose menu it is: a large one is written with pauses. */
  readonly part: string;
  readonly ports: Pick<Ports, "post" | "realNow">;
}): MenuChannel {
  const send = async (type: string, id: string, data: object): Promise<ChannelResult> => {
    const body = await joinPieces(jsonPieces({ type, data }), deps.part);
    const now = deps.ports.realNow();
    const signed = signedHeaders({ id, timestamp: Math.floor(now / 1000), body }, deps.secrets);
    const headers = { ...signed, "content-type": "application/json", "idempotency-key": id };
    try {
      return judgeAnswer(await deps.ports.post({ url: deps.url, headers, body, timeoutMs: TIMEOUT_MS }), now);
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error;
      return { status: "retry", error: error.message.slice(0, ERROR_MAX), notBeforeMs: error.renewsAtMs };
    }
  };
  return {
    publish: ({ id, data }) => send("menu.publish", id, data),
    updateStock: ({ id, data }) => send("stock.update", id, data),
  };
}

export function judgeAnswer({ status, body, retryAfter }: OutgoingAnswer, nowMs: number): ChannelResult {
  if (status === 202) return { status: "pending" };
  if (status >= 200 && status < 300) return { status: "accepted" };
  const error = `The channel answered ${status}: ${body}`.slice(0, ERROR_MAX);
  if (status < 500 && !TEMPORARY.has(status)) return { status: "refused", error };
  const seconds = retryAfter !== undefined && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : 0;
  const waitMs = Math.min(seconds, RETRY_AFTER_MAX_SECONDS) * 1000;
  return { status: "retry", error, notBeforeMs: waitMs === 0 ? null : nowMs + waitMs };
}
