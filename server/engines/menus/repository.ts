import { defineSettings } from "../../core/settings.ts";
import { z } from "zod";

import { defineCollection, timeOrder } from "../../core/collection.ts";
import type { Collection } from "../../core/collection.ts";
import { conflict } from "../../lib/errors.ts";
import type { NewId } from "../../core/ids.ts";
import { readEach } from "../../core/read-page.ts";
import type { Stored, Tx } from "../../core/tx.ts";
import { createRecent } from "../../lib/recent.ts";
import { runInSlices } from "../../lib/slices.ts";
import type { CategoryLink } from "./rules/cut-tree.ts";
import type { GroupGraph } from "./rules/group-graph.ts";
import { indexTreeSteps } from "./rules/index-tree.ts";
import type { IndexedTree } from "./rules/index-tree.ts";
import { packTextInThread, TEXT_BYTES_MAX, unpackInThread } from "./rules/pack-tree.ts";
import { parseTreeSteps } from "./rules/parse-tree.ts";
import { Category, Menu } from "./schema.ts";
import { Calendar } from "./schema/calendar.ts";
import { Connection, ConnectionSecrets, ConnectionStock } from "./schema/connection.ts";
import { Item } from "./schema/item.ts";
import { Modifier, ModifierGroup } from "./schema/modifier.ts";
import { Channel } from "./schema/parts.ts";
import { PriceLevel } from "./schema/price-level.ts";
import { Schedule } from "./schema/schedule.ts";
import { Settings } from "./schema/settings.ts";
import { Stock } from "./schema/stock.ts";
import { StockCommit } from "./schema/stock.ts";
import { MenuVersion, Publication, VersionChunk } from "./schema/versions.ts";

const digits = (value: number, width: number): string => String(value).padStart(width, "0");
/** Sort orders and version numbers are below a million. */
const ascending = (value: number): string => digits(value, 6);
const descending = (value: number): string => digits(999_999 - value, 6);

export const menus = defineCollection({
  name: "menus.menus",
  schema: Menu,
  indexes: {
    /** Menus with a scheduled version, the next one first. */
    due: {
      values: ({ scheduled }) => (scheduled === null ? [] : [""]),
      order: ({ scheduled }) => timeOrder(scheduled?.at ?? ""),
    },
    status: { values: ({ status }) => [status] },
  },
});
export const categories = defineCollection({
  name: "menus.categories",
  schema: Category,
  indexes: {
    menu: { values: ({ menu_ids: ids }) => ids, order: ({ sort_order: order }) => ascending(order) },
    /** `none` contains the top-level categories. */
    parent: {
      values: ({ parent_id: id }) => [id ?? "none"],
      order: ({ sort_order: order }) => ascending(order),
    },
    visible: { values: ({ visible }) => [String(visible)] },
    /** By the channels that they are offered in. */
    channel: { values: ({ channels }) => (channels.length === 0 ? Channel.options : channels) },
  },
});
export const items = defineCollection({ name: "menus.items", schema: Item });
export const modifierGroups = defineCollection({ name: "menus.modifier_groups", schema: ModifierGroup });
export const modifiers = defineCollection({ name: "menus.modifiers", schema: Modifier });
export const schedules = defineCollection({
  name: "menus.schedules",
  schema: Schedule,
  schemaVersion: 2,
  // Older documents have no calendars.
  upgrade: (old) => ({ ...old, holidays: null }),
});
export const calendars = defineCollection({ name: "menus.calendars", schema: Calendar });
export const priceLevels = defineCollection({ name: "menus.price_levels", schema: PriceLevel });

export const stocks = defineCollection({
  name: "menus.stock",
  schema: Stock,
  indexes: {
    /** By status; `suspended` contains targets with a recorded suspension. */
    status: {
      values: ({ status, suspensions }) => (suspensions.length > 0 ? [status, "suspended"] : [status]),
    },
  },
});
/** One document per order deducted from stock: its id is a hash of the order's reference. */
export const stockCommits = defineCollection({
  name: "menus.stock_commits",
  schema: StockCommit,
  unlisted: true,
  indexes: {
    /** Oldest first, for sweeping. */
    age: { values: () => [""], order: ({ created_at }) => timeOrder(created_at) },
  },
});

export const versions = defineCollection({
  name: "menus.versions",
  schema: MenuVersion,
  unlisted: true,
  indexes: { menu: { values: ({ menu_id: id }) => [id], order: ({ n }) => descending(n) } },
});
export const versionChunks = defineCollection({
  name: "menus.version_chunks",
  schema: VersionChunk,
  unlisted: true,
});
export const publications = defineCollection({
  name: "menus.publications",
  schema: Publication,
  unlisted: true,
  indexes: { menu: { values: ({ menu_id: id }) => [id] } },
});

export const connections = defineCollection({ name: "menus.connections", schema: Connection });
export const connectionStock = defineCollection({
  name: "menus.connection_stock",
  schema: ConnectionStock,
  unlisted: true,
  indexes: {
    /** Those whose allergens and diets are to be compared again, the next one first. */
    renewal: {
      values: ({ facts_until: at }) => (at === undefined ? [] : [""]),
      order: ({ facts_until: at }) => timeOrder(at ?? ""),
    },
  },
});
export const connectionSecrets = defineCollection({
  name: "menus.connection_secrets",
  schema: ConnectionSecrets,
  unlisted: true,
});

