import { sha256Hex } from "../../../core/ids.ts";
import type { Citation, Observation } from "../schema/tracking.ts";

/** An uploaded citation. */
export interface RawCitation {
  readonly url: string;
  readonly title?: string | null | undefined;
  /** Its number in the text. Default: its position in the list. */
  readonly n?: number | undefined;
}

export type RawObservation = Omit<Observation, "id" | "created_at" | "citations" | "hash"> & {
  readonly citations: readonly RawCitation[];
};

const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/**
 * An observation with its hash, which is also its id: the same answer uploaded twice is one. The hash covers what was
 * observed and where (prompt version, engine, model, time, sample, run), not who uploaded it.
 */
export function buildObservation(input: RawObservation, createdAt: string): Observation {
  const citations = citationsOf(input.citations);
  const hash = sha256Hex(
    JSON.stringify([
      input.prompt_id,
      input.prompt_version,
      input.engine,
      input.model,
      input.run_id,
      input.sample,
      input.at,
      input.answer_text,
      citations.map(({ n, url }) => [n, url]),
    ]),
  );
  return { ...input, citations, hash, id: `obs_${base32(hash)}`, created_at: createdAt };
}

/** 26 Crockford digits of a hash, as used in ids. */
export function base32(hash: string): string {
  let rest = BigInt(`0x${hash.slice(0, 33)}`);
  let text = "";
  for (let index = 0; index < 26; index += 1) {
    text = DIGITS.charAt(Number(rest % 32n)) + text;
    rest /= 32n;
  }
  return text;
}

/** Citations with their domains, in order; invalid URLs are dropped. */
export function citationsOf(raw: readonly RawCitation[]): Citation[] {
  return raw.flatMap(({ url, title, n }, index) => {
    const domain = domainOf(url);
    if (domain === null) return [];
    return [
      {
        n: n ?? index + 1,
        url: tidyUrl(url),
        domain,
        title: title?.slice(0, 300) ?? null,
        position: index + 1,
      },
    ];
  });
}

/** The host in lower case without www; null for an invalid URL. */
export function domainOf(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { protocol, hostname } = new URL(url);
  return /^https?:$/.test(protocol) ? hostname.toLowerCase().replace(/^www\./, "") : null;
}

const URL_CHARS = 500;
const MARK = /^(utm_\w+|gclid|fbclid|msclkid)$/i;

/** Without fragment and tracking parameters of engines: the same page is one URL. */
export function tidyUrl(url: string): string {
  const parsed = new URL(url);
  parsed.hash = "";
  const all = [...parsed.searchParams];
  const kept = all.filter(([name]) => !MARK.test(name));
  // At once: each parameter that is deleted by itself writes the whole URL again.
  if (kept.length < all.length) parsed.search = new URLSearchParams(kept).toString();
  return parsed.href.slice(0, URL_CHARS);
}
