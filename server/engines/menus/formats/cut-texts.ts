import type { Draft, DraftText } from "./draft.ts";
import type { Losses, Path } from "./losses.ts";

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
