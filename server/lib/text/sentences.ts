import { sentencesOf } from "./segments.ts";

/**
 * Creates a splitter for a locale: ICU's sentences, corrected where it stops at an abbreviation ("Dr. | Smith"). A space of
 * any kind is a single one in what comes out.
 */
export function splitSentences(locale: string): (text: string) => string[] {
  const segmenter = new Intl.Segmenter(locale, { granularity: "sentence" });
  return (text) => {
    const sentences: string[][] = [];
    for (const segment of sentencesOf(text.replaceAll(/\s+/g, " "), segmenter)) {
      const next = segment.trim();
      if (next === "") continue;
      const open = sentences.at(-1);
      if (open !== undefined && runsOn(open.at(-1) ?? "", next)) open.push(next);
      else sentences.push([next]);
    }
    return sentences.map((parts) => parts.join(" "));
  };
}

/** Abbreviations after which a sentence goes on. Own list of what English shop texts use. */
const RUN_ON = words(
  "mr mrs ms mx dr prof rev hon st mt vs approx dept est gov gen sgt capt lt col jr sr messrs",
  "e.g eg i.e ie cf viz ca temp tel ext",
);
/** Those that may as well be the last word: they end a sentence when a capital follows. */
const MAY_END = words(
  "a.m p.m am pm etc inc ltd co corp plc al u.k u.s u.s.a e.u tbsp tsp oz lb min max",
  "jan feb mar apr jun jul aug sep sept oct nov dec",
);
/** Abbreviations only before a figure: "No. 5", but "We said no. Then …". */
const BEFORE_FIGURES = words("no nos p pp fig vol ch");

function words(...lists: readonly string[]): ReadonlySet<string> {
  return new Set(lists.flatMap((list) => list.split(" ")));
}

function runsOn(before: string, next: string): boolean {
  const last = /([\p{L}.]+)\.$/u.exec(before.slice(-20))?.[1]?.toLowerCase();
  if (last === undefined) return false;
  if (BEFORE_FIGURES.has(last)) return /^\p{N}/u.test(next);
  if (MAY_END.has(last)) return !/^[\p{Ps}\p{Pi}"']*\p{Lu}/u.test(next);
  return RUN_ON.has(last);
}
