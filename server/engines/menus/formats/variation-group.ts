import type { Variation } from "../schema/item.ts";
import type { TreeItem } from "../schema/tree.ts";
import type { Draft, DraftItem, DraftVariation } from "./draft.ts";
import type { Losses } from "./losses.ts";

/**
 * Variations for systems without them: a group in which one option must be selected. The item then has the price of
 * its cheapest variation and each option the difference. The group has the item's name, so that an import recognises
 * it.
 */
export interface VariationGroup {
  readonly id: string;
  readonly base: number;
  readonly options: readonly { readonly variation: Variation; readonly price: number }[];
}

const SUFFIX = ".variations";

/** The group for an item's variations; null for an item without any. */
export function variationGroupOf(item: TreeItem, ref: string): VariationGroup | null {
  if (item.variations.length === 0) return null;
  const base = Math.min(...item.variations.map(({ price }) => price));
  const options = item.variations.map((variation) => ({ variation, price: variation.price - base }));
  return { id: `${ref}${SUFFIX}`, base, options };
}

/** Reports what an export as a group loses of an item, and the alt texts of its images. */
export function noteVariations({ id, images, price, variations }: TreeItem, losses: Losses): void {
  const path = ["items", id];
  if (images.some(({ alt }) => alt !== null))
    losses.add([...path, "images"], "The alt text of an image is not exported.");
  if (variations.length === 0) return;
  losses.add([...path, "variations"], "Variations are exported as a modifier group.");
  if (price !== null)
    losses.add([...path, "price"], "For an item with variations only the variations' prices are exported.");
}

/** Converts such groups back to variations of their items. */
export function foldVariationGroups(draft: Draft): Draft {
  const groups = new Map(draft.groups.map((group) => [group.ref, group]));
  const modifiers = new Map(draft.modifiers.map((modifier) => [modifier.ref, modifier]));
  const folded = new Set<string>();
  const items = draft.items.map((item): DraftItem => {
    const group = groups.get(`${item.ref}${SUFFIX}`);
    if (group === undefined || !item.groups.some((use) => use.group === group.ref)) return item;
    folded.add(group.ref);
    const variations = group.modifiers.flatMap((ref): DraftVariation[] => {
      const option = modifiers.get(ref);
      if (option === undefined) return [];
      const { path, title, price, sku } = option;
      return [{ ref, path, title, price: (item.price ?? 0) + price, sku: sku ?? null }];
    });
    const uses = item.groups.filter((use) => use.group !== group.ref);
    return { ...item, price: null, variations, groups: uses };
  });
  if (folded.size === 0) return draft;
  const rest = draft.groups.filter(({ ref }) => !folded.has(ref));
  const kept = new Set(rest.flatMap((group) => group.modifiers));
  const gone = new Set([...folded].flatMap((ref) => groups.get(ref)?.modifiers ?? []));
  return {
    ...draft,
    items,
    groups: rest,
    modifiers: draft.modifiers.filter(({ ref }) => kept.has(ref) || !gone.has(ref)),
  };
}
