import { fromInstant } from "../../../lib/instant.ts";
import { defineTransitions } from "../../../core/states.ts";
import type { Quote, QuoteStatus } from "../schema.ts";

const OPEN: readonly QuoteStatus[] = ["sent", "viewed"];

export const quoteStates = defineTransitions("Quote", {
  collection: "catering.quotes",
  steps: {
    edit: [["draft"], null],
    send: [["draft"], "sent"],
    view: [["sent"], "viewed"],
    revise: [OPEN, "draft"],
    accept: [OPEN, ["accepted", "awaiting_approval"]],
    decline: [OPEN, "declined"],
    withdraw: [["draft", ...OPEN, "awaiting_approval", "accepted"], "withdrawn"],
    expire: [OPEN, "expired"],
    decide: [["awaiting_approval"], ["accepted", "declined"]],
    convert: [["accepted", "awaiting_approval"], "converted"],
  },
});
export type QuoteAction = Parameters<typeof quoteStates.from>[0];

/** Whether a quote in this state takes this step. */
export const mayTake = quoteStates.allows;

/** States in which a customer can still say yes or no. */
export const isOpen = (status: QuoteStatus): boolean => OPEN.includes(status);

/** A quote is valid until `valid_until`: at that instant it expires, whether or not that has been noted yet. */
export const isExpired = (
  { status, valid_until: until }: Pick<Quote, "status" | "valid_until">,
  now: number,
) => status === "expired" || (isOpen(status) && fromInstant(until) <= now);
