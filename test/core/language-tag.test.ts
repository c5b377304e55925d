import { expect, it } from "vitest";

import { LanguageTag } from "../../server/core/schema.ts";
import { DraftContent } from "../../server/engines/content/schema/draft.ts";
import { formContent } from "../../server/engines/forms/schema.ts";

it.each(["en", "en-GB", "zh-Hant-TW", "de-1996", "ES-419"])("takes %s", (tag) => {
  expect(LanguageTag.safeParse(tag).success).toBe(true);
});

// Intl throws for these: a page or mail in such a language could not be written.
it.each(["en-GB-GB", "en-ab-cd", "en-abcd-efgh", "english", "en_GB", ""])("refuses %s", (tag) => {
  expect(LanguageTag.safeParse(tag).success).toBe(false);
  expect(formContent.locales.safeParse([tag]).success).toBe(false);
  expect(DraftContent.shape.locale.safeParse(tag).success).toBe(false);
});

// Case means nothing in a tag, but filters, catalogues of words and feeds compare it.
it.each([
  ["pt-br", "pt-BR"],
  ["DE", "de"],
  ["zh-hant-tw", "zh-Hant-TW"],
])("writes %s as %s", (tag, written) => expect(LanguageTag.parse(tag)).toBe(written));
