import { describe, expect, it } from "vitest";

import { allergenSentences, missingSentences, unsupportedClaims } from "../../../server/lib/text/facts.ts";
import { loadLanguage } from "../../../server/lib/text/language.ts";

const SOURCE =
  "Crumb bakes sourdough in Hackney. An 800 g loaf costs £4.50 and is nut-free. Open from 9 a.m. since 12 May 2019. " +
  "See https://crumb.example/bread. Joe's loaves rest twenty-four hours. It contains wheat. 1,200 sold, 30% less salt.";
const found = async (output: string, sources = [SOURCE], locale = "en-GB") =>
  unsupportedClaims(output, sources, await loadLanguage(locale)).map(({ kind, text }) => `${kind} ${text}`);

describe("unsupportedClaims", () => {
  it.each([
    "Our loaf of 800 grams is 4.50 pounds and free from nuts.",
    "Since 12 May we open at 9am.",
    "Opened on May 12th, 2019 by Joe in Hackney.",
    "Visit www.crumb.example/bread or ask Crumb.",
    "It rests 24 hours; 24 of them.",
    "Wheat is in it. We sold 1200, with 30 % less salt.",
    "The price is GBP 4.50.",
    "I think it is great. Really!",
    "",
  ])("is fine: %s", async (output) => expect(await found(output)).toEqual([]));

  it.each([
    ["An 850 g loaf", ["number 850 g"]],
    ["An 800 kg loaf", ["number 800 kg"]],
    ["It costs £5.40", ["price £5.40"]],
    ["It costs €4.50", ["price €4.50"]],
    ["A loaf is 450p or 460p", ["price 460p"]],
    ["Since 12 May 2020", ["date 12 May 2020"]],
    ["On 2019-05-13", ["date 2019-05-13"]],
    ["See https://evil.example/x.", ["url https://evil.example/x"]],
    ["Mail to a@b.example", ["url a@b.example"]],
    ["It is free from wheat", ["allergen wheat"]],
    ["It is wheat-free", ["allergen wheat-free"]],
    ["It contains nuts", ["allergen nuts"]],
    ["It is vegan", ["allergen vegan"]],
    ["Baked by Mary Berry in London.", ["name Mary", "name Berry", "name London"]],
    ["Only three left", ["number three"]],
    ["50% less salt", ["number 50%"]],
    ["Ready in twenty-five minutes", ["number twenty-five minutes"]],
    ["Rated 5 stars, 5 stars", ["number 5 stars"]],
  ])("is not: %s", async (output, claims) => expect(await found(output)).toEqual(claims));

  it("lets any source support a claim", async () =>
    expect(await found("We open on 3 June in Leeds.", [SOURCE, "Opening: 3 June 2026", "Leeds"])).toEqual(
      [],
    ));

  it("takes no German noun for a name", async () =>
    expect(await found("Unser Brot kommt aus der Bäckerei.", ["Brot"], "de")).toEqual([]));

  it("takes no heading in title case for names", async () =>
    expect(await found("# Everything About Fresh Bread Baking\n\nGood.")).toEqual([]));

  it("is quick with whatever it is given", async () => {
    for (const text of [
      "1,".repeat(50_000),
      `http://${".".repeat(100_000)}a`,
      "a@".repeat(50_000),
      "no ".repeat(50_000),
      "A ".repeat(50_000),
    ]) {
      await found(text, [text]);
    }
  }, 20_000);
});

describe("allergen sentences", () => {
  const text = ["It contains wheat.", "We bake daily.", "May contain traces of nuts."];
  it("are those that name one", () => expect(allergenSentences(text)).toEqual([text[0], text[2]]));
  it("must stay word for word", () => {
    expect(missingSentences("It contains\nwheat. May contain nuts.", [text[0] ?? "", text[2] ?? ""])).toEqual(
      [{ kind: "allergen", text: "May contain traces of nuts.", missing: true }],
    );
  });
});
