import type { Draft, DraftCategory, DraftText } from "./draft.ts";
import type { Losses, Path } from "./losses.ts";

/**
 * Nests groups and categories at most `depthMax` levels deep instead of refusing the document: deeper groups are
 * imported, but no option of the level above offers them; deeper categories move up. What contains itself stays as it
 * is, for the check that follows.
 */
export function cutDepth(draft: Draft, depthMax: number, losses: Losses): Draft {
  const places = placesOf(draft.categories, depthMax);
  return {
    ...draft,
    modifiers: cutGroups(draft, depthMax, losses),
    categories: draft.categories.map((category) => raise(category, places, depthMax, losses)),
  };
}

function cutGroups(draft: Draft, depthMax: number, losses: Losses): Draft["modifiers"] {
  const levels = levelsOf(draft);
  // Levels 1 to depthMax are one block, the next ones another: no block nests deeper than allowed.
  const blockOf = (group: string): number => Math.floor(((levels.get(group) ?? 1) - 1) / depthMax);
  const lowest = new Map<string, number>();
  for (const { ref, modifiers } of draft.groups) {
    for (const modifier of modifiers) {
      lowest.set(modifier, Math.min(blockOf(ref), lowest.get(modifier) ?? Infinity));
    }
  }
  return draft.modifiers.map((modifier) => {
    const block = lowest.get(modifier.ref) ?? Infinity;
    const groups = modifier.groups.filter((group) => blockOf(group) <= block);
    if (groups.length === modifier.groups.length) return modifier;
    const reason = `Groups are nested at most ${depthMax} levels deep: the groups of this option are imported without it.`;
    losses.add(modifier.path, reason, "money");
    return { ...modifier, groups };
  });
}

/**
 * The level of each group: 1 where no other group leads to it, otherwise one more than the deepest that does. Empty if a group contains
 * itself. Each reference is followed once: options that many groups share would otherwise multiply.
 */
function levelsOf({ groups, modifiers }: Draft): ReadonlyMap<string, number> {
  const optionsOf = new Map(groups.map((group) => [group.ref, group.modifiers]));
  const offered = countRefs([...optionsOf.values()]);
  const nested = new Map(
    modifiers
      .filter(({ ref }) => offered.has(ref))
      .map((modifier) => [modifier.ref, modifier.groups.filter((group) => optionsOf.has(group))]),
  );
  const containers = countRefs([...nested.values()]);
  const levels = new Map([...optionsOf.keys()].map((ref) => [ref, 1]));
  const optionLevels = new Map<string, number>();
  const isLast = (counts: Map<string, number>, ref: string): boolean => {
    const left = (counts.get(ref) ?? 1) - 1;
    counts.set(ref, left);
    return left === 0;
  };
  // Groups whose level is final: all that leads to them was followed.
  const final = [...optionsOf.keys()].filter((ref) => !containers.has(ref));
  for (const ref of final) {
    for (const option of optionsOf.get(ref) ?? []) {
      const level = Math.max(levels.get(ref) ?? 1, optionLevels.get(option) ?? 1);
      optionLevels.set(option, level);
      if (!isLast(offered, option)) continue;
      for (const group of nested.get(option) ?? []) {
        levels.set(group, Math.max(level + 1, levels.get(group) ?? 1));
        if (isLast(containers, group)) final.push(group);
      }
    }
  }
  return final.length === levels.size ? levels : new Map();
}

/** How often each is listed. */
function countRefs(lists: readonly (readonly string[])[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const list of lists) for (const ref of list) counts.set(ref, (counts.get(ref) ?? 0) + 1);
  return counts;
}

interface Place {
  /** Categories that contain it. */
  readonly depth: number;
  /** Its ancestor, or itself, below which a category is as deep as allowed; null: it is above that. */
  readonly deepest: string | null;
}

/** The places of categories by ref; null for those that contain themselves or are in one that does. */
function placesOf(categories: readonly DraftCategory[], depthMax: number): ReadonlyMap<string, Place | null> {
  const parents = new Map(categories.map(({ ref, parent }) => [ref, parent ?? null]));
  const places = new Map<string, Place | null>();
  for (const { ref } of categories) {
    const branch = new Set<string>();
    let next: string | null = ref;
    while (next !== null && !places.has(next) && !branch.has(next)) {
      branch.add(next);
      next = parents.get(next) ?? null;
    }
    const isCircle = next !== null && branch.has(next);
    let above: Place | null | undefined = next === null ? undefined : (places.get(next) ?? null);
    for (const each of [...branch].toReversed()) {
      above = isCircle || above === null ? null : placeBelow(above, each, depthMax);
      places.set(each, above);
    }
  }
  return places;
}

function placeBelow(above: Place | undefined, ref: string, depthMax: number): Place {
  const depth = above === undefined ? 0 : above.depth + 1;
  return { depth, deepest: above?.deepest ?? (depth === depthMax - 2 ? ref : null) };
}

function raise(
  category: DraftCategory,
  places: ReadonlyMap<string, Place | null>,
  depthMax: number,
  losses: Losses,
): DraftCategory {
  const place = places.get(category.ref) ?? null;
  if (place === null || place.depth < depthMax) return category;
  losses.add(category.path, `Categories are nested at most ${depthMax} levels deep: imported higher up.`);
  return { ...category, parent: place.deepest };
}

const TITLE_MAX = 150;
const DESCRIPTION_MAX = 2_000;

interface Entry {
  readonly path: Path;
  readonly title: DraftText;
  readonly description?: DraftText | null;
}

/** Shortens titles and descriptions to what a resource can store, instead of refusing the document for one of them. */
export function cutTexts(draft: Draft, losses: Losses): Draft {
  const entry = <T extends Entry>(value: T): T => ({
    ...value,
    title: cut(value.title, TITLE_MAX, [...value.path, "title"], losses),
    ...(value.description == null
      ? {}
      : {
          description: cut(value.description, DESCRIPTION_MAX, [...value.path, "description"], losses),
        }),
  });
  return {
    ...draft,
    menus: draft.menus.map(entry),
    categories: draft.categories.map(entry),
    items: draft.items.map((item) => ({ ...entry(item), variations: item.variations.map(entry) })),
    groups: draft.groups.map(entry),
    modifiers: draft.modifiers.map(entry),
  };
}

function cut(texts: DraftText, charsMax: number, path: Path, losses: Losses): DraftText {
  if (Object.values(texts).every((text) => text.length <= charsMax)) return texts;
  losses.add(path, `Shortened to ${charsMax} characters.`, "content");
  return Object.fromEntries(
    Object.entries(texts).map(([locale, text]) => [
      locale,
      text.length <= charsMax ? text : `${text.slice(0, charsMax - 1).trimEnd()}…`,
    ]),
  );
}
