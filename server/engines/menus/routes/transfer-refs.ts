import type { Draft } from "../formats/draft.ts";
import { isOwnId } from "../formats/names.ts";
import type { RefKind } from "../formats/names.ts";

export type StoredKind = Exclude<RefKind, "variation" | "schedule">;

/** Refs that are our own ids of existing resources: a document exported from here is imported again. */
export async function ownIds(
  draft: Draft,
  stagers: Readonly<Record<StoredKind, { readonly read: (id: string) => Promise<unknown> }>>,
): Promise<ReadonlySet<string>> {
  const own = new Set<string>();
  for (const { kind, ref } of refsOf(draft)) {
    if (kind === "variation") {
      // It exists inside its item only: one of our ids can be nothing else.
      if (isOwnId(kind, ref)) own.add(`${kind} ${ref}`);
    } else if (isOwnId(kind, ref) && !own.has(`${kind} ${ref}`) && (await stagers[kind].read(ref)) !== null) {
      own.add(`${kind} ${ref}`);
    }
  }
  return own;
}

/** Everything that a draft defines or refers to. */
function refsOf(draft: Draft): { readonly kind: StoredKind | "variation"; readonly ref: string }[] {
  const refs = (kind: StoredKind | "variation", named: readonly string[]) =>
    named.map((ref) => ({ kind, ref }));
  return [
    ...refs(
      "menu",
      draft.menus.map(({ ref }) => ref),
    ),
    ...refs("category", [
      ...draft.menus.flatMap((menu) => menu.categories),
      ...draft.categories.flatMap(({ ref, parent }) => [ref, ...(parent == null ? [] : [parent])]),
      ...(draft.additions ?? []).map(({ category }) => category),
    ]),
    ...refs("item", [
      ...draft.categories.flatMap((category) => category.items),
      ...draft.items.map(({ ref }) => ref),
      ...draft.modifiers.flatMap(({ item }) => item ?? []),
    ]),
    ...refs(
      "variation",
      draft.items.flatMap(({ variations }) => variations.map(({ ref }) => ref)),
    ),
    ...refs("group", [
      ...draft.items.flatMap(({ groups }) => groups.map(({ group }) => group)),
      ...draft.groups.map(({ ref }) => ref),
      ...draft.modifiers.flatMap(({ groups }) => groups),
    ]),
    ...refs("modifier", [
      ...draft.groups.flatMap((group) => group.modifiers),
      ...draft.modifiers.map(({ ref }) => ref),
    ]),
    ...refs(
      "level",
      draft.levels.map(({ ref }) => ref),
    ),
  ];
}
