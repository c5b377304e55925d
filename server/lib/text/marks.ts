/**
 * More marks on one letter than any language has (UAX #15, Stream-Safe Text Format). Normalising puts marks in order, which takes time
 * that grows with the square of their number in a row: 20 s for 200,000 of them.
 */
const MANY_MARKS = /(?<!\p{M})\p{M}{31}/u;

/** A text composed. One with more marks on a letter than any language has is left as it is. */
export const composed = (text: string, form: "NFC" | "NFKC" = "NFC"): string =>
  MANY_MARKS.test(text) ? text : text.normalize(form);

/** A text decomposed (NFKD) without its combining marks: é is e. The marks it is written with go first, so none have to be put in order. */
export const withoutMarks = (text: string): string =>
  text.replaceAll(MARKS, "").normalize("NFKD").replaceAll(MARKS, "");

const MARKS = /\p{M}+/gu;
