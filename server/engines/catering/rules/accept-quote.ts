import type { Quote } from "../schema.ts";
import { isExpired, isOpen } from "./quote-state.ts";

export interface Refusal {
  readonly code: "superseded" | "expired" | "withdrawn" | "already_decided" | "not_sent" | "hash_mismatch";
  readonly detail: string;
}

/** What a customer accepts: a version of a quote, as it was shown. */
export interface Answered {
  readonly v: number;
  readonly hash: string;
}

/**
 * Why a quote cannot be accepted or declined as this version now (C3); null when it can, also a second time with the
 * same version and hash, which changes nothing.
 */
export function answerRefusal(quote: Quote, { v, hash }: Answered, now: number): Refusal | null {
  if (v !== quote.current_version) {
    return {
      code: "superseded",
      detail: `Version ${v} was replaced by version ${quote.current_version}. Use the latest link.`,
    };
  }
  if (quote.acceptance !== null && quote.acceptance.v === v && quote.acceptance.hash === hash) return null;
  if (isExpired(quote, now)) return { code: "expired", detail: `The quote ended at ${quote.valid_until}.` };
  if (quote.status === "withdrawn") return { code: "withdrawn", detail: "The quote was withdrawn." };
  if (quote.status === "draft") {
    return { code: "not_sent", detail: "This version is being written and was not sent yet." };
  }
  if (!isOpen(quote.status)) {
    return { code: "already_decided", detail: `The quote is ${quote.status.replace("_", " ")} already.` };
  }
  return hash === quote.hash
    ? null
    : { code: "hash_mismatch", detail: "The hash is not that of the version that was sent." };
}