/** `current` is replaced by every change of the catalogue, and contains its counts. */
export const revisions = defineCollection({
  name: "menus.revisions",
  schema: z.object({
    id: z.literal("current"),
    revision: z.string(),
    counts: z.record(z.string(), z.int().min(0)),
  }),
  unlisted: true,
});

const DEFAULT_SETTINGS: Settings = {
  id: "settings",
  default_locale: "en",
  time_zone: "Europe/London",
  currency: "GBP",
  kcal_labelling: "none",
  low_threshold: 5,
  updated_at: null,
};

export const menuSettings = defineSettings<Settings>({
  engine: "menus",
  schema: Settings,
  defaults: DEFAULT_SETTINGS,
  inherits: { default_locale: "locale", time_zone: "time_zone", currency: "currency" },
});

export const readSettings = menuSettings.read;

/**
 * Marks the catalogue as changed, in the commit that changes it, and updates the count of one kind. A transaction that
 * reads the whole catalogue
 * for a decision reads this marker first, so that a concurrent change causes a retry.
 * Throws 409 `limit_reached` if the store has reached its limit of a kind.
 */
export async function markChanged(
  tx: Tx,
  newId: NewId,
  count?: { readonly of: Collection<never>["name"]; readonly by: number; readonly max: number },
): Promise<void> {
  const before = await tx.get(revisions, "current");
  const counts = { ...before?.value.counts };
  if (count !== undefined) {
    const next = Math.max(0, (counts[count.of] ?? 0) + count.by);
    if (count.by > 0 && next > count.max) {
      const noun = count.of.replace(/^menus\./, "").replaceAll("_", " ");
      throw conflict(
        "limit_reached",
        `The limit of ${count.max} ${noun} per store is reached. Delete one first.`,
      );
    }
    counts[count.of] = next;
  }
  const value = { id: "current" as const, revision: newId("rev"), counts };
  tx.save(revisions, before, value);
}

/**
 * What is kept of all documents of a collection, which are in memory one at a time. Their number is not limited as by `tx.peekAll`, and like
 * there they are not verified at the commit: a decision based on them must read `revisions` as well.
 */
export async function readAll<T, U>(
  tx: Tx,
  collection: Collection<T>,
  keep: (stored: Stored<T>) => readonly U[],
): Promise<U[]> {
  const kept: U[] = [];
  for await (const stored of readEach(tx.part, collection, {}, (from, page) => tx.peekPage(from, page)))
    kept.push(...keep(stored));
  return kept;
}

/** The nesting of all groups of the store. */
export const readGroupGraph = async (tx: Tx): Promise<GroupGraph> => ({
  groups: await readAll(tx, modifierGroups, ({ value: { id, modifier_ids } }) => [{ id, modifier_ids }]),
  modifiers: await readAll(tx, modifiers, ({ value: { id, nested_group_ids } }) => [
    { id, nested_group_ids },
  ]),
});

/** The nesting of all categories of the store. Read once in a transaction: a bulk request checks the parents of fifty. */
export function readCategoryLinks(tx: Tx): Promise<CategoryLink[]> {
  const links =
    categoryLinks.get(tx) ?? readAll(tx, categories, ({ value: { id, parent_id } }) => [{ id, parent_id }]);
  categoryLinks.set(tx, links);
  return links;
}

const categoryLinks = new WeakMap<Tx, Promise<CategoryLink[]>>();

export const versionId = (menuId: string, n: number): string => `${menuId}.${n}`;
const chunkId = (version: string, at: number): string => `${version}.${at}`;

/** A version's canonical text as chunks; throws 409 `menu_too_large` if they do not fit into one commit. */
export async function stageTree(
  tx: Tx,
  version: string,
  text: string,
): Promise<{ bytes: number; chunks: number }> {
  const pieces = await packTextInThread(text);
  if (pieces === null) {
    throw conflict(
      "menu_too_large",
      `The menu is too large for one version, which takes up to ${TEXT_BYTES_MAX / 1_000_000} MB as JSON. Split it into two menus.`,
    );
  }
  for (const [at, data] of pieces.entries()) tx.create(versionChunks, { id: chunkId(version, at), data });
  return { bytes: Buffer.byteLength(text), chunks: pieces.length };
}

/** Bytes of canonical text of the cached trees; as objects they need several times as much. */
const TREES_BYTES_MAX = 32_000_000;
/** Cached trees of versions by partition, version and hash: a version is immutable, so a cached one is never stale. */
const trees = createRecent<IndexedTree>(TREES_BYTES_MAX);

/** The tree of a version. */
export async function readTree(tx: Tx, version: MenuVersion): Promise<IndexedTree> {
  const key = `${tx.part} ${version.id} ${version.hash}`;
  const cached = trees.get(key);
  if (cached !== undefined) return cached;
  const pieces = await Promise.all(
    Array.from({ length: version.chunks }, (_, at) => tx.require(versionChunks, chunkId(version.id, at))),
  );
  const bytes = await unpackInThread(pieces.map(({ value }) => value.data));
  const parsed = await runInSlices(parseTreeSteps(bytes), tx.part);
  const tree = await runInSlices(indexTreeSteps(parsed), tx.part);
  trees.keep(key, tree, version.bytes);
  return tree;
}
