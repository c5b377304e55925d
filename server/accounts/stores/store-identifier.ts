import { z } from "zod";

import { holdsKey } from "../../core/key-format.ts";

const CHARS_MAX = 255;
/** Composing costs the square of the number of marks: what is far too long is refused before. */
const TYPED_CHARS_MAX = 4 * CHARS_MAX;
const TOO_LONG = `Expected at most ${CHARS_MAX} characters.`;
/** Control characters and line separators forge lines; a lone surrogate is not Unicode and cannot be stored. */
const FORBIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}]/u;

/**
 * The name a shop gives its store: 1 to 255 characters, compared case-sensitively, unique per customer only
 * (the ownership of a name is not proven, so it never decides whose data is read).
 */
export const StoreIdentifier = z
  .string()
  .trim()
  .max(TYPED_CHARS_MAX, { error: TOO_LONG, abort: true })
  .normalize("NFC")
  .min(1, "Expected at least 1 character.")
  .max(CHARS_MAX, TOO_LONG)
  .refine((text) => !FORBIDDEN.test(text), "Control characters are not allowed.")
  .refine((text) => !holdsKey(text), "This is an API key. Specify a store identifier.")
  .meta({ description: "Identifier of the store, 1 to 255 characters" });
