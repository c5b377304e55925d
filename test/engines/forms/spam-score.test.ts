import { describe, expect, it } from "vitest";

import type { SpamSignals } from "../../../server/engines/forms/rules/spam-score.ts";
import { NO_SIGNALS, spamScore } from "../../../server/engines/forms/rules/spam-score.ts";

const judge = (more: Partial<SpamSignals>) => {
  const { score, verdict } = spamScore({ ...NO_SIGNALS, ...more });
  return [score, verdict];
};

describe("A25: the explained score", () => {
  it.each<[string, Partial<SpamSignals>, number, string]>([
    ["age 3–5 s, 3 URLs", { age_s: 4, urls: 3 }, 40, "accept"],
    ["token missing, 3 URLs, disposable", { token: "missing", urls: 3, disposable: true }, 75, "quarantined"],
    ["too fast, captcha passed", { age_s: 1, captcha: "passed" }, 20, "accept"],
    ["honeypot, known customer", { honeypot: true, known_customer: true }, 60, "spam"],
  ])("%s", (_, signals, score, verdict) => expect(judge(signals)).toEqual([score, verdict]));
});

describe("the score", () => {
  it.each<[string, Partial<SpamSignals>, number, string]>([
    ["nothing", {}, 0, "accept"],
    ["never below nothing", { known_customer: true, captcha: "passed" }, 0, "accept"],
    ["never above a hundred", { honeypot: true, captcha: "failed", token: "bad" }, 100, "spam"],
    ["a failed captcha, whoever it is", { captcha: "failed", known_customer: true }, 60, "spam"],
    ["a bad token alone", { token: "bad" }, 60, "quarantined"],
    ["eighty is spam", { token: "bad", age_s: 4 }, 80, "spam"],
    ["five addresses", { urls: 5 }, 40, "accept"],
    ["two addresses", { urls: 2 }, 0, "accept"],
    ["three seconds", { age_s: 3 }, 20, "accept"],
    ["five seconds", { age_s: 5 }, 0, "accept"],
    ["two hours", { age_s: 7_200 }, 0, "accept"],
    ["more than two hours", { age_s: 7_201 }, 15, "accept"],
    [
      "a captcha that nobody could judge",
      { captcha: "unreachable", known_customer: true },
      10,
      "quarantined",
    ],
    ["a captcha of another form", { captcha: "other_form", known_customer: true }, 10, "quarantined"],
    [
      "a captcha that a script left out",
      { captcha: "missing", puzzle: true, known_customer: true },
      10,
      "quarantined",
    ],
    [
      "a page without script and a puzzle",
      { captcha: "missing", puzzle: true, noscript: true },
      15,
      "accept",
    ],
    [
      "a page without script where the shop insists",
      { captcha: "missing", noscript: true },
      50,
      "quarantined",
    ],
    [
      "words",
      { duplicate: true, url_share: 0.6, markup: true, blocked_term: true, foreign_script: true },
      85,
      "spam",
    ],
    ["another site", { origin: "bad" }, 30, "accept"],
  ])("%s", (_, signals, score, verdict) => expect(judge(signals)).toEqual([score, verdict]));

  it("says why", () => {
    expect(spamScore({ ...NO_SIGNALS, urls: 3, known_customer: true }).reasons).toEqual([
      { code: "urls", points: 20 },
      { code: "known_customer", points: -40 },
    ]);
  });
});
