import { describe, expect, it } from "vitest";

import { jaccard, shingles, textSignals } from "../../../server/engines/forms/rules/text-signals.ts";

const about = { locale: "en-GB", blockedTerms: ["SEO services"], key: "part" };

describe("A17: likeness of two texts", () => {
  it("shingles 8 and 9, 6 in common", () => {
    const left = shingles("Great bread, fast delivery and lovely packaging. Will order again!");
    const right = shingles("Great bread, fast delivery and lovely packaging. Will definitely order again!");
    expect([left.size, right.size]).toEqual([8, 9]);
    expect(jaccard(left, right)).toBeCloseTo(0.545455, 6);
  });

  it("is one for the same and nothing for none", () => {
    expect(jaccard(shingles("One two three four."), shingles("one TWO three, four"))).toBe(1);
    expect(jaccard(shingles(""), shingles(""))).toBe(0);
    expect(shingles("Hello").size).toBe(1);
  });

  it("looks at the beginning of a long text alone", () => {
    expect(shingles("a b c d ".repeat(50_000)).size).toBe(4);
    expect(shingles(Array.from({ length: 50_000 }, (_, at) => at).join(" ")).size).toBeLessThan(1_500);
  });
});

describe("what words tell", () => {
  it.each([
    ["See https://a.example and www.b.example/x now", { urls: 2 }],
    ["https://a-very-long-address.example/with/a/path hi", { url_share: expect.closeTo(0.956, 2) }],
    ["<a href='x'>click</a>", { markup: true }],
    ["[url=http://a.example]x[/url]", { markup: true }],
    ["2 < 3 and a [note]", { markup: false }],
    ["cheap seo services here", { blocked_term: true }],
    ["Привет как дела сегодня", { foreign_script: true }],
    ["Crème brûlée für François", { foreign_script: false }],
    ["Ω", { foreign_script: false }],
    ["", { urls: 0, url_share: 0, markup: false, blocked_term: false, foreign_script: false }],
  ])("%j", async (text, expected) => expect(await textSignals(text, about)).toMatchObject(expected));

  it("reads a Russian form's Russian as its own", async () => {
    const { foreign_script } = await textSignals("Привет как дела сегодня", { ...about, locale: "ru" });
    expect(foreign_script).toBe(false);
  });

  it("counts the letters of a long text to its end", async () => {
    const foreign = async (text: string) => (await textSignals(text, about)).foreign_script;
    // Letters beyond U+FFFF, none of which may be cut in two.
    const [other, latin] = [`a${"\u{10400}".repeat(8_001)}`, "b".repeat(8_000)];
    expect([await foreign(other + latin), await foreign(`${latin}b${other}`)]).toEqual([false, false]);
    expect(await foreign(`${other}\u{10400}${latin}\u{10400}`)).toBe(true);
  });
});
