import { sha256Hex } from "../../../core/ids.ts";
import { DraftContent } from "../schema/draft.ts";
import type { Seo } from "../schema/draft.ts";

/** The part of a draft that a revision stores, with its fields in a fixed order. */
export function contentOf(wider: DraftContent): DraftContent {
  const { title, slug, locale, body_format, body, excerpt, author, tags, category, cover, seo, cornerstone } =
    wider;
  return { title, slug, locale, body_format, body, excerpt, author, tags, category, cover, seo, cornerstone };
}

/** SHA-256 of a content: the same content has the same hash, whatever created it. */
export const hashContent = (content: DraftContent): string =>
  sha256Hex(JSON.stringify(sortKeys(DraftContent.parse(contentOf(content)))));

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sortKeys(member)]),
  );
}

/** A patch of `seo`: a merge patch (RFC 7386); `robots` and `og` are merged recursively. */
export interface SeoPatch extends Omit<{ [K in keyof Seo]?: Seo[K] | undefined }, "robots" | "og"> {
  readonly robots?: { [K in keyof Seo["robots"]]?: Seo["robots"][K] | undefined } | undefined;
  readonly og?: { [K in keyof NonNullable<Seo["og"]>]?: string | null | undefined } | null | undefined;
}

const NO_OG = { title: null, description: null, image: null };

export function patchSeo(seo: Seo, patch: SeoPatch): Seo {
  const { robots, og, ...plain } = patch;
  return {
    ...seo,
    ...withoutUndefined(plain),
    robots: { ...seo.robots, ...withoutUndefined(robots ?? {}) },
    og: og === undefined ? seo.og : og === null ? null : { ...(seo.og ?? NO_OG), ...withoutUndefined(og) },
  };
}

/** A field that is not in the patch does not change; `undefined` would overwrite it. */
function withoutUndefined<T extends object>(patch: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // Object.entries loses the types of the fields; the filter changes none of them.
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
