import { defineStates } from "../../../core/states.ts";
import { QuoteRequestStatus } from "../schema/quote-request.ts";
import type { QuoteRequest } from "../schema/quote-request.ts";

const QUOTE_ACTIONS = [
  "triage",
  "quote",
  "accept",
  "decline",
  "withdraw",
  "expire",
  "convert",
  "spam",
] as const;
export type QuoteAction = (typeof QUOTE_ACTIONS)[number];

const OPEN: readonly QuoteRequestStatus[] = ["new", "triaged", "quoted"];
const MOVES: Readonly<Record<QuoteAction, readonly [readonly QuoteRequestStatus[], QuoteRequestStatus]>> = {
  triage: [["new"], "triaged"],
  quote: [["new", "triaged"], "quoted"],
  accept: [["quoted"], "accepted"],
  convert: [["accepted"], "converted"],
  decline: [OPEN, "declined"],
  withdraw: [OPEN, "withdrawn"],
  expire: [OPEN, "expired"],
  spam: [OPEN, "spam"],
};

/** The status of a quote request after an action; null if it is not allowed. */
export function nextQuoteStatus(action: QuoteAction, status: QuoteRequestStatus): QuoteRequestStatus | null {
  const [from, to] = MOVES[action];
  return from.includes(status) ? to : null;
}

export const isOpenRequest = (status: QuoteRequestStatus): boolean => OPEN.includes(status);

/** Status before the submission was marked as spam. */
export function statusBeforeSpam({
  quote_id: quote,
  timeline,
}: Pick<QuoteRequest, "quote_id" | "timeline">): QuoteRequestStatus {
  if (quote !== null) return "quoted";
  return timeline.some(({ what: action }) => action === "triaged") ? "triaged" : "new";
}

/** The action on the request that follows from the catering quote; null if it is still open. */
export function actionOf(quoteStatus: string): QuoteAction | null {
  switch (quoteStatus) {
    case "accepted":
    case "converted":
      return "accept";
    case "declined":
      return "decline";
    case "withdrawn":
      return "withdraw";
    case "expired":
      return "expire";
    default:
      return null;
  }
}

export const quoteRequestStates = defineStates("Quote request", {
  collection: "forms.quote_requests",
  states: QuoteRequestStatus.options,
  actions: [...QUOTE_ACTIONS, "unspam"],
  next(status, action) {
    if (action === "unspam") return status === "spam" ? OPEN : null;
    return nextQuoteStatus(action, status);
  },
});
