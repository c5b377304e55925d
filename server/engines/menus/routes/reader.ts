import { invalidParameter } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";
import { readSettings } from "../repository.ts";
import { parseAcceptLanguage } from "../rules/parse-accept-language.ts";
import type { Reader } from "../rules/pick-text.ts";

/**
 * The reader's languages from `locale`, otherwise from `Accept-Language`, followed by the store's own. Throws 422 for
 * an invalid language tag.
 */
export async function readerOf(ctx: Ctx, locale: string | undefined): Promise<Reader> {
  const { default_locale: fallback } = await readSettings(ctx.tx);
  if (locale === undefined) return { locales: parseAcceptLanguage(ctx.acceptLanguage), fallback };
  const locales = parseAcceptLanguage(locale);
  if (locales.length !== 1) throw invalidParameter("locale", "Expected a language tag such as en or cy-GB.");
  return { locales, fallback };
}
