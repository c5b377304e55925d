import { describe, expect, it } from "vitest";

import { pawc } from "../../../server/engines/answeros/rules/pawc.ts";
import { splitSentences } from "../../../server/lib/text/sentences.ts";

const TEXT =
  "Crumb bakes sourdough daily in Hackney [1]. Delivery across London costs four pounds and arrives before nine [1][2]. " +
  "Loafly also ships nationwide using insulated boxes [2]. Both accept allergen requests at checkout.";
const sentences = splitSentences("en")(TEXT);

describe("A29: position-adjusted word count", () => {
  it("splits the vector into four sentences", () => expect(sentences).toHaveLength(4));

  it("by the paper", () => {
    const shares = pawc(sentences, "paper");
    expect(shares?.get(1)).toBeCloseTo(0.352606, 6);
    expect(shares?.get(2)).toBeCloseTo(0.285489, 6);
  });

  it("by the authors' programme", () => {
    const shares = pawc(sentences, "code");
    expect(shares?.get(1)).toBeCloseTo(0.544611, 5);
    expect(shares?.get(2)).toBeCloseTo(0.455389, 5);
  });
});

describe("pawc", () => {
  it("is the paper's unless told", () => expect(pawc(sentences)).toEqual(pawc(sentences, "paper")));
  it("is null where nothing is cited", () => expect(pawc(["Crumb bakes."])).toBeNull());
  it("is null for no text", () => expect(pawc([])).toBeNull());
  it("gives all to the only source of one sentence", () => {
    expect(pawc(["Crumb bakes daily [1]."], "paper")?.get(1)).toBe(1);
    expect(pawc(["Crumb bakes daily [1]."], "code")?.get(1)).toBe(1);
  });
  it("shares a sentence among the sources that it names, each once", () => {
    const shares = pawc(["Crumb bakes daily [1, 2][2]."], "paper");
    expect(shares?.get(1)).toBeCloseTo(0.5, 9);
    expect(shares?.get(2)).toBeCloseTo(0.5, 9);
  });
  it("weighs what comes first more", () => {
    const shares = pawc(["One two three [1].", "One two three [2]."], "paper");
    expect(shares?.get(1) ?? 0).toBeGreaterThan(shares?.get(2) ?? 1);
  });
});
