import { StoreError } from "../../server/storage/contract.ts";
import type { Key, StoreDriver } from "../../server/storage/contract.ts";
import { eachDoc } from "../../server/storage/walk.ts";
import { findMiscount } from "./miscount.ts";
import type { Random } from "./random.ts";

/**
 * Transfers between accounts, with a journal: whatever is lost, doubled or torn shows as money that is not there any more,
 * or as balances that the journal does not give.
 */
const BANK = "bank";
const ACCOUNTS = 8;
export const MONEY = ACCOUNTS * 1000;
const accounts = Array.from({ length: ACCOUNTS }, (_, i): Key => `${BANK}:accounts:a${i}`);

interface Entry {
  readonly from: number;
  readonly to: number;
  readonly amount: number;
}

export async function openBank(driver: StoreDriver): Promise<void> {
  const made = await driver.commit(
    BANK,
    accounts.map((put) => ({ put, value: "1000" })),
    accounts.map((key) => ({ key, version: 0 })),
  );
  if (!made.ok) throw new Error("there is a bank already");
}

/** Money in all accounts, read together. */
export async function countMoney(driver: StoreDriver): Promise<number> {
  const docs = await driver.getMany(accounts);
  return docs.reduce((sum, doc) => sum + Number(doc?.value ?? 0), 0);
}

/** One transfer under this id: its version, or null when another one was faster or it is not known what happened. */
export async function transfer(driver: StoreDriver, random: Random, id: string): Promise<number | null> {
  const from = random.int(ACCOUNTS);
  const to = (from + 1 + random.int(ACCOUNTS - 1)) % ACCOUNTS;
  const [payer, payee] = [accounts[from] ?? "::", accounts[to] ?? "::"] as const;
  try {
    const [before, after] = await driver.getMany([payer, payee]);
    const amount = random.int(Math.min(100, Number(before?.value ?? 0)) + 1);
    const entry: Entry = { from, to, amount };
    const result = await driver.commit(
      BANK,
      [
        { put: payer, value: String(Number(before?.value) - amount) },
        { put: payee, value: String(Number(after?.value) + amount) },
        { put: `${BANK}:journal:${id}`, value: JSON.stringify(entry) },
      ],
      [
        { key: payer, version: before?.version ?? 0 },
        { key: payee, version: after?.version ?? 0 },
      ],
    );
    return result.ok ? result.version : null;
  } catch (error) {
    if (error instanceof StoreError && error.retryable) return null;
    throw error;
  }
}

/** Says what is wrong with the books, or null. `acknowledged` are the versions that were told, by id. */
export async function audit(
  driver: StoreDriver,
  acknowledged: ReadonlyMap<string, number>,
): Promise<string | null> {
  const journal = [];
  for await (const doc of eachDoc(driver, BANK, { coll: "journal" })) journal.push(doc);
  const told = new Map(journal.map(({ key, version }) => [key.split(":")[2] ?? "", version]));
  for (const [id, version] of acknowledged) {
    if (told.get(id) !== version)
      return `${id} was acknowledged at ${version}, found at ${told.get(id) ?? "none"}`;
  }
  if (new Set(told.values()).size !== told.size) return "two transfers have one version";
  const balances = accounts.map(() => 1000);
  for (const { value } of journal.toSorted((a, b) => a.version - b.version)) {
    const { from, to, amount }: Entry = JSON.parse(value);
    balances[from] = (balances[from] ?? 0) - amount;
    balances[to] = (balances[to] ?? 0) + amount;
  }
  const found = (await driver.getMany(accounts)).map((doc) => Number(doc?.value));
  const money = found.reduce((sum, balance) => sum + balance, 0);
  if (money !== MONEY) return `there is ${money} instead of ${MONEY}`;
  return JSON.stringify(found) === JSON.stringify(balances)
    ? findMiscount(driver)
    : `balances are ${JSON.stringify(found)}, by the journal ${JSON.stringify(balances)}`;
}
