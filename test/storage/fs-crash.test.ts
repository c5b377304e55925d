import { describe, expect, it } from "vitest";

import { StoreError } from "../../server/storage/contract.ts";
import { openFsDriver } from "../../server/storage/fs.ts";
import type { FsDriver } from "../../server/storage/fs.ts";
import { createTestClock } from "./conformance.ts";
import { commitNoted, createLedger, findFault } from "./journal.ts";
import type { Ledger } from "./journal.ts";
import { createRandom } from "./random.ts";
import type { Random } from "./random.ts";
import { createSimDisk } from "./sim-disk.ts";
import type { SimDisk, SimFaults } from "./sim-disk.ts";

// The whole driver on a simulated disk whose power is cut at a random call, again and again (journal.ts says what is
// checked after each crash). STORAGE_CRASH_SEEDS=250000 makes it a million crashes.

const CRASHES_PER_SEED = 4;
const SEEDS = Number(process.env["STORAGE_CRASH_SEEDS"] ?? 5000);

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

/** Writes from three sides at once, and perhaps rewrites, until the power goes. */
async function live(driver: FsDriver, disk: SimDisk, ledger: Ledger, random: Random): Promise<void> {
  const writer = async (name: string): Promise<void> => {
    for (let i = 0; i < 6 && !disk.crashed; i++) await commitNoted(driver, random, ledger, `${name}-${i}`);
  };
  const rewriter = async (): Promise<void> => {
    if (random.chance(0.3)) await driver.compact().catch(() => {});
  };
  const life = `${random.int(1e9)}`;
  await Promise.all([writer(`${life}a`), writer(`${life}b`), writer(`${life}c`), rewriter()]);
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
  const ledger = createLedger();
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
      disk.crashAfter(1 + random.int(60));
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
    // After a mere kill the next life reads what was never synced, and from then on it must not be lost any more.
    if (faults.fakeSync !== true && random.chance(0.3)) disk.respawn();
    else disk.restart();
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
