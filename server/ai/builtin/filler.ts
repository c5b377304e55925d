/** Takes words out of an English sentence that carry nothing; a capital at its beginning stays one. */
export function dropFiller(sentence: string): string {
  const plain = FILLERS.reduce((text, { pattern, instead }) => text.replaceAll(pattern, instead), sentence)
    .replaceAll(/ {2,}/g, " ")
    .replaceAll(/ ([,.;:!?])/g, "$1")
    .replace(/^[\s,;]+/, "");
  const isCapital = /^\p{Lu}/u.test(sentence);
  return isCapital ? plain.charAt(0).toUpperCase() + plain.slice(1) : plain;
}

/** Wordy phrases and what says the same; the phrases are such as style guides for plain English have long listed. */
const TABLE: Readonly<Record<string, string>> = {
  "in order to": "to",
  "so as to": "to",
  "due to the fact that": "because",
  "owing to the fact that": "because",
  "for the reason that": "because",
  "in view of the fact that": "because",
  "despite the fact that": "although",
  "in spite of the fact that": "although",
  "in the event that": "if",
  "at this point in time": "now",
  "at the present time": "now",
  "at that point in time": "then",
  "in the near future": "soon",
  "prior to": "before",
  "subsequent to": "after",
  "a large number of": "many",
  "a majority of": "most",
  "has the ability to": "can",
  "have the ability to": "can",
  "is able to": "can",
  "are able to": "can",
  "with regard to": "about",
  "with respect to": "about",
  "in relation to": "about",
  "for the purpose of": "for",
  "on a daily basis": "daily",
  "on a weekly basis": "weekly",
  "on a regular basis": "regularly",
  "in close proximity to": "near",
  "make use of": "use",
  "it is important to note that": "",
  "it should be noted that": "",
  "it is worth noting that": "",
  "please note that": "",
  "needless to say,": "",
  "as a matter of fact,": "",
  "at the end of the day,": "",
  "in actual fact": "in fact",
};

const FILLERS = Object.entries(TABLE).map(([phrase, instead]) => ({
  pattern: new RegExp(`(?<![\\p{L}\\p{N}])${phrase.replaceAll(" ", "\\s+")}(?![\\p{L}\\p{N}])`, "giu"),
  instead,
}));
