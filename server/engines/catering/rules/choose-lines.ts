import type { Quote, QuoteVersion } from "../schema.ts";
import { depositSchedule } from "./deposit-schedule.ts";
import { priceEvent } from "./price-event.ts";
import { quoteHash } from "./quote-hash.ts";

type Content = QuoteVersion["content"];

/** A version with the optional lines that a customer wants, and the hash that binds an acceptance to exactly that. */
export interface Choice {
  readonly content: Content;
  readonly hash: string;
  /** Ids of the optional lines that are in it. */
  readonly chosen: readonly string[];
}

const optionalIn = (lines: Content["lines"]): string[] =>
  lines.filter((line) => line.optional && line.selected).map(({ id }) => id);

/** The version as it was sent. */
export const asSent = ({ content, hash }: Pick<QuoteVersion, "content" | "hash">): Choice => ({
  content,
  hash,
  chosen: optionalIn(content.lines),
});

/**
 * The version with these optional lines in it and the others left out: price and deposits follow by the functions that made
 * the quote. What was sent itself has its own hash; ids of no optional line are ignored.
 */
export function chooseLines(
  version: Pick<QuoteVersion, "content" | "hash" | "quote_id" | "v">,
  ids: readonly string[],
): Choice {
  const { content, quote_id: quoteId, v } = version;
  const lines = content.lines.map((line) =>
    line.optional ? { ...line, selected: ids.includes(line.id) } : line,
  );
  const chosen = optionalIn(lines);
  if (chosen.join() === optionalIn(content.lines).join()) return asSent(version);
  const totals = priceEvent({ lines, heads: content.headcount.estimate, tax_included: content.tax_included });
  const rules = content.deposit_schedule.map(({ bps, due }) => ({ bps, due }));
  const schedule = depositSchedule(totals.total, rules, content.event.date);
  const next: Content = { ...content, lines, totals, deposit_schedule: schedule };
  return { content: next, hash: quoteHash(quoteId, v, next), chosen };
}

/** Whether a choice comes to the least that the policy asks for. */
export const isEnough = ({ content: { totals, policy } }: Choice): boolean =>
  totals.subtotal - totals.discount >= policy.min_spend;

/** What of a quote a choice replaces. */
export const chosenMembers = ({
  content,
  hash,
}: Choice): Pick<Quote, "lines" | "totals" | "total" | "deposit_schedule" | "hash"> => ({
  lines: content.lines,
  totals: content.totals,
  total: content.totals.total,
  deposit_schedule: content.deposit_schedule,
  hash,
});
