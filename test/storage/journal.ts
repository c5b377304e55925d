import { StoreError } from "../../server/storage/contract.ts";
import type { Doc, Key, Op, StoreDriver } from "../../server/storage/contract.ts";
import { eachDoc } from "../../server/storage/walk.ts";
import { findMiscount } from "./miscount.ts";
import type { Random } from "./random.ts";

/**
 * Commits that can be checked after any crash. Each writes a journal document that names its other writes, so the journal,
 * replayed in the order of versions, must give exactly the documents there are: a lost, torn or phantom write shows as a
 * difference. And the journal must hold every commit that was acknowledged, at the version that was told, and none that was
 * answered "it did not happen".
 */
export interface Ledger {
  readonly acknowledged: Map<string, number>;
  readonly refused: Set<string>;
}

const PART = "p";
const KEYS = 12;

export const createLedger = (): Ledger => ({ acknowledged: new Map(), refused: new Set() });

/** One random commit under this id; returns its version. */
export async function commitJournalled(driver: StoreDriver, random: Random, id: string): Promise<number> {
  const keys = new Set(
    Array.from({ length: 1 + random.int(3) }, (): Key => `${PART}:c:k${random.int(KEYS)}`),
  );
  const pad = "x".repeat(random.int(random.chance(0.1) ? 1500 : 120));
  const ops = [...keys].map((key): Op =>
    random.chance(0.75) ? { put: key, value: `"${id} ${pad}"` } : { del: key },
  );
  const value = JSON.stringify(ops.map((op) => ("put" in op ? [op.put, op.value] : [op.del])));
  const result = await driver.commit(PART, [...ops, { put: `${PART}:journal:${id}`, value }]);
  if (!result.ok) throw new Error(`${id} has no check and met a conflict`);
  return result.version;
}

/** The same, noted in the ledger: an unknown outcome may turn out either way; FULL promises that nothing remains. */
export async function commitNoted(
  driver: StoreDriver,
  random: Random,
  ledger: Ledger,
  id: string,
): Promise<void> {
  try {
    ledger.acknowledged.set(id, await commitJournalled(driver, random, id));
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.code === "FULL") ledger.refused.add(id);
  }
}

/** Says what is wrong with the store, or null; then takes what it holds as acknowledged. */
export async function findFault(driver: StoreDriver, ledger: Ledger): Promise<string | null> {
  const journal = await readAll(driver, "journal");
  const told = new Map(journal.map(({ key, version }) => [key.split(":")[2] ?? "", version]));
  for (const [id, version] of ledger.acknowledged) {
    if (told.get(id) !== version)
      return `${id} was acknowledged at ${version}, found at ${told.get(id) ?? "no version"}`;
  }
  for (const id of told.keys()) if (ledger.refused.has(id)) return `${id} was refused, and is there`;
  const expected = new Map<string, Doc>();
  for (const { version, value } of journal.toSorted((a, b) => a.version - b.version)) {
    for (const [key, text] of JSON.parse(value) as [Key, string?][]) {
      if (text === undefined) expected.delete(key);
      else expected.set(key, { key, version, value: text });
    }
  }
  const found = await readAll(driver, "c");
  const wanted = [...expected.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1));
  if (JSON.stringify(found) !== JSON.stringify(wanted)) return "documents and journal differ";
  for (const [id, version] of told) ledger.acknowledged.set(id, version);
  return findMiscount(driver);
}

async function readAll(driver: StoreDriver, coll: string): Promise<Doc[]> {
  const docs: Doc[] = [];
  for await (const doc of eachDoc(driver, PART, { coll })) docs.push(doc);
  return docs;
}
