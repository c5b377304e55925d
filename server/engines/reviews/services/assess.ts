import { DAY_MS, fromInstant } from "../../../lib/instant.ts";
import { inSlices } from "../../../lib/slices.ts";
import { sha256Hex } from "../../../core/ids.ts";
import type { Tx } from "../../../core/tx.ts";
import { reviews, traces } from "../repository.ts";
import type { FormVerdict } from "../rules/score-risk.ts";
import { scoreRisk } from "../rules/score-risk.ts";
import { runsOf, similarityTo } from "../rules/similarity.ts";
import type { Review } from "../schema.ts";
import type { Signal } from "../schema/parts.ts";
import type { Settings } from "../schema/settings.ts";

/** The newest reviews of the store with which a new one is compared. */
const COMPARED = 200;
/** Those of them that are in memory at once: each can be as large as a document may be. */
const COMPARED_PAGE = 50;
/** Minimum of characters for language detection. */
const LANGUAGE_CHARS_MIN = 20;

export interface Assessed {
  readonly settings: Settings;
  /** Hash of the IP address; null if not sent by a visitor. */
  readonly address: string | null;
  readonly form: FormVerdict | null;
  readonly is_second: boolean;
  readonly now: number;
}

/** The risk of a submitted review: text, sender, form and similarity; never its rating. */
export async function assess(
  tx: Tx,
  review: Review,
  context: Assessed,
): Promise<{ risk: number; signals: Signal[] }> {
  const text = `${review.title}\n${review.body}`;
  return scoreRisk({
    title: review.title,
    body: review.body,
    is_profane: await isProfane(text),
    similarity: await highestSimilarity(tx, review),
    from_address: context.address === null ? 0 : 1 + (await countFrom(tx, context.address, context.now)),
    is_disposable: review.email !== null && (await isDisposable(review.email)),
    is_own_domain: review.email !== null && isOwn(review.email, context.settings.shop_url),
    language: await languageOf(text),
    store_languages: context.settings.locales.map((locale) => new Intl.Locale(locale).language),
    is_second: context.is_second,
    form: context.form,
  });
}

async function highestSimilarity(tx: Tx, review: Review): Promise<number> {
  if (review.body === "") return 0;
  const own = runsOf(review.body);
  let highest = 0;
  let cursor: string | null | undefined;
  for (let read = 0; read < COMPARED && cursor !== null; read += COMPARED_PAGE) {
    const page = await tx.peekPage(reviews, { limit: COMPARED_PAGE, cursor });
    // Two hundred of them take longer than one request may keep the others waiting.
    for await (const { id, value } of inSlices(page.items, tx.part)) {
      if (id !== review.id && value.body !== "") highest = Math.max(highest, similarityTo(own, value.body));
    }
    cursor = page.next;
  }
  return highest;
}

const TRACES_READ = 10;

/** Reviews from an IP address in the last 24 hours. */
export async function countFrom(tx: Tx, address: string, now: number): Promise<number> {
  const value = sha256Hex(address).slice(0, 32);
  const { items } = await tx.peekPage(traces, { index: "address", value, limit: TRACES_READ });
  return items.filter(({ value: { at } }) => now - fromInstant(at) < DAY_MS).length;
}

/** Whether the text contains a listed word. Honest words match as well, so this never rejects a review. */
export async function isProfane(text: string): Promise<boolean> {
  const { englishDataset, englishRecommendedTransformers, RegExpMatcher } = await import("obscenity");
  matcher ??= new RegExpMatcher({ ...englishDataset.build(), ...englishRecommendedTransformers });
  return matcher.hasMatch(text);
}
let matcher: { hasMatch(text: string): boolean } | undefined;

export async function isDisposable(email: string): Promise<boolean> {
  const { isDisposableEmailDomain } = await import("disposable-email-domains-js");
  return isDisposableEmailDomain(email.slice(email.lastIndexOf("@") + 1));
}

/** A person of the store itself: a conflict of interest that the review would have to disclose. */
function isOwn(email: string, shopUrl: string): boolean {
  if (shopUrl === "") return false;
  const host = new URL(shopUrl).hostname.replace(/^www\./, "");
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  return domain === host || domain.endsWith(`.${host}`);
}

/** Language of a text such as `en`; null if not detectable. */
async function languageOf(text: string): Promise<string | null> {
  if (text.trim().length < LANGUAGE_CHARS_MIN) return null;
  const { franc } = await import("franc-min");
  const code = franc(text, { minLength: LANGUAGE_CHARS_MIN });
  // The canonical form of a three-letter code is the two-letter one, if there is one.
  return code === "und" ? null : (Intl.getCanonicalLocales(code)[0] ?? null);
}
