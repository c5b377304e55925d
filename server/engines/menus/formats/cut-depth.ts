import type { Draft, DraftCategory, DraftText } from "./draft.ts";
import type { Losses, Path } from "./losses.ts";

/**
 * Nests groups and categories at most `depthMax` levels deep instead of refusing the document: deeper groups are
 * imported, but no option of the level above offers them; deeper categories move up. What contains itself stays as it
 * is, for the check that follows.
 */
export function cutDepth(draft: Draft, depthMax: number, losses: Losses): Draft {
  return {
    ...draft,
    modifiers: cutGroups(draft, depthMax, losses),
    categories: draft.categories.map((category) => raise(category, draft, depthMax, losses)),
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

/** The level of each group: 1 where no other group leads to it, otherwise one more than the deepest that does. */
function levelsOf({ groups, modifiers }: Draft): ReadonlyMap<string, number> {
  const nested = new Map(modifiers.map((modifier) => [modifier.ref, modifier.groups]));
  const levels = new Map(groups.map(({ ref }) => [ref, 1]));
  // A level is final after as many rounds as there are groups; in a circle none ever is.
  for (let round = 0; round < groups.length; round += 1) {
    let changes = false;
    for (const { ref, modifiers: options } of groups) {
      const below = (levels.get(ref) ?? 1) + 1;
      for (const group of options.flatMap((option) => nested.get(option) ?? [])) {
        if ((levels.get(group) ?? 1) >= below || !levels.has(group)) continue;
        levels.set(group, below);
        changes = true;
      }
    }
    if (!changes) return levels;
  }
  return new Map();
}

function raise(category: DraftCategory, draft: Draft, depthMax: number, losses: Losses): DraftCategory {
  const above = ancestorsOf(category, draft);
  if (above.length < depthMax || above.includes(category.ref)) return category;
  losses.add(category.path, `Categories are nested at most ${depthMax} levels deep: imported higher up.`);
  return { ...category, parent: above.at(1 - depthMax) ?? null };
}

/** Refs of the categories that contain it, the nearest first; a circle ends where it returns to the category. */
function ancestorsOf(category: DraftCategory, { categories }: Draft): string[] {
  const parents = new Map(categories.map(({ ref, parent }) => [ref, parent ?? null]));
  const above: string[] = [];
  let next = category.parent ?? null;
  while (next !== null && !above.includes(next)) {
    above.push(next);
    next = parents.get(next) ?? null;
  }
  return above;
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
