import { z } from "zod";

import { holdsKey } from "../core/key-format.ts";

/** A name or a reason that a person types: one line, and not an API key pasted by mistake, since it is kept and shown. */
export const freeText = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine((text) => !/[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}]/u.test(text), "Control characters are not allowed.")
    .refine(
      (text) => !holdsKey(text),
      "This contains an API key. Remove it: this text is stored and displayed.",
    );
