import { conflict } from "../../../lib/errors.ts";
import type { Tx } from "../../../core/tx.ts";
import { slugHolds, slugId } from "../repository.ts";
import type { SlugHold } from "../schema/draft.ts";
import { CONTENT_LIMITS } from "../schema.ts";

/** A slug in its locale. */
export interface Place {
  readonly locale: string;
  readonly slug: string;
}

const samePlace = (a: Place, b: Place): boolean => slugId(a.locale, a.slug) === slugId(b.locale, b.slug);

/**
 * Reserves a slug for a draft; 409 `slug_taken` if another one has it, or had it before it moved. A slug that the
 * draft
 * is about to leave continues to redirect until the new one is live.
 */
export async function claimSlug(
  { tx, nowAt }: { readonly tx: Tx; readonly nowAt: string },
  draftId: string,
  place: Place,
  isStaged = false,
): Promise<void> {
  const id = slugId(place.locale, place.slug);
  const held = await tx.get(slugHolds, id);
  if (held !== null && held.value.draft_id !== draftId) {
    throw conflict(
      "slug_taken",
      held.value.moved_to === null
        ? `The slug ${place.slug} is already used by draft ${held.value.draft_id}. Choose another one.`
        : `The slug ${place.slug} redirects to ${held.value.moved_to}, the new slug of draft ${held.value.draft_id}. ` +
            "Choose another one.",
    );
  }
  const hold: SlugHold = {
    id,
    created_at: held?.value.created_at ?? nowAt,
    updated_at: nowAt,
    slug: place.slug,
    locale: place.locale,
    draft_id: draftId,
    moved_to: null,
  };
  if (held === null) tx.create(slugHolds, hold);
  // The draft returns to one of its earlier slugs.
  else if (held.value.moved_to !== null && !isStaged) tx.put(slugHolds, held, hold);
}

/** The first free slug for a title. */
export async function freeSlug(tx: Tx, draftId: string, title: string, locale: string): Promise<string> {
  const [plain = "", ...numbered] = slugCandidates(await transliterate(title), draftId);
  // Nearly always the plain one is free; the others are read together.
  for (const candidates of [[plain], numbered]) {
    const held = await tx.getAll(
      slugHolds,
      candidates.map((slug) => slugId(locale, slug)),
    );
    const free = candidates.find((_, at) => (held[at]?.value.draft_id ?? draftId) === draftId);
    if (free !== undefined) return free;
  }
  throw conflict("slug_taken", "No unused slug could be derived from this title. Specify one.");
}

/** Releases a slug that the draft no longer uses and that was never public. */
export async function releaseSlug(tx: Tx, draftId: string, place: Place): Promise<void> {
  const held = await tx.get(slugHolds, slugId(place.locale, place.slug));
  if (held !== null && held.value.draft_id === draftId && held.value.moved_to === null) {
    tx.remove(slugHolds, held);
  }
}

/** Maximum of earlier slugs of a post that are redirected. */
const TRAIL = 50;

/** Records that a published post has moved: its earlier URLs redirect to the new one (301). */
export async function moveSlug(
  { tx, nowAt }: { readonly tx: Tx; readonly nowAt: string },
  draftId: string,
  from: Place,
  to: Place,
): Promise<void> {
  if (samePlace(from, to)) return;
  const trail = await tx.peekPage(slugHolds, { index: "draft", value: draftId, limit: TRAIL });
  const ids = new Set([slugId(from.locale, from.slug), ...trail.items.map(({ id }) => id)]);
  ids.delete(slugId(to.locale, to.slug));
  for (const id of ids) {
    const held = await tx.get(slugHolds, id);
    if (held === null || held.value.draft_id !== draftId) continue;
    if (held.value.moved_to === null && id !== slugId(from.locale, from.slug)) continue;
    tx.put(slugHolds, held, { ...held.value, moved_to: to.slug, updated_at: nowAt });
  }
}

/** A title in lower-case Latin letters, digits and hyphens; empty if nothing of it can be transliterated. */
export async function transliterate(title: string): Promise<string> {
  const { default: slugify } = await import("@sindresorhus/slugify");
  // The package would split "ÆrØ" into "a-ero" at each capital.
  return slugify(title, { decamelize: false });
}

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
