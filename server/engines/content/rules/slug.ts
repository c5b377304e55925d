import { CONTENT_LIMITS } from "../schema.ts";

/** Truncates a slug to its maximum length, at a hyphen if there is one in its second half. */
export function cutSlug(slug: string, chars: number = CONTENT_LIMITS.slugChars): string {
  if (slug.length <= chars) return slug;
  const cut = slug.slice(0, chars + 1);
  const at = cut.lastIndexOf("-");
  return (at > chars / 2 ? cut.slice(0, at) : cut.slice(0, chars)).replace(/-+$/, "");
}

/**
 * Candidate slugs for a title: the plain one first, then with numbers; the last one contains part of the draft's id
 * and is
 * always free. `transliterated` may be empty for a title without Latin equivalents.
 */
export function slugCandidates(transliterated: string, draftId: string): string[] {
  const tail = draftId.slice(-10).toLowerCase();
  const base = cutSlug(transliterated);
  if (base === "") return [tail];
  const numbered = Array.from(
    { length: 8 },
    (_, at) => `${cutSlug(base, CONTENT_LIMITS.slugChars - 2)}-${at + 2}`,
  );
  return [base, ...numbered, `${cutSlug(base, CONTENT_LIMITS.slugChars - tail.length - 1)}-${tail}`];
}
