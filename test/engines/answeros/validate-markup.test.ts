import { describe, expect, it } from "vitest";

import { MARKUP_RULES, MARKUP_RULES_AS_OF } from "../../../server/engines/answeros/data/markup-rules.ts";
import { SCHEMA_TYPES } from "../../../server/engines/answeros/data/schema-types.ts";
import { parseMarkup, validateMarkup } from "../../../server/engines/answeros/rules/validate-markup.ts";

const codes = (jsonld: unknown, severity: "errors" | "warnings" = "errors") =>
  validateMarkup(jsonld)[severity].map(({ path, code }) => `${path} ${code}`);
const url = "https://crumb.example/x";
const question = (more: object = {}) => ({
  "@type": "Question",
  name: "Rye?",
  acceptedAnswer: { "@type": "Answer", text: "Yes." },
  ...more,
});

describe("required members", () => {
  it.each([
    ["Product", { "@type": "Product" }, ["/name missing_required", "/offers missing_required"]],
    ["Product with a rating", { "@type": "Product", name: "x", aggregateRating: {} }, []],
    ["Offer", { "@type": "Offer" }, ["/price missing_required"]],
    ["Recipe", { "@type": "Recipe", name: "x" }, ["/image missing_required"]],
    ["Bakery", { "@type": "Bakery", name: "x" }, ["/address missing_required"]],
    ["Article", { "@type": "Article" }, []],
    ["FAQPage", { "@type": "FAQPage", mainEntity: [question()] }, []],
    [
      "FAQPage with two answers",
      { "@type": "FAQPage", mainEntity: question({ acceptedAnswer: [{ text: "a" }, { text: "b" }] }) },
      ["/mainEntity/0/acceptedAnswer wrong_type"],
    ],
    [
      "FAQPage with no answer",
      { "@type": "FAQPage", mainEntity: [question(), question({ acceptedAnswer: undefined })] },
      ["/mainEntity/1/acceptedAnswer missing_required"],
    ],
    ["QAPage", { "@type": "QAPage", mainEntity: question({ answerCount: 1 }) }, []],
    [
      "QAPage with two questions",
      { "@type": "QAPage", mainEntity: [question({ answerCount: 1 }), question({ answerCount: 1 })] },
      ["/mainEntity wrong_type"],
    ],
    [
      "QAPage without a count",
      { "@type": "QAPage", mainEntity: question() },
      ["/mainEntity/answerCount missing_required"],
    ],
    [
      "AggregateRating",
      { "@type": "AggregateRating", ratingValue: "4.5" },
      ["/ratingCount missing_required"],
    ],
    ["Speakable", { "@type": "SpeakableSpecification" }, ["/cssSelector missing_required"]],
  ])("%s", (_, jsonld, expected) => expect(codes(jsonld)).toEqual(expected));
});

describe("values", () => {
  const offer = (price: unknown) => ({ "@type": "Offer", price });
  it.each([
    ["a price as text", offer("4.50"), []],
    ["a price as number", offer(4.5), []],
    ["a price with a comma", offer("4,50"), ["/price bad_number"]],
    ["a price with its sign", offer("£4.50"), ["/price bad_number"]],
    ["other digits", offer("٤"), ["/price bad_number"]],
    ["a date", { "@type": "Article", datePublished: "2026-06-01" }, []],
    ["an instant", { "@type": "Article", datePublished: "2026-06-01T09:00:00+01:00" }, []],
    ["a date in words", { "@type": "Article", datePublished: "1 June 2026" }, ["/datePublished bad_date"]],
    ["a day that is none", { "@type": "Article", datePublished: "2026-13-01" }, ["/datePublished bad_date"]],
    ["a relative image", { "@type": "Article", image: ["/a.png", url] }, ["/image/0 relative_url"]],
    ["an image object", { "@type": "Article", image: { "@type": "ImageObject", url } }, []],
    ["a script for a URL", { "@type": "Article", url: "javascript:alert(1)" }, ["/url relative_url"]],
    ["a name that is no text", { "@type": "WebPage", name: 7 }, ["/name wrong_type"]],
  ])("%s", (_, jsonld, expected) => expect(codes(jsonld)).toEqual(expected));

  it.each([
    [5, undefined, []],
    [5.1, undefined, ["/ratingValue rating_out_of_range"]],
    [0.9, undefined, ["/ratingValue rating_out_of_range"]],
    [9, 10, []],
  ])("a rating of %d of %o", (ratingValue, bestRating, expected) => {
    const rating = {
      "@type": "AggregateRating",
      ratingValue,
      ratingCount: 3,
      ...(bestRating ? { bestRating } : {}),
    };
    expect(codes(rating)).toEqual(expected);
  });
});

describe("types", () => {
  it("are those of schema.org", () => {
    expect(codes({ "@type": "Breadpage" })).toEqual(["/@type unknown_type"]);
    expect(codes({ name: "x" })).toEqual([" unknown_type"]);
    for (const rule of MARKUP_RULES)
      for (const type of rule.types) expect([type, SCHEMA_TYPES.has(type)]).toEqual([type, true]);
  });

  it("have rules with a source and a date, none after that of the table", () => {
    for (const { types, source, as_of: date } of MARKUP_RULES) {
      expect([types, source]).toEqual([types, expect.stringMatching(/^https:\/\//)]);
      expect(date <= MARKUP_RULES_AS_OF).toBe(true);
    }
  });
});

it("says that FAQ rich results have ended", () => {
  expect(codes({ "@type": "FAQPage", mainEntity: [question()] }, "warnings")).toEqual([" ended_feature"]);
});

it("recommends", () => {
  expect(codes({ "@type": "Article", headline: "x" }, "warnings")).toContain("/author missing_recommended");
});

it("reads objects and lists alone", () => {
  expect(parseMarkup('{"a":1}')).toEqual({ a: 1 });
  expect(["{", "1", '"x"', "null"].map(parseMarkup)).toEqual([null, null, null, null]);
  expect(parseMarkup(`${"[".repeat(20_000)}${"]".repeat(20_000)}`)).toBe(null);
});
