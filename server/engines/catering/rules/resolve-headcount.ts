import type { Sizing } from "../schema/headcount.ts";
import { codeIn, listed } from "./tally-rsvps.ts";
import { CATERING_LIMITS } from "../schema/parts.ts";
import type { Dietary } from "../schema/parts.ts";
import type { Resolved } from "../schema/recurring.ts";
import { BPS, sum } from "../../../lib/money.ts";

/** What one source says of a day. */
export interface SourceAnswer {
  readonly source_id: string;
  readonly kind: "manual" | "rsvp" | "calendar_upload" | "calendar_feed" | "api";
  readonly count: number;
  /** A feed that was not read for too long is not asked. */
  readonly fresh: boolean;
  /** Worked out from what is usual. */
  readonly is_estimate?: boolean;
  readonly evidence: readonly string[];
  readonly dietary: Dietary;
  readonly sizing: Sizing;
}

export interface HeadcountQuestion {
  /** Written for this very date. */
  readonly override: number | null;
  readonly answers: readonly SourceAnswer[];
  /** The last count of the same weekday. */
  readonly previous: number | null;
  readonly fallback: number;
  readonly dietary: Dietary;
}

const PRIORITY = ["manual", "rsvp", "calendar_upload", "calendar_feed", "api"] as const;
const CONFIDENCE = {
  manual: "high",
  rsvp: "high",
  calendar_upload: "high",
  calendar_feed: "medium",
  api: "medium",
} as const;

/**
 * The headcount of an occurrence, by the best that is known: what was written for the date, answers to invitations, an
 * uploaded calendar, a fresh feed, the API, the last count of that weekday, and the template's own at last. Buffers and
 * packs are the source's; what a person wrote is taken as it is.
 */
export function resolveHeadcount(question: HeadcountQuestion): Resolved {
  const { answers, fallback, override, previous } = question;
  const dietary = needsIn(question);
  const plain = { source_id: null, dietary };
  if (override !== null) {
    const evidence = ["Written for this date"];
    return { ...plain, count: override, size: override, origin: "manual", confidence: "high", evidence };
  }
  for (const kind of PRIORITY) {
    const found = answers.filter((candidate) => candidate.kind === kind && candidate.fresh);
    const coming = found.filter(({ is_estimate: isEstimate }) => kind === "rsvp" && isEstimate !== true);
    // Each group that was invited has guests of its own; of other sources the first is asked.
    const counted = coming.length === 0 ? found.slice(0, 1) : coming;
    const [first] = counted;
    if (first === undefined) continue;
    return {
      count: atMost(sum(counted.map(({ count }) => count))),
      size: atMost(sum(counted.map(({ count, sizing }) => orderSize(count, sizing)))),
      origin: kind,
      source_id: first.source_id,
      confidence: first.is_estimate === true ? "low" : CONFIDENCE[kind],
      evidence: counted.flatMap(({ evidence }) => evidence).slice(0, 12),
      dietary,
    };
  }
  const count = previous ?? fallback;
  const evidence = [previous === null ? "The order's own count" : "The last count of this weekday"];
  const origin = previous === null ? ("default" as const) : ("previous" as const);
  return { ...plain, count, size: count, origin, confidence: "low", evidence };
}

/**
 * The needs that any source names, of each the largest number (all who were invited count together), and those of the template that none
 * names: a source without an allergy does not rule it out.
 */
function needsIn({ answers, dietary }: HeadcountQuestion): Dietary {
  const needs = new Map<string, number>();
  const fresh = answers.filter((answer) => answer.fresh);
  for (const { kind, dietary: own } of fresh.toSorted((a, b) => isApart(a) - isApart(b))) {
    for (const { code: written, count } of own) {
      const code = codeIn(needs, written);
      const before = needs.get(code) ?? 0;
      needs.set(code, kind === "rsvp" ? before + count : Math.max(before, count));
    }
  }
  for (const { code, count } of dietary) if (!needs.has(codeIn(needs, code))) needs.set(code, count);
  return listed(needs);
}

/** Guests of several invitations are added up before what other sources say is compared with them. */
const isApart = ({ kind }: SourceAnswer): number => Number(kind !== "rsvp");

/** A thousand people who answer by the link of a group can bring more guests than an order has heads. */
const atMost = (heads: number): number => Math.min(heads, CATERING_LIMITS.heads);

/**
 * Heads to order for: the count with its buffer, rounded up, within the bounds, and then up to whole packs, which may
 * pass the upper bound by less than a pack. Without guests there is nothing to order.
 */
export function orderSize(count: number, { buffer_bps: buffer, max, min, pack_size: pack }: Sizing): number {
  if (count === 0) return 0;
  const buffered = Number((BigInt(count) * BigInt(BPS + buffer) + BigInt(BPS - 1)) / BigInt(BPS));
  const bounded = Math.min(Math.max(buffered, min), max);
  return Math.ceil(bounded / pack) * pack;
}
