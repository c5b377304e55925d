import { fromInstant, toInstant } from "../../../lib/instant.ts";
import { addDays, localDateAt, startOfDay } from "../../../lib/local-time.ts";
import { giveWay, runInSlices } from "../../../lib/slices.ts";
import { eachDue } from "../../../core/batches.ts";
import { sha256Hex } from "../../../core/ids.ts";
import type { JobContext } from "../../../core/engine.ts";
import { readShop } from "../../../core/shop.ts";
import type { Watch } from "../../../core/watch.ts";
import type { Tx } from "../../../core/tx.ts";
import { writeDocument } from "../formats/formats.ts";
import { refOf } from "../formats/tree-view.ts";
import type { ProductFacts } from "../formats/tree-view.ts";
import {
  connections,
  connectionSecrets,
  connectionStock,
  menuSettings,
  readSettings,
  readTree,
  stocks,
  versionId,
  versions,
} from "../repository.ts";
import { canonicalTree } from "../rules/canonical.ts";
import { channelPricesSteps } from "../rules/channel-prices.ts";
import { changesOf, isSame, nextSendMs, outdated, settleAttempt, settleStock } from "../rules/connection.ts";
import type { Unavailable } from "../rules/stock.ts";
import type { IndexedTree } from "../rules/index-tree.ts";
import { readFacts } from "../routes/transfer-export.ts";
import { newPublication } from "../schema/connection.ts";
import type { Connection, ConnectionPublication, ConnectionStock } from "../schema/connection.ts";
import { createSignedPush } from "./menu-channel.ts";
import type { MenuChannel, StockChange } from "./menu-channel.ts";
import { readUnavailable } from "./unavailable.ts";

/** Sends what is due to every connection of the store; one that fails does not affect the others. */
export async function pushDue(work: JobContext): Promise<{ menus: number; stock: number }> {
  let [menus, stock] = [0, 0];
  await eachDue(work, { collection: connections, index: "new", isDue: () => true }, async (id) => {
    try {
      if (await pushMenu(work, id)) menus += 1;
    } finally {
      // What is online can sell out although a later version cannot be sent.
      if (await pushStock(work, id)) stock += 1;
    }
    return 1;
  });
  return { menus, stock };
}

/** Publishes the menus of the store again whose allergens or diets have changed. */
export const renewDue = (work: JobContext): Promise<{ done: number }> =>
  eachDue(work, { collection: connections, index: "new", isDue: () => true }, async (id) =>
    (await renewMenu(work, id)) ? 1 : 0,
  );

/** Products decide too: one whose allergens are not verified may be held back, by the settings (`sell_unverified`, `default_mode`). */
export const connectionWatch: Watch = {
  places: [
    connections.name,
    stocks.name,
    menuSettings.collection.name,
    "allergens.products",
    "allergens.settings",
  ],
  async next(tx) {
    const all = await tx.peekAll(connections);
    const times: number[] = [];
    // One after another: each may have been sent thousands of periods.
    for (const { id, value } of all) {
      await giveWay(tx.part);
      const time = nextSendMs(value, await readSent(tx, id));
      if (time !== null) times.push(time);
    }
    return times.length === 0 ? null : Math.min(...times);
  },
};

