import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { TYPE } from "@formatjs/icu-messageformat-parser";
import { IntlMessageFormat } from "intl-messageformat";
import { describe, expect, it } from "vitest";

import { findPackageRoot } from "../../server/core/package-root.ts";
import { chooseLocale, languages, wordsIn } from "../../server/core/words.ts";

const FOLDER = join(findPackageRoot(), "templates", "locales");
const read = (language: string): Record<string, string> =>
  JSON.parse(readFileSync(join(FOLDER, `${language}.json`), "utf8"));

type Element = ReturnType<IntlMessageFormat["getAst"]>[number];

/** Names of the values that a message contains, those inside its plurals included. */
const namesIn = (elements: readonly Element[]): string[] =>
  elements.flatMap((element) => [
    ...("value" in element && element.type !== TYPE.literal ? [element.value] : []),
    ...("options" in element ? Object.values(element.options).flatMap(({ value }) => namesIn(value)) : []),
  ]);
const valuesOf = (message: string, language: string): string[] =>
  [...new Set(namesIn(new IntlMessageFormat(message, language, {}, { ignoreTag: true }).getAst()))].sort();

describe("the catalogues", () => {
  const english = read("en");

  it("are the files of one folder", () => {
    expect(languages()).toEqual(["de", "en", "fr"]);
    expect(readdirSync(FOLDER).sort()).toEqual(["de.json", "en.json", "fr.json"]);
  });

  it.each(["de", "fr"])("have the same messages with the same values in %s", (language) => {
    const catalogue = read(language);
    expect(Object.keys(catalogue).sort()).toEqual(Object.keys(english).sort());
    const values = (messages: Record<string, string>, own: string) =>
      Object.entries(messages).map(([key, message]) => [key, valuesOf(message, own)]);
    expect(values(catalogue, language)).toEqual(values(english, "en"));
  });

  it.each(["de", "fr"])("have no English sentence in %s", (language) => {
    const same = Object.entries(read(language)).filter(
      ([key, message]) =>
        message === english[key] && message.split(" ").length > 2 && !/^\S+ – |\{\w+\} \{/.test(message),
    );
    expect(same).toEqual([]);
  });
});

describe("words", () => {
  it("have amounts, dates and percentages of their locale", () => {
    const german = wordsIn("de-AT");
    expect(german.money(123456, "EUR").replaceAll(/\s/g, " ")).toBe("€ 1.234,56");
    expect(german.date("2026-06-30")).toBe("30. Juni 2026");
    expect(german.rate(750).replaceAll(/\s/g, " ")).toBe("7,5 %");
    expect(wordsIn("en-GB").rate(1750)).toBe("17.5%");
    expect(wordsIn(null).money(2100, "JPY")).toBe("JP¥2,100");
  });

  it("count as the language does", () => {
    const heads = (locale: string, count: number) => wordsIn(locale).say("catering.heads", { count });
    expect([heads("en", 1), heads("en", 0), heads("fr", 0), heads("de", 2)]).toEqual([
      "1 guest",
      "0 guests",
      "0 invité",
      "2 Gäste",
    ]);
  });

  it("are English where a language has no catalogue", () => {
    expect(wordsIn("pl-PL").locale).toBe("en-GB");
    expect(wordsIn("pl-PL").say("yes")).toBe("Yes");
  });

  it.each([
    [undefined, null, "en-GB"],
    [undefined, "de-AT", "de-AT"],
    ["de-DE,de;q=0.9,en;q=0.8", "en-GB", "de"],
    ["de-DE,de;q=0.9", "de-AT", "de-AT"],
    ["pl,fr;q=0.5,en;q=0.7", "de-DE", "en-GB"],
    ["pl", "fr-CH", "fr-CH"],
    ["*", "fr-CH", "fr-CH"],
    ["fr;q=0, de", null, "de"],
    ["<script>,;;q=x", null, "en-GB"],
  ])("of a reader who sends %s at a store of %s are %s", (accept, own, locale) =>
    expect(chooseLocale(accept, own)).toBe(locale),
  );
});

describe("the words of a locale from outside", () => {
  it("are British ones for what has the form of a language tag only", () => {
    expect(wordsIn("en-GB-GB").locale).toBe("en-GB");
    expect(wordsIn("de-AT").locale).toBe("de-AT");
  });

  it("are forgotten after many other locales, so that no caller can fill the memory", () => {
    const austrian = wordsIn("de-AT");
    expect(wordsIn("de-AT")).toBe(austrian);
    for (let index = 0; index < 100; index += 1) wordsIn(`en-part${index}`);
    expect(wordsIn("de-AT")).not.toBe(austrian);
  });
});
