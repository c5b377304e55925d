/** Untrusted text on one line: without control characters, which could move the cursor or forge a line. */
export const clean = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]+/gu, " ");

/** The same for text of several lines. */
export const cleanText = (text: string): string =>
  text.replaceAll(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu, " ");

/** JSON that is safe on a terminal: control characters that JSON.stringify leaves are escaped too. */
export const escapeControls = (json: string): string =>
  json.replaceAll(
    /[\u007f-\u009f\p{Bidi_Control}\u2028\u2029]/gu,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
