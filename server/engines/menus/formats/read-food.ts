import { codeOfWord } from "./food-tags.ts";
import type { FoodTags } from "./food-tags.ts";

/** Our code for an allergen word of a system, its synonyms included; null for what is none. */
export const allergenOf = (tags: FoodTags<string | number>, word: string | number): string | null =>
  codeOfWord(tags.allergens, word) ?? codeOfWord(tags.allergenSynonyms ?? {}, word);

/** Our claim for a dietary word of a system; null for what is none. */
export const dietOf = (tags: FoodTags<string | number>, word: string | number): string | null =>
  codeOfWord(tags.diets, word);
