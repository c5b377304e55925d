import { sha256Hex } from "../../../core/ids.ts";
import type { MenuTree } from "../schema/tree.ts";

/** The canonical form of a tree: lists ordered by id. Equal trees have the same text. */
export const canonicalTree = (tree: MenuTree): MenuTree => ({
  menu: tree.menu,
  categories: byId(tree.categories),
  items: byId(tree.items),
  modifier_groups: byId(tree.modifier_groups),
  modifiers: byId(tree.modifiers),
  schedules: byId(tree.schedules),
  price_levels: byId(tree.price_levels),
});

/** The canonical text of a tree one object at a time: large trees are hashed with pauses. */
export function* canonicalPieces(tree: MenuTree): Generator<string, void, undefined> {
  let before = "{";
  for (const [name, member] of Object.entries(canonicalTree(tree)).sort(([a], [b]) => (a < b ? -1 : 1))) {
    yield `${before}${JSON.stringify(name)}:`;
    before = ",";
    if (!Array.isArray(member)) {
      yield canonicalText(member);
      continue;
    }
    yield "[";
    for (const [index, object] of member.entries()) yield `${index > 0 ? "," : ""}${canonicalText(object)}`;
    yield "]";
  }
  yield "}";
}

/** SHA-256 of the canonical text, in hex. */
export const hashTree = (tree: MenuTree): string => sha256Hex([...canonicalPieces(tree)].join(""));

/** JSON with the keys of every object sorted; undefined fields are omitted. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

const byId = <T extends { readonly id: string }>(values: readonly T[]): T[] =>
  [...values].sort((a, b) => (a.id < b.id ? -1 : 1));
