import { describe, expect, it } from "vitest";

import { StoreError } from "../../server/storage/contract.ts";
import type { Doc, Key, Op } from "../../server/storage/contract.ts";
import { openFsDriver } from "../../server/storage/fs.ts";
import type { FsDriver } from "../../server/storage/fs.ts";
import { createTestClock } from "./conformance.ts";
import { createRandom } from "./random.ts";
import type { Random } from "./random.ts";
import { createSimDisk } from "./sim-disk.ts";
import type { SimDisk, SimFaults } from "./sim-disk.ts";

/**
 * The whole driver on a simulated disk whose power is cut at a random call, again and again. Every commit writes a journal
 * document that names its own writes. After each crash the journal, replayed, must give exactly the documents there are:
 * a lost, torn or phantom write shows as a difference. And the journal must hold every commit that was acknowledged,
 * at the version that was told, and none that was answered "it did not happen".
 */
interface Ledger {
  readonly acknowledged: Map<string, number>;
  readonly refused: Set<string>;
  next: number;
}

const CRASHES_PER_SEED = 4;
const SEEDS = Number(process.env["STORAGE_CRASH_SEEDS"] ?? 5000);
const PART = "p";

const noLock = async () => async () => {};

async function open(disk: SimDisk, random: Random): Promise<FsDriver> {
  return openFsDriver({
    base: "/store",
    clock: createTestClock(),
    io: disk.io(),
    lock: noLock,
    segmentBytes: 1024 + random.int(4096),
    cacheBytes: 4096,
  });
}

/** Writes from three sides at once until the power goes; returns true if anything was asked of the store. */
async function live(driver: FsDriver, disk: SimDisk, ledger: Ledger, random: Random): Promise<void> {
  const writer = async (): Promise<void> => {
    for (let i = 0; i < 12 && !disk.crashed; i++) {
      const id = `j${ledger.next++}`;
      const keys = new Set(
        Array.from({ length: 1 + random.int(3) }, (): Key => `${PART}:c:k${random.int(12)}`),
      );
      const pad = "x".repeat(random.int(random.chance(0.1) ? 1500 : 120));
      const ops = [...keys].map((key): Op =>
        random.chance(0.75) ? { put: key, value: `"${id} ${pad}"` } : { del: key },
      );
      const journal = ops.map((op) => ("put" in op ? [op.put, op.value] : [op.del]));
      try {
        const result = await driver.commit(PART, [
          ...ops,
          { put: `${PART}:journal:${id}`, value: JSON.stringify(journal) },
        ]);
        if (result.ok) ledger.acknowledged.set(id, result.version);
      } catch (error) {
        // An unknown outcome may turn out either way; FULL promises that nothing remains.
        if (error instanceof StoreError && error.code === "FULL") ledger.refused.add(id);
      }
    }
  };
  const rewriter = async (): Promise<void> => {
    if (random.chance(0.3)) await driver.compact().catch(() => {});
  };
  await Promise.all([writer(), writer(), writer(), rewriter()]);
}

/** Compares what the store holds with its own journal and with what was acknowledged; returns what is wrong. */
async function findFault(driver: FsDriver, ledger: Ledger): Promise<string | null> {
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
  const wanted = [...expected.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  if (JSON.stringify(found) !== JSON.stringify(wanted)) return "documents and journal differ";
  for (const id of told.keys()) ledger.acknowledged.set(id, told.get(id) ?? 0);
  return null;
}

async function readAll(driver: FsDriver, coll: string): Promise<Doc[]> {
  const docs: Doc[] = [];
  for (let after: string | undefined = ""; after !== undefined;) {
    const page = await driver.page(PART, coll, { limit: 1000, after });
    docs.push(...page.items);
    after = page.next;
  }
  return docs;
}

/** What the seeds have gone through, to show that the runs are about something. */
interface Tally {
  crashes: number;
  commits: number;
  refused: number;
  rewrites: number;
  rotations: number;
}

/** Runs one seed; returns what went wrong, or null. */
async function runSeed(seed: number, faults: SimFaults, tally: Tally): Promise<string | null> {
  const random = createRandom(seed);
  const disk = createSimDisk(seed + 1_000_000_007, faults);
  const ledger: Ledger = { acknowledged: new Map(), refused: new Set(), next: 0 };
  for (let crash = 0; crash <= CRASHES_PER_SEED; crash++) {
    // The power may go while the store opens, too; after the last crash it stays on.
    const last = crash === CRASHES_PER_SEED;
    disk.calm(last || random.chance(0.5));
    if (!last && random.chance(0.2)) disk.crashAfter(random.int(30));
    try {
      const driver = await open(disk, random);
      disk.calm(true);
      const fault = await findFault(driver, ledger);
      if (fault !== null) return `after crash ${crash}: ${fault}`;
      disk.calm(false);
      if (last) break;
      disk.crashAfter(1 + random.int(120));
      await live(driver, disk, ledger, random);
      const { rewrites = 0, segments = 0, commits = 0 } = await driver.stats();
      tally.rewrites += rewrites;
      tally.rotations += segments - 1;
      tally.commits += commits;
    } catch (error) {
      const injected = error instanceof StoreError && (error.code === "FULL" || error.code === "UNAVAILABLE");
      if (!disk.crashed && (last || !injected)) return `after crash ${crash}: ${String(error)}`;
    }
    disk.crash();
    disk.restart();
    tally.crashes++;
  }
  tally.refused += ledger.refused.size;
  return null;
}

const createTally = (): Tally => ({ crashes: 0, commits: 0, refused: 0, rewrites: 0, rotations: 0 });

describe("the fs store on a disk that loses power", () => {
  const PARTS = 10;
  for (let part = 0; part < PARTS; part++) {
    const from = Math.floor((SEEDS / PARTS) * part) + 1;
    const to = Math.floor((SEEDS / PARTS) * (part + 1));
    const title = `keeps every acknowledged commit whole: seeds ${from} to ${to}, ${CRASHES_PER_SEED} crashes each`;
    it(title, { timeout: 3_600_000 }, async () => {
      const tally = createTally();
      for (let seed = from; seed <= to; seed++) {
        expect(await runSeed(seed, faultsOf(seed), tally), `seed ${seed}`).toBeNull();
      }
      expect(tally.crashes).toBe((to - from + 1) * CRASHES_PER_SEED);
      // Without these the runs would prove little.
      for (const count of [tally.commits, tally.refused, tally.rewrites, tally.rotations]) {
        expect(count).toBeGreaterThan((to - from) / 10);
      }
    });
  }

  it(
    "negative control: a sync that does nothing is caught in at least 99 of 100 seeds",
    { timeout: 60_000 },
    async () => {
      let caught = 0;
      for (let seed = 1; seed <= 200; seed++) {
        if ((await runSeed(seed, { fakeSync: true }, createTally())) !== null) caught++;
      }
      expect(caught).toBeGreaterThanOrEqual(198);
    },
  );
});

/** Most disks only lose power; on some, room runs out or a sync fails now and then. */
function faultsOf(seed: number): SimFaults {
  if (seed % 3 === 0) return { noSpace: 0.05 };
  return seed % 7 === 0 ? { noSpace: 0.03, syncError: 0.01 } : {};
}
