import type { Signal } from "../schema/parts.ts";
import { DUPLICATE_FROM } from "./similarity.ts";

/** Facts about a submitted review. None of them is the rating or reflects an opinion of the product. */
export interface RiskFacts {
  readonly title: string;
  readonly body: string;
  readonly is_profane: boolean;
  /** Highest similarity to another review, 0 to 1. */
  readonly similarity: number;
  /** Reviews from the same IP address within 24 hours, including this one. */
  readonly from_address: number;
  readonly is_disposable: boolean;
  /** The e-mail address is in the store's own domain. */
  readonly is_own_domain: boolean;
  /** Detected language of the text, such as `en`; null if not detectable. */
  readonly language: string | null;
  readonly store_languages: readonly string[];
  /** Another review of the same author about the same target exists, and the author of this one is not verified. */
  readonly is_second: boolean;
  /** Evaluation of the form token; null if none was required. */
  readonly form: FormVerdict | null;
}

export type FormVerdict = "ok" | "fast" | "too_fast" | "stale" | "missing" | "bad";

/** Points of forms.md §3.4 for problems with a form token. */
const FORM_POINTS: Readonly<Record<FormVerdict, number>> = {
  ok: 0,
  fast: 20,
  too_fast: 50,
  stale: 15,
  missing: 40,
  bad: 60,
};

const ADDRESS_REVIEWS_MAX = 3;
const BODY_MIN = 10;
const SPAM_FROM = 70;
const HOLD_FROM = 30;

/** The risk of a review, 0 to 100, and its signals. */
export function scoreRisk(facts: RiskFacts): { readonly risk: number; readonly signals: Signal[] } {
  const text = `${facts.title}\n${facts.body}`;
  const candidates: Signal[] = [
    { code: "profanity", points: facts.is_profane ? 25 : 0 },
    { code: "url", points: hasUrl(text) ? 20 : 0 },
    { code: "contact_details", points: hasContact(text) ? 20 : 0 },
    { code: "duplicate", points: facts.similarity >= DUPLICATE_FROM ? 40 : 0 },
    { code: "many_from_address", points: facts.from_address >= ADDRESS_REVIEWS_MAX ? 25 : 0 },
    { code: "disposable_mail", points: facts.is_disposable ? 15 : 0 },
    { code: "own_domain", points: facts.is_own_domain ? 30 : 0 },
    { code: "language", points: isForeign(facts) ? 5 : 0 },
    { code: "second_review", points: facts.is_second ? 30 : 0 },
    { code: "short", points: facts.body.length < BODY_MIN ? 5 : 0 },
    { code: `form_${facts.form ?? "ok"}`, points: FORM_POINTS[facts.form ?? "ok"] },
  ];
  const signals = candidates.filter(({ points }) => points > 0);
  return {
    risk: Math.min(
      100,
      signals.reduce((sum, { points }) => sum + points, 0),
    ),
    signals,
  };
}

/** The action for a risk alone. Profanity holds a review but never rejects it: word lists flag honest ones. */
export function verdictOf(
  { risk, signals }: { readonly risk: number; readonly signals: readonly Signal[] },
  autoPublish: boolean,
): "spam" | "pending" | "published" {
  const profanity = signals.find(({ code }) => code === "profanity")?.points ?? 0;
  if (risk - profanity >= SPAM_FROM) return "spam";
  if (risk >= HOLD_FROM || profanity > 0) return "pending";
  return autoPublish ? "published" : "pending";
}

// A name begins where no character of a name is before it: tried from each of its characters, it would take the square of its length.
export const hasUrl = (text: string): boolean =>
  /\bhttps?:\/\/|\bwww\.[a-z0-9-]+\.|(?<![a-z0-9-])[a-z0-9-]{2,}\.(com|net|org|info|biz|shop|store|online|xyz|ru|cn|top|site|io)\b/i.test(
    text,
  );

export const hasContact = (text: string): boolean =>
  /(?<![\w.+-])[\w.+-]+@[\w-]+\.[a-z]{2,}/i.test(text) ||
  /(?:\+|\b0)\d(?:[\s().-]{0,3}\d){7,13}\b/.test(text);

const isForeign = ({ language, store_languages: languages }: RiskFacts): boolean =>
  language !== null && !languages.includes(language);
