// V8 copies the whole text for each segment that `Intl.Segmenter` gives: what is segmented at once must stay short, or
// a megabyte without a full stop would take minutes.

const WORDS_AT_ONCE = 400;
/** Longer runs without a space are cut wherever this many characters are reached. */
const RUN_MAX = 2_000;
const SENTENCES_AT_ONCE = 2_000;

/** The word-like segments of a text. Cutting at spaces changes none of them: a word never spans one. */
export function wordsOf(text: string, segmenter: Intl.Segmenter): string[] {
  const words: string[] = [];
  let at = 0;
  while (at < text.length) {
    const end = endOfChunk(text, at);
    for (const { segment, isWordLike } of segmenter.segment(text.slice(at, end))) {
      if (isWordLike === true) words.push(segment);
    }
    at = end;
  }
  return words;
}

function endOfChunk(text: string, at: number): number {
  const wanted = at + WORDS_AT_ONCE;
  if (wanted >= text.length) return text.length;
  const before = text.lastIndexOf(" ", wanted);
  if (before > at) return before;
  const after = text.indexOf(" ", wanted);
  return Math.min(after === -1 ? text.length : after, at + RUN_MAX);
}

/**
 * The sentence segments of a text in which every space is a plain one. A window is segmented up to its last boundary;
 * one without a boundary is doubled, and then only its first sentence is taken.
 */
export function* sentencesOf(text: string, segmenter: Intl.Segmenter): Generator<string, void, undefined> {
  let at = 0;
  let size = SENTENCES_AT_ONCE;
  while (at < text.length) {
    const window = text.slice(at, at + size);
    const isLast = at + size >= text.length;
    let taken = 0;
    for (const { segment, index } of segmenter.segment(window)) {
      // The last segment may go on beyond the window.
      if (!isLast && index + segment.length >= window.length) break;
      yield segment;
      taken = index + segment.length;
      if (size > SENTENCES_AT_ONCE) break;
    }
    at += taken;
    size = taken === 0 ? size * 2 : SENTENCES_AT_ONCE;
  }
}
