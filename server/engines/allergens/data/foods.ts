import { z } from "zod";

import { AnimalOrigin, Code } from "../schema/ingredient.ts";
import { labelWords } from "./label-words.ts";
import { LANGUAGES } from "./modes.ts";
import foods from "./foods.json" with { type: "json" };

const Names = z.record(z.string(), z.string()).default({});
/**
 * Foods that share what their names mean. `certain: false` is what a food usually holds; several `origins` are a choice,
 * as gelatine is of beef or pork. A word of `not_after` directly before the name, or a phrase of `not_before` directly
 * behind it, makes it another food: cocoa butter, lait de coco. Each name carries its source (see `sources`).
 */
const FoodEntry = z.strictObject({
  contains: z.array(Code),
  certain: z.boolean(),
  origins: z.array(AnimalOrigin),
  alcohol: z.boolean(),
  not_after: z.array(z.string()),
  not_before: z.array(z.string()),
  /** `other`: the commonest words of Spanish, Italian, Dutch, Portuguese, Polish, Nordic and some twenty other languages. */
  names: z.strictObject({ en: Names, fr: Names, de: Names, other: Names }),
});
export type FoodEntry = z.output<typeof FoodEntry>;

const Vocabulary = z.strictObject({
  sources: z.record(z.string(), z.string()),
  /** Words of which German makes longer ones: "Weizenmehl" is read as "weizen mehl". */
  compound_parts: z.array(z.string()),
  entries: z.array(FoodEntry),
});

/** The food vocabulary of `foods.json`, checked as it is loaded. */
export const loadFoods = (): z.output<typeof Vocabulary> => Vocabulary.parse(foods);

/** The names of Annex II in the languages of the Union, as labels have them, for words that the vocabulary lacks. */
export const annexFoods = (): FoodEntry[] =>
  LANGUAGES.flatMap((language) =>
    Object.entries(labelWords(language).names)
      .filter(([, name]) => !ANOTHER_WORD.has(name))
      .map(([code, name]) => ({
        contains: [code],
        certain: true,
        origins: ORIGINS[code] ?? [],
        alcohol: false,
        not_after: [],
        not_before: [],
        names: { en: {}, fr: {}, de: {}, other: { [name]: "law" } },
      })),
  );

const ORIGINS: Readonly<Record<string, FoodEntry["origins"]>> = {
  milk: ["dairy"],
  egg: ["egg"],
  fish: ["fish"],
  crustacean: ["other"],
  mollusc: ["other"],
};

/** Names that are a common word, or part of the name of another food, in another language: "oder", grey, raki, currants. */
const ANOTHER_WORD = new Set([
  "grano",
  "grâu",
  "korn",
  "oder",
  "raki",
  "ribe",
  "rug",
  "råg",
  "seller",
  "susan",
]);
