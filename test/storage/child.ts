import { writeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

import { StoreError } from "../../server/storage/contract.ts";
import { openFsDriver } from "../../server/storage/fs.ts";
import { nodeIo } from "../../server/storage/fs/io.ts";
import type { Io } from "../../server/storage/fs/io.ts";
import { acquireFileLock, acquireLock } from "../../server/storage/fs/lock.ts";
import type { AcquireLock } from "../../server/storage/fs/lock.ts";
import { commitJournalled } from "./journal.ts";
import { createRandom } from "./random.ts";

// A process of its own, started by processes.ts: it opens a store, tells on its output what happened, one line each,
// and is killed or ended by its input. Arguments: what to do, the folder, a variant, a seed.

const [, , task, base = "", variant = "", seed = "1"] = process.argv;
const tell = (line: string): void => void writeSync(1, `${line}\n`);

const LOCKS: Readonly<Record<string, AcquireLock>> = {
  kernel: acquireLock,
  file: acquireFileLock,
  none: async () => async () => {},
};

/** Negative control: the bytes of a write reach the file a little after the answer. */
const lateWrites: Io = {
  ...nodeIo,
  async open(path, how) {
    const file = await nodeIo.open(path, how);
    if (!path.includes("/seg-")) return file;
    return {
      ...file,
      async write(from, position) {
        const copy = Uint8Array.from(from);
        void setTimeout(5)
          .then(() => file.write(copy, position))
          .catch(() => {});
        return from.length;
      },
    };
  },
};

/** Negative control: a rewrite goes straight into the segment, instead of beside it. */
const rewriteInPlace: Io = {
  ...nodeIo,
  open: (path, how) => nodeIo.open(path.replace(/\.log\.tmp$/, ".log"), how),
  rename: async (from, to) => (from.endsWith(".log.tmp") ? undefined : nodeIo.rename(from, to)),
};

const DISKS: Readonly<Record<string, Io>> = { real: nodeIo, late: lateWrites, inplace: rewriteInPlace };

async function contend(): Promise<void> {
  try {
    const driver = await openFsDriver({ base, clock: { now: () => 0 }, ...lockOf(variant) });
    tell("WON");
    process.stdin.resume().once("end", () => void driver.close());
  } catch (error) {
    tell(error instanceof StoreError ? `${error.code} ${error.message}` : String(error));
  }
}

const lockOf = (name: string): { lock?: AcquireLock } => {
  const lock = LOCKS[name];
  return lock === undefined ? {} : { lock };
};

/** Commits from eight sides, and rewrites all the time, until it is killed; tells each answer as soon as it has it. */
async function write(): Promise<void> {
  const random = createRandom(Number(seed));
  const io = DISKS[variant] ?? nodeIo;
  const driver = await openFsDriver({
    base,
    clock: { now: () => 0 },
    io,
    segmentBytes: 40_000,
    cacheBytes: 10_000,
  });
  tell("READY");
  const writer = async (name: string): Promise<void> => {
    for (let i = 0; ; i++) {
      const id = `${seed}${name}-${i}`;
      tell(`${id} ${await commitJournalled(driver, random, id)}`);
    }
  };
  const rewriter = async (): Promise<void> => {
    for (;;) {
      await driver.compact();
      await setTimeout(random.int(10));
    }
  };
  await Promise.all(["a", "b", "c", "d", "e", "f", "g", "h"].map(writer).concat(rewriter()));
}

await (task === "contend" ? contend() : write());
