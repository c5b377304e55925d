import { fromInstant } from "../../../lib/instant.ts";
import type { Quote, QuoteStatus } from "../schema.ts";

export type QuoteAction =
  | "edit"
  | "send"
  | "view"
  | "revise"
  | "accept"
  | "decline"
  | "withdraw"
  | "expire"
  | "decide"
  | "convert";

const FROM: Readonly<Record<QuoteAction, readonly QuoteStatus[]>> = {
  edit: ["draft"],
  send: ["draft"],
  view: ["sent"],
  revise: ["sent", "viewed"],
  accept: ["sent", "viewed"],
  decline: ["sent", "viewed"],
  withdraw: ["draft", "sent", "viewed", "awaiting_approval"],
  expire: ["sent", "viewed"],
  decide: ["awaiting_approval"],
  convert: ["accepted"],
};

/** Whether a quote in this state takes this step. */
export const mayTake = (action: QuoteAction, status: QuoteStatus): boolean => FROM[action].includes(status);

/** States in which a customer can still say yes or no. */
export const isOpen = (status: QuoteStatus): boolean => status === "sent" || status === "viewed";

/** A quote is valid until `valid_until`: at that instant it expires, whether or not that has been noted yet. */
export const isExpired = (
  { status, valid_until: until }: Pick<Quote, "status" | "valid_until">,
  now: number,
) => status === "expired" || (isOpen(status) && fromInstant(until) <= now);
