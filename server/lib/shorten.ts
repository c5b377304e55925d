/** A copy of a text in memory of its own: V8 keeps all of a long string for the sake of a part of it. */
export const copyText = (text: string): string => Buffer.from(text).toString();

/** A text of at most so many characters, with an ellipsis and a copy where it was longer. */
export const shorten = (text: string, chars: number): string =>
  text.length > chars ? copyText(`${text.slice(0, chars)}…`) : text;
