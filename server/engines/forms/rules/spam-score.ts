import type { Spam, SpamReason } from "../schema/submission.ts";
import type { CaptchaVerdict } from "./judge-captcha.ts";

/** Facts about the origin of a submission. */
export interface SpamSignals {
  readonly honeypot: boolean;
  /**
   * `missing`: required but not sent. `unreachable`: the captcha service did not respond. `other_form`: solved
   * for another form.
   */
  readonly captcha: "not_asked" | "missing" | CaptchaVerdict;
  /** A page without script cannot solve a puzzle. */
  readonly noscript: boolean;
  /** Self-hosted proof of work; the other services are only used if a store configures them. */
  readonly puzzle: boolean;
  readonly token: "not_asked" | "ok" | "missing" | "bad";
  /** Seconds between page and submission; null if unknown or filled in by an agent. */
  readonly age_s: number | null;
  readonly origin: "not_asked" | "ok" | "bad";
  readonly duplicate: boolean;
  readonly urls: number;
  /** Share of URLs in the text, 0 to 1. */
  readonly url_share: number;
  readonly markup: boolean;
  readonly disposable: boolean;
  readonly blocked_term: boolean;
  readonly foreign_script: boolean;
  readonly known_customer: boolean;
}

export const NO_SIGNALS: SpamSignals = {
  honeypot: false,
  captcha: "not_asked",
  noscript: false,
  puzzle: false,
  token: "not_asked",
  age_s: null,
  origin: "not_asked",
  duplicate: false,
  urls: 0,
  url_share: 0,
  markup: false,
  disposable: false,
  blocked_term: false,
  foreign_script: false,
  known_customer: false,
};

const SPAM_FROM = 80;
const QUARANTINE_FROM = 50;

/**
 * The score of a submission with its reasons (engines/forms.md §3.4): a sum limited to 0..100. A filled honeypot and a
 * failed captcha
 * are spam whatever the sum; a captcha that could not be verified, or that a script omitted, always leads to
 * quarantine.
 */
export function spamScore(signals: SpamSignals): Spam {
  const reasons = reasonsOf(signals);
  const sum = reasons.reduce((all, { points }) => all + points, 0);
  const score = Math.min(100, Math.max(0, sum));
  return { score, verdict: verdictOf(signals, score), reasons };
}

function verdictOf(signals: SpamSignals, score: number): Spam["verdict"] {
  if (signals.honeypot || signals.captcha === "failed" || score >= SPAM_FROM) return "spam";
  const isUnjudged =
    signals.captcha === "unreachable" ||
    signals.captcha === "other_form" ||
    (signals.captcha === "missing" && !isExcused(signals));
  return isUnjudged || score >= QUARANTINE_FROM ? "quarantined" : "accept";
}

const isExcused = ({ noscript, puzzle }: SpamSignals): boolean => noscript && puzzle;

function reasonsOf(signals: SpamSignals): SpamReason[] {
  const { age_s: age, captcha, urls } = signals;
  const candidates: readonly (readonly [string, number, boolean])[] = [
    ["honeypot_filled", 100, signals.honeypot],
    ["captcha_failed", 100, captcha === "failed"],
    ["captcha_missing", isExcused(signals) ? 15 : 50, captcha === "missing"],
    ["captcha_unreachable", 50, captcha === "unreachable"],
    ["captcha_other_form", 50, captcha === "other_form"],
    ["token_bad", 60, signals.token === "bad"],
    ["token_missing", 40, signals.token === "missing"],
    ["too_fast", 50, age !== null && age < 3],
    ["fast", 20, age !== null && age >= 3 && age < 5],
    ["token_old", 15, age !== null && age > 7_200],
    ["duplicate", 35, signals.duplicate],
    ["origin", 30, signals.origin === "bad"],
    ["urls", urls >= 5 ? 40 : 20, urls >= 3],
    ["url_share", 10, signals.url_share > 0.5],
    ["markup", 15, signals.markup],
    ["disposable_email", 15, signals.disposable],
    ["blocked_term", 15, signals.blocked_term],
    ["foreign_script", 10, signals.foreign_script],
    ["captcha_passed", -30, captcha === "passed"],
    ["known_customer", -40, signals.known_customer],
  ];
  return candidates.filter(([, , holds]) => holds).map(([code, points]) => ({ code, points }));
}
