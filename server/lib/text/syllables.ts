/**
 * Syllables of a German or French word, at least 1: spelling follows sound closely enough in both to count groups of vowels. Over the
 * words of a text the errors are small; test/lib/text/readability.test.ts shows them against words divided by hand.
 */
export const SYLLABLES: Readonly<Record<string, (word: string) => number>> = {
  // Vowels that meet are one sound ("ei", "au", "ie") unless they belong to two ("The-a-ter", "Na-ti-on", "Muse-um").
  de: (word) => groupsOf(word, /aa|ee|oo|ai|ei|au|äu|eu|ie|ey|ay|[aeiouyäöüéèà]/giu) - hiddenIn(word, /qu/gi),
  // Vowels that meet are one sound; an "e" at the end is silent, also before the "s" or "nt" of a plural,
  // but not in "-ment".
  fr: (word) =>
    groupsOf(word, /[aeiouyàâäéèêëîïôöùûüœæ]+/giu) +
    groupsOf(word, /[éè][aoâ]|o[éè]|[aou]ï|[aeo]ë|(?<=[bcdfgpt][lr])i[aeoé]|éi|éu|[aou]y[aeoé]/giu) -
    hiddenIn(word, /(?<=[bcdfghjklmnpqrstvwxz]|gu|qu)e(?:s|(?<!me)nt)?$/giu),
};

const groupsOf = (word: string, pattern: RegExp): number => word.match(pattern)?.length ?? 0;
const hiddenIn = groupsOf;