async function pushMenu(work: JobContext, id: string): Promise<boolean> {
  const { runTx, part, ports } = work;
  const prepared = await runTx(part, async (tx) => {
    const connection = await tx.get(connections, id);
    const publication = connection?.value.publication;
    if (connection === null || publication == null || !isDue(publication.next_attempt_at, work.now))
      return null;
    const { value } = connection;
    const tree = await readVersion(tx, value, publication.menu_version);
    const { document, unavailable, facts } = await documentOf({ ...work, tx }, value, tree);
    const data = { ...about(value, publication.menu_version), format: value.format, document };
    const message = { id: messageId(publication.id, facts), data };
    const channel = await openChannel({ tx, ports }, value);
    return { channel, message, publicationId: publication.id, unavailable, facts };
  });
  if (prepared === null) return false;
  const { channel, message, publicationId, unavailable, facts } = prepared;
  const result = await channel.publish(message);
  return runTx(part, async (tx) => {
    const connection = await tx.get(connections, id);
    const before = connection?.value.publication;
    // Published again in the meantime: the attempt was that of a publication that no longer counts.
    if (connection === null || before?.id !== publicationId) return true;
    const after = settleAttempt(before, result, { nowMs: work.now, realMs: ports.realNow() });
    const isOnline = after.status === "online";
    const isOutdated = isOnline && (await factsOf({ ...work, tx }, connection.value, after)) !== facts;
    tx.put(connections, connection, {
      ...connection.value,
      publication: isOutdated ? newPublication(work.newId("pub"), after.menu_version, work.nowAt) : after,
      ...(isOnline
        ? { online_version: after.menu_version, stock: { ...NOTHING_TO_SEND, sent_at: work.nowAt } }
        : {}),
      updated_at: work.nowAt,
    });
    // The channel may have started afresh with the menu: all that is unavailable is sent again, and what is not any more.
    if (isOnline) {
      const all = outdated({ ...(await readSent(tx, id)), ...unavailable });
      await saveSent(tx, id, all, facts === "" ? {} : { facts, facts_until: await endOfDay(tx, work.now) });
    }
    if (after.status !== "pending") {
      const data = { connection_id: id, menu_id: connection.value.menu_id, menu_version: after.menu_version };
      tx.emit({
        id: work.newId("evt"),
        type: `menus.connection.${after.status}`,
        at: work.nowAt,
        data: { ...data, error: after.error },
      });
    }
    return true;
  });
}

async function pushStock(work: JobContext, id: string): Promise<boolean> {
  const { runTx, part, ports } = work;
  const prepared = await runTx(part, async (tx) => {
    const connection = await tx.get(connections, id);
    const online = connection?.value.online_version;
    if (connection === null || online == null) return null;
    const { value } = connection;
    if (value.stock.next_attempt_at !== null && !isDue(value.stock.next_attempt_at, work.now)) return null;
    const tree = await readVersion(tx, value, online);
    const unavailable = await readUnavailable({ ...work, tx }, value.channel, tree);
    const sent = await readSent(tx, id);
    const changes = changesOf(sent, unavailable, describer(tree, value));
    if (isSame(sent, unavailable) && value.stock.next_attempt_at === null) return null;
    const data = { ...about(value, online), changes };
    return { channel: await openChannel({ tx, ports }, value), data, unavailable };
  });
  if (prepared === null) return false;
  const { channel, data, unavailable } = prepared;
  const result =
    data.changes.length === 0
      ? ({ status: "accepted" } as const)
      : await channel.updateStock({ id: work.newId("msg"), data });
  return runTx(part, async (tx) => {
    const connection = await tx.get(connections, id);
    // What was sent belongs to a version; a later one was sent with its own.
    if (connection === null || connection.value.online_version !== data.menu_version) return true;
    const at = { nowMs: work.now, realMs: ports.realNow() };
    const stock = settleStock(connection.value.stock, result, at);
    tx.put(connections, connection, { ...connection.value, stock, updated_at: work.nowAt });
    if (stock.next_attempt_at === null) await saveSent(tx, id, unavailable);
    return true;
  });
}

export const NOTHING_TO_SEND: Connection["stock"] = {
  sent_at: null,
  attempts: 0,
  next_attempt_at: null,
  error: null,
};

type Reading = Pick<JobContext, "now" | "ports"> & { readonly tx: Tx };

const isDue = (at: string | null, nowMs: number): boolean => at !== null && fromInstant(at) <= nowMs;

const about = ({ id, menu_id }: Connection, version: number) => ({
  connection_id: id,
  menu_id,
  menu_version: version,
});

const readVersion = async (tx: Tx, { menu_id: menuId }: Connection, n: number): Promise<IndexedTree> =>
  readTree(tx, (await tx.require(versions, versionId(menuId, n))).value);

async function openChannel(
  { tx, ports }: Pick<Reading, "tx" | "ports">,
  { id, url }: Connection,
): Promise<MenuChannel> {
  const { secrets } = (await tx.require(connectionSecrets, id)).value;
  return createSignedPush({ url, secrets, part: tx.part, ports });
}

