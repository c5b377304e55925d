import { describe, expect, it } from "vitest";

import type { RiskFacts } from "../../../server/engines/reviews/rules/score-risk.ts";
import {
  hasContact,
  hasUrl,
  scoreRisk,
  verdictOf,
} from "../../../server/engines/reviews/rules/score-risk.ts";

const CALM: RiskFacts = {
  title: "",
  body: "Gone by noon, every day.",
  is_profane: false,
  similarity: 0,
  from_address: 0,
  is_disposable: false,
  is_own_domain: false,
  language: "en",
  store_languages: ["en"],
  is_second: false,
  form: null,
};

describe("the risk of a review", () => {
  it.each<[string, Partial<RiskFacts>, number]>([
    ["nothing", {}, 0],
    ["coarse words", { is_profane: true }, 25],
    ["a link", { body: "See https://x.example for more" }, 20],
    ["an address", { body: "Write to me@x.example please" }, 20],
    ["a copy", { similarity: 0.8 }, 40],
    ["nearly a copy", { similarity: 0.79 }, 0],
    ["the third of an address", { from_address: 3 }, 25],
    ["the second of an address", { from_address: 2 }, 0],
    ["a throw-away address", { is_disposable: true }, 15],
    ["the shop's own domain", { is_own_domain: true }, 30],
    ["another language", { language: "fr" }, 5],
    ["a language that cannot be told", { language: null }, 0],
    ["a few characters", { body: "Good." }, 5],
    ["a form without token", { form: "missing" }, 40],
    ["a bad token", { form: "bad" }, 60],
    ["a form filled too fast", { form: "too_fast" }, 50],
    ["a form filled fast", { form: "fast" }, 20],
    ["a form that stood open", { form: "stale" }, 15],
    ["a good form", { form: "ok" }, 0],
    ["everything", { is_profane: true, similarity: 1, form: "bad", is_own_domain: true }, 100],
  ])("%s", (_, facts, risk) => {
    const scored = scoreRisk({ ...CALM, ...facts });
    expect(scored.risk).toBe(risk);
    expect(
      Math.min(
        100,
        scored.signals.reduce((sum, { points }) => sum + points, 0),
      ),
    ).toBe(risk);
  });

  it.each<[Partial<RiskFacts>, string, string]>([
    [{}, "published", "pending"],
    [{ form: "stale" }, "published", "pending"],
    [{ is_own_domain: true }, "pending", "pending"],
    // Coarse words alone would stay below what is held: they are held all the same.
    [{ is_profane: true }, "pending", "pending"],
    // 60 + 25: without the coarse words it is no spam, and they never make it that.
    [{ is_profane: true, form: "bad" }, "pending", "pending"],
    [{ similarity: 1, is_own_domain: true }, "spam", "spam"],
  ])("%j is %s with auto-publish, else %s", (facts, auto, manual) => {
    const scored = scoreRisk({ ...CALM, ...facts });
    expect([verdictOf(scored, true), verdictOf(scored, false)]).toEqual([auto, manual]);
  });

  it.each([
    ["www.shop.com", true],
    ["visit cheap-bread.shop today", true],
    ["visit my_bread.shop today", true],
    ["I ate it.So good", false],
    ["2.5 kg", false],
  ])("has a link: %s", (text, expected) => expect(hasUrl(text)).toBe(expected));

  it.each([
    ["me@x.example", true],
    ["07700 900123", true],
    ["+44 (0)20 7946 0018", true],
    ["baked at 220 degrees for 45 minutes in 2026", false],
    ["order 1042", false],
  ])("has contact details: %s", (text, expected) => expect(hasContact(text)).toBe(expected));
});
