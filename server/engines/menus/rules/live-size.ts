import type { MenuTree, TreeGroup, TreeItem, TreeModifier } from "../schema/tree.ts";
import type { Text } from "../schema/parts.ts";

/**
 * Maximum of bytes of a live menu: a version of a few megabytes can describe hundreds, because each category repeats its
 * items, and each item the ids of all its modifiers.
 */
export const LIVE_BYTES_MAX = 8_000_000;

/** Names of fields, numbers, instants, energy and allergens: what is not counted at each part. */
const BYTES = {
  item: 850,
  variation: 150,
  use: 70,
  image: 25,
  category: 100,
  group: 250,
  entry: 60,
  modifier: 270,
};

/** What the size depends on. */
interface Shown extends Pick<MenuTree, "categories" | "items" | "modifier_groups" | "modifiers"> {
  readonly groupById: ReadonlyMap<string, TreeGroup>;
  /** Visible positions of an item. */
  readonly placesOf: (itemId: string) => readonly unknown[];
}

/** Bytes of the live menu of a tree as JSON, in the longest of its languages and rather too many. In steps of one part. */
export function* liveBytesSteps(tree: Shown): Generator<undefined, number> {
  const modifierBytes = new Map<string, number>();
  for (const modifier of tree.modifiers) {
    modifierBytes.set(modifier.id, bytesOfModifier(modifier));
    yield;
  }
  let bytes = 0;
  for (const group of tree.modifier_groups) {
    bytes += bytesOfGroup(group);
    for (const id of group.modifier_ids) bytes += modifierBytes.get(id) ?? 0;
    yield;
  }
  for (const { id, title, description, image } of tree.categories) {
    bytes += BYTES.category + bytesOf([id]) + textBytes([title, description]) + imageBytes(image);
    yield;
  }
  for (const item of tree.items) {
    const { length: places } = tree.placesOf(item.id);
    if (places > 0) bytes += places * bytesOfItem(tree, item);
    yield;
  }
  return bytes;
}

function bytesOfItem(tree: Shown, item: TreeItem): number {
  let bytes = BYTES.item + bytesOf([item.id, item.sku, item.product_id, ...item.tags]);
  bytes += textBytes([item.title, item.description, item.portion_text]);
  for (const { id, title, portion_text: portion } of item.variations)
    bytes += BYTES.variation + bytesOf([id]) + textBytes([title, portion ?? item.portion_text]);
  for (const { group_id: id, hidden_modifier_ids: hidden } of item.modifier_groups) {
    const ids = tree.groupById.get(id)?.modifier_ids ?? [];
    bytes += BYTES.use + bytesOf([id]);
    bytes += bytesOf(hidden.length === 0 ? ids : ids.filter((each) => !hidden.includes(each)));
  }
  for (const image of item.images) bytes += imageBytes(image);
  return bytes;
}

function bytesOfGroup({ id, title, pre_modifiers: before, portions }: TreeGroup): number {
  let bytes = BYTES.group + bytesOf([id]) + textBytes([title]);
  for (const entry of [...before, ...portions])
    bytes += BYTES.entry + bytesOf([entry.code]) + textBytes([entry.title]);
  return bytes;
}

const bytesOfModifier = ({ id, title, nested_group_ids: nested, removes }: TreeModifier): number =>
  BYTES.modifier + bytesOf([id, ...nested, ...removes]) + textBytes([title]);

const imageBytes = (image: TreeItem["images"][number] | null): number =>
  image === null ? 0 : BYTES.image + bytesOf([image.url]) + textBytes([image.alt]);

/** Words with quotes and a comma each. */
const bytesOf = (words: readonly (string | null)[]): number =>
  words.reduce((sum, word) => sum + (word === null ? 0 : Buffer.byteLength(word) + 3), 0);

/** Texts as JSON, each in its longest language. */
const textBytes = (texts: readonly (Text | null)[]): number =>
  texts.reduce(
    (sum, text) =>
      sum +
      Object.values(text ?? {}).reduce(
        (most, words) => Math.max(most, Buffer.byteLength(JSON.stringify(words)) + 1),
        0,
      ),
    0,
  );