interface SentMenu {
  readonly document: object;
  readonly unavailable: Unavailable;
  /** A hash of the allergens and diets in it. */
  readonly facts: string;
}

/** The document of a menu, and what it says of its products. */
async function documentOf(
  reading: Reading,
  { format, locale, channel }: Connection,
  tree: IndexedTree,
): Promise<SentMenu> {
  if (format === "tree") return { document: canonicalTree(tree), unavailable: {}, facts: "" };
  const own = (await readSettings(reading.tx)).default_locale;
  const unavailable = await readUnavailable(reading, channel, tree);
  const facts = await readFacts(reading, tree);
  const options = { locale: locale ?? own, facts, unavailable, key: reading.tx.part };
  const priced = await runInSlices(channelPricesSteps(tree, channel), reading.tx.part);
  return { document: (await writeDocument(format, priced, options)).data, unavailable, facts: hashOf(facts) };
}

/** The same for the same allergens and diets: a channel ignores a message that it has got already, with those that it had then. */
const messageId = (publicationId: string, facts: string): string =>
  facts === "" ? publicationId : `${publicationId}_${facts.slice(0, 16)}`;

/** What products of a published menu contain by now: they may have changed while it was on its way. */
async function factsOf(
  reading: Reading,
  connection: Connection,
  { menu_version: n }: Pick<ConnectionPublication, "menu_version">,
): Promise<string> {
  if (connection.format === "tree") return "";
  return hashOf(await readFacts(reading, await readVersion(reading.tx, connection, n)));
}

const hashOf = (facts: ReadonlyMap<string, ProductFacts>): string => sha256Hex(JSON.stringify([...facts]));

/**
 * Publishes what is online again where allergens or diets of its products have changed: a marketplace shows those that it was sent. True
 * if so.
 */
const renewMenu = (work: JobContext, id: string): Promise<boolean> =>
  work.runTx(work.part, async (tx) => {
    const connection = await tx.get(connections, id);
    const online = connection?.value.online_version;
    if (connection === null || online == null) return false;
    const sent = await tx.get(connectionStock, id);
    const until = sent?.value.facts_until;
    if (sent !== null && (until === undefined || isDue(until, work.now)))
      tx.put(connectionStock, sent, { ...sent.value, facts_until: await endOfDay(tx, work.now) });
    if (!isRenewed(connection.value)) return false;
    const facts = await factsOf({ ...work, tx }, connection.value, { menu_version: online });
    if (sent?.value.facts === facts) return false;
    const publication = newPublication(work.newId("pub"), online, work.nowAt);
    tx.put(connections, connection, { ...connection.value, publication, updated_at: work.nowAt });
    return true;
  });

/** Whether it has allergens, and no publication that is under way: one that failed leaves the version before online. */
const isRenewed = ({ format, publication }: Connection): boolean =>
  format !== "tree" && publication !== null && publication.status !== "pending";

const describer =
  (tree: IndexedTree, { format }: Connection) =>
  (id: string): Pick<StockChange, "kind" | "external_id"> | null => {
    const item = tree.itemById.get(id);
    if (item !== undefined) return { kind: "item", external_id: refOf(format, item) };
    const modifier = tree.modifierById.get(id);
    return modifier === undefined ? null : { kind: "modifier", external_id: refOf(format, modifier) };
  };

const readSent = async (tx: Tx, id: string): Promise<Unavailable> =>
  (await tx.get(connectionStock, id))?.value.unavailable ?? {};

/** `facts`: of the menu that was sent; those before it stay where only stock was. */
async function saveSent(
  tx: Tx,
  id: string,
  unavailable: Unavailable,
  facts: Pick<ConnectionStock, "facts" | "facts_until"> = {},
): Promise<void> {
  const before = await tx.get(connectionStock, id);
  tx.save(connectionStock, before, { ...before?.value, ...facts, id, unavailable: { ...unavailable } });
}

/** The end of the day where the shop is. */
async function endOfDay(tx: Tx, nowMs: number): Promise<string> {
  const timeZone = (await readShop(tx))?.time_zone ?? "UTC";
  return toInstant(startOfDay(addDays(localDateAt(nowMs, timeZone), 1), timeZone));
}
