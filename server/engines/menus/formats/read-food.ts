import { codeOfWord } from "./food-tags.ts";
import type { FoodTags } from "./food-tags.ts";

/** Our code for an allergen in a system's vocabulary, including synonyms; null if unknown. */
export const allergenOf = (tags: FoodTags<string | number>, word: string | number): string | null =>
  codeOfWord(tags.allergens, word) ?? codeOfWord(tags.allergenSynonyms ?? {}, word);

/** Our claim for a diet in a system's vocabulary; null if unknown. */
export const dietOf = (tags: FoodTags<string | number>, word: string | number): string | null =>
  codeOfWord(tags.diets, word);
