import { z } from "zod";

import { holdsKey } from "../core/key-format.ts";

/** A name or a reason that somebody types: one line, and not an API key pasted by mistake, since it is kept and shown. */
export const freeText = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine(
      (text) => !/[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}]/u.test(text),
      "Control characters are not accepted.",
    )
    .refine((text) => !holdsKey(text), "This holds an API key. A key must not be written down here.");
