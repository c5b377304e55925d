import { z } from "zod";

import { WEEKDAYS } from "../../../lib/local-time.ts";
import { Id, urlUpTo } from "../../../core/schema.ts";
import { MENU_LIMITS } from "./limits.ts";

export const Locale = z
  .string()
  .regex(/^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|\d{3}))?$/, "Expected a language tag such as en or en-GB.");

/** Language of a text without one, until the store's own replaces it (RFC 5646: undetermined). */
export const UNTOLD = "und";

/** A text in one or more languages, by language tag. A plain string is in the store's own language. */
function textOf(charsMax: number) {
  const words = z.string().trim().min(1).max(charsMax);
  const byLocale = z
    .record(Locale, words)
    .refine((texts) => Object.keys(texts).length > 0, "Text in at least one language is required.")
    .refine(
      (texts) => Object.keys(texts).length <= MENU_LIMITS.locales,
      `Text in at most ${MENU_LIMITS.locales} languages is allowed.`,
    );
  return z
    .union([words, byLocale])
    .transform((text): Record<string, string> => (typeof text === "string" ? { [UNTOLD]: text } : text))
    .pipe(byLocale);
}
export const Title = textOf(150);
export const Description = textOf(2_000);
export type Text = z.output<typeof Title>;

export const Code = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, "Expected a code such as extra or gluten-free.");
export const Channel = z.enum(["delivery", "pickup", "dine_in", "catering", "kiosk"]);
export type Channel = z.output<typeof Channel>;
export const Channels = z
  .array(Channel)
  .max(5)
  .meta({ description: "Sales channels it is offered in. Empty: all" });
export const Weekday = z.enum(WEEKDAYS);

export const ScheduleIds = z
  .array(Id)
  .max(MENU_LIMITS.schedulesPerTarget)
  .meta({ description: "Open if one of them is. Empty: always" });
export const Sku = z.string().trim().min(1).max(64);
export const Image = z.strictObject({
  url: urlUpTo(2_000, { protocol: /^https?$/ }),
  alt: Title.nullable().default(null),
});
/** Energy in kcal; `max` is set for a range. */
export const Kcal = z
  .strictObject({
    min: z.int().min(0).max(100_000),
    max: z.int().min(0).max(100_000).nullable().default(null),
  })
  .refine(({ min, max }) => max === null || min <= max, {
    path: ["max"],
    message: "`max` must not be less than `min`.",
  });
export type Kcal = z.output<typeof Kcal>;
/** A factor of a price, as a decimal with at most four decimals. */
export const Factor = z
  .number()
  .min(0)
  .max(100)
  .refine((factor) => hasPlaces(factor, 4), "Must have at most four decimal places.");

/** Ids of a resource in the systems it was imported from. Only written by imports. */
export const ExternalRefs = z
  .array(z.strictObject({ system: Code, id: z.string().min(1).max(128) }))
  .max(10)
  .optional()
  .meta({ description: "Its ids in other systems; stored by imports and used by exports" });

/** Whether a number has at most this many decimals. */
export function hasPlaces(value: number, places: number): boolean {
  const [, fraction = ""] = String(value).split(".");
  return !String(value).includes("e") && fraction.length <= places;
}
