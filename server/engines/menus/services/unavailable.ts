import { toInstant } from "../../../lib/instant.ts";
import { giveWay, runInSlices } from "../../../lib/slices.ts";
import { createLosses } from "../formats/losses.ts";
import type { Loss } from "../formats/losses.ts";
import type { JobContext } from "../../../core/engine.ts";
import type { Tx } from "../../../core/tx.ts";
import { readSettings } from "../repository.ts";
import { readFacts } from "../routes/read-facts.ts";
import { readAllStock } from "../routes/read-world.ts";
import { areOffered, createOutlook } from "../rules/availability.ts";
import type { Unavailable } from "../rules/stock.ts";
import type { IndexedTree } from "../rules/index-tree.ts";
import { liveSuspensions, stockBlock } from "../rules/stock.ts";
import type { Channel } from "../schema/parts.ts";
import type { MenuTree, TreeItem } from "../schema/tree.ts";

/** Maximum of unavailable targets of a menu; more do not fit into the document of a connection. */
const UNAVAILABLE_MAX = 3_000;

/**
 * What of a tree cannot be sold in the channel now: stock, suspensions, allergens that are not verified, and what the channel does not
 * offer at all, which documents of other systems cannot say.
 */
export async function readUnavailable(
  reading: Pick<JobContext, "now" | "ports"> & { readonly tx: Tx },
  channel: Channel | null,
  tree: IndexedTree,
): Promise<Unavailable> {
  const { tx, now } = reading;
  const settings = await readSettings(tx);
  const parts = settings.sell_unverified ? [] : [...tree.items, ...tree.modifiers];
  const facts = await readFacts(
    parts.map(({ product_id: id }) => id),
    (ids) => reading.ports.engines.allergensOf(tx, ids, { mode: null, now }),
    () => [],
  );
  const isHeld = ({ product_id: id }: { readonly product_id: string | null }): boolean =>
    settings.sell_unverified === false && id !== null && facts.get(id)?.verified !== true;
  const stockOf = await readAllStock(tx);
  const outlook = createOutlook(tree, { nowMs: now, channel, stockOf, isHeld });
  // As a modifier of another item it is offered, and some systems have one object for both.
  const asModifiers = new Set(tree.modifiers.map(({ item_id: id }) => id));
  const isLeftOut = (item: TreeItem): boolean =>
    !asModifiers.has(item.id) &&
    !tree.placesOf(item.id).some((path) => areOffered([tree.menu, ...path, item], channel));
  const untilOf = (ms: number): string | null => (ms === Infinity ? null : toInstant(ms));
  const entries: [id: string, until: string | null][] = [];
  const add = (id: string, block: { readonly untilMs: number } | null): void => {
    if (block !== null) entries.push([id, untilOf(block.untilMs)]);
  };
  for (const item of tree.items) {
    await giveWay(tx.part);
    const isOut = isHeld(item) || isLeftOut(item);
    add(item.id, isOut ? { untilMs: Infinity } : stockBlock(stockOf(item.id), channel, now));
  }
  await runInSlices(outlook.modifierSteps(tree.modifiers), tx.part);
  for (const modifier of tree.modifiers) {
    await giveWay(tx.part);
    add(modifier.id, outlook.modifier(modifier));
  }
  return Object.fromEntries(entries.slice(0, UNAVAILABLE_MAX));
}

/** Losses of an export for all channels of a menu: what cannot be sold in one of them only. */
export async function readPartlyUnavailable(
  { tx, now }: { readonly tx: Tx; readonly now: number },
  tree: MenuTree,
  unavailable: Unavailable,
): Promise<Loss[]> {
  const { channels } = tree.menu;
  if (channels.length === 1) return [];
  const losses = createLosses();
  const stockOf = await readAllStock(tx);
  for (const [kind, all] of [["items", tree.items] as const, ["modifiers", tree.modifiers] as const]) {
    for (const { id } of all) {
      await giveWay(tx.part);
      const stock = stockOf(id);
      if (stock === undefined || Object.hasOwn(unavailable, id)) continue;
      for (const { channel } of liveSuspensions(stock, now)) {
        if (channel === null || (channels.length > 0 && !channels.includes(channel))) continue;
        losses.add(
          [kind, id, "stock"],
          `Exported as available, but suspended for ${channel}.`,
          "availability",
        );
      }
    }
  }
  return losses.list();
}
