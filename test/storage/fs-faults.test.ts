import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { promisify } from "node:util";

import { describe, expect, it } from "vitest";

import { StoreError } from "../../server/storage/contract.ts";
import type { StoreDriver } from "../../server/storage/contract.ts";
import { openFsDriver } from "../../server/storage/fs.ts";
import type { FsDriver, FsOptions } from "../../server/storage/fs.ts";
import type { Io, IoFile } from "../../server/storage/fs/io.ts";
import { nodeIo } from "../../server/storage/fs/io.ts";
import { createTestClock } from "./conformance.ts";
import { makeFolder } from "./folders.ts";
import { commitNoted, createLedger, findFault } from "./journal.ts";
import { createRandom } from "./random.ts";
import { createSimDisk } from "./sim-disk.ts";

const failure = (code: string): Error => Object.assign(new Error(`${code}: injected`), { code });

async function openOn(io: Io, options: Partial<FsOptions> = {}): Promise<FsDriver> {
  const lock = async () => async () => {};
  return openFsDriver({ base: "/store", clock: createTestClock(), io, lock, cacheBytes: 0, ...options });
}

/** Lets a test put its own calls in the place of a file's; `path` tells which file it is. */
function wrapFiles(io: Io, wrap: (file: IoFile, path: string) => Partial<IoFile>): Io {
  return {
    ...io,
    async open(path, how) {
      const file = await io.open(path, how);
      return { ...file, ...wrap(file, path) };
    },
  };
}

const put = (driver: StoreDriver, id: string, value = '"x"') =>
  driver.commit("p", [{ put: `p:c:${id}`, value }]);

describe("fs: a full disk", () => {
  /** A disk with so much room; a write beyond it is done in part, as the system does it. */
  function limited(io: Io, room: { bytes: number }): Io {
    return wrapFiles(io, (file) => ({
      async write(from, position) {
        const grows = Math.max(0, position + from.length - (await file.size()));
        if (grows <= room.bytes) {
          room.bytes -= grows;
          return file.write(from, position);
        }
        const count = from.length - grows + room.bytes;
        room.bytes = 0;
        if (count > 0) await file.write(from.subarray(0, count), position);
        throw failure("ENOSPC");
      },
    }));
  }

  it("answers FULL, keeps what it has, and goes on by itself when there is room", async () => {
    const disk = createSimDisk(1);
    const room = { bytes: 5000 };
    const driver = await openOn(limited(disk.io(), room));
    const write = (i: number): Promise<unknown> =>
      put(driver, `k${i}`, `"${"x".repeat(200)}"`).catch((error) => error);
    let full = 0;
    while (!((await write(full)) instanceof StoreError)) full++;
    expect(await write(full)).toMatchObject({ code: "FULL", retryable: true });
    await expect(driver.ping()).rejects.toMatchObject({ code: "FULL" });
    for (let i = 0; i < full; i++) expect(await driver.get(`p:c:k${i}`)).not.toBeNull();
    expect(await driver.get(`p:c:k${full}`)).toBeNull();
    room.bytes = 100_000;
    await driver.ping();
    // The versions of the two refused commits are not used again: who read ahead may have seen them.
    expect(await put(driver, "after")).toEqual({ ok: true, version: full + 3 });
    const again = await openOn(disk.io());
    expect((await again.page("p", "c", { limit: 1000 })).items).toHaveLength(full + 1);
  });

  it("is not ready while less is left than a margin, and goes on reading and writing as long as it can", async () => {
    const disk = createSimDisk(1);
    const space = { totalBytes: 100_000_000_000, freeBytes: 67_108_864 };
    const driver = await openOn({ ...disk.io(), space: async () => space });
    await driver.ping();
    space.freeBytes -= 1;
    await expect(driver.ping()).rejects.toMatchObject({
      code: "FULL",
      message: expect.stringContaining("67108863 bytes left"),
    });
    expect((await put(driver, "k")).ok).toBe(true);
    expect(await driver.get("p:c:k")).not.toBeNull();
    space.totalBytes = 3_000_000;
    await driver.ping();
    space.freeBytes = 149_999;
    await expect(driver.ping()).rejects.toMatchObject({ code: "FULL" });
  });

  it("asks the real file system for its space", async () => {
    const { totalBytes, freeBytes } = await nodeIo.space(tmpdir());
    expect(freeBytes).toBeGreaterThan(0);
    expect(totalBytes).toBeGreaterThanOrEqual(freeBytes);
  });

  it("answers FULL also to a conflict that rests on a commit which found no room", async () => {
    const room = { bytes: 300 };
    const driver = await openOn(limited(createSimDisk(1).io(), room));
    const create = { key: "p:c:one", version: 0 } as const;
    const results = await Promise.allSettled(
      [`"${"x".repeat(500)}"`, '"y"'].map((value) =>
        driver.commit("p", [{ put: "p:c:one", value }], [create]),
      ),
    );
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    room.bytes = 1000;
    expect(await driver.commit("p", [{ put: "p:c:one", value: "1" }], [create])).toEqual({
      ok: true,
      version: 2,
    });
  });

  /** Random commits on a disk that has room for a part of them; says what is wrong after a restart. */
  async function fillAndRestart(seed: number, wrap: (io: Io) => Io): Promise<string | null> {
    const disk = createSimDisk(seed, { noSpace: 0.3 });
    const random = createRandom(seed);
    disk.calm(true);
    const driver = await openOn(wrap(disk.io()));
    disk.calm(false);
    const ledger = createLedger();
    await Promise.all(Array.from({ length: 20 }, (_, i) => commitNoted(driver, random, ledger, `a${i}`)));
    disk.calm(true);
    disk.crash();
    disk.restart();
    try {
      return await findFault(await openOn(disk.io()), ledger);
    } catch (error) {
      return String(error);
    }
  }

  it("never lets a refused commit come back", async () => {
    for (let seed = 1; seed <= 200; seed++)
      expect(await fillAndRestart(seed, (io) => io), `seed ${seed}`).toBeNull();
  });

  it("negative control: where a failed write is not cut off, refused commits do come back", async () => {
    let caught = 0;
    const keep = (io: Io): Io => wrapFiles(io, () => ({ truncate: async () => {} }));
    for (let seed = 1; seed <= 200; seed++) if ((await fillAndRestart(seed, keep)) !== null) caught++;
    expect(caught).toBeGreaterThan(20);
  });

  it("keeps to the present segment when there is no room for a new one, and drops a rewrite", async () => {
    const disk = createSimDisk(1);
    const state = { refuse: false };
    const io: Io = {
      ...disk.io(),
      open: (path, how) => {
        if (state.refuse && how === "create") return Promise.reject(failure("ENOSPC"));
        return disk.io().open(path, how);
      },
    };
    const driver = await openOn(io, { segmentBytes: 2000 });
    for (let i = 0; i < 30; i++) await put(driver, `k${i % 3}`, `"${"x".repeat(100)}"`);
    state.refuse = true;
    for (let i = 0; i < 100; i++) await put(driver, `k${i % 3}`, `"${i}"`);
    await driver.compact().catch((error: unknown) => expect(error).toMatchObject({ code: "FULL" }));
    expect((await driver.stats())["rotate_failures"]).toBeGreaterThan(0);
    state.refuse = false;
    await driver.compact();
    expect((await driver.get("p:c:k0"))?.value).toBe('"99"');
    expect((await (await openOn(disk.io())).get("p:c:k0"))?.value).toBe('"99"');
  });

  it("holds on a real disk of 3 MB", async ({ skip }) => {
    const folder = await makeFolder();
    const run = promisify(execFile);
    const base = `${folder.path}/disk`;
    await mkdir(base);
    try {
      await run("mount", ["-t", "tmpfs", "-o", "size=3m,mode=0700", "tmpfs", base]);
    } catch {
      await folder.remove();
      skip("a file system can be mounted by root only");
    }
    try {
      await writeFile(`${base}/ballast`, Buffer.alloc(1_000_000));
      const options = {
        base: `${base}/store`,
        clock: createTestClock(),
        segmentBytes: 500_000,
        cacheBytes: 0,
      };
      const driver = await openFsDriver(options);
      const value = `"${"x".repeat(1000)}"`;
      await driver.ping();
      await writeFile(`${base}/more`, Buffer.alloc(2_000_000));
      await expect(driver.ping()).rejects.toMatchObject({ code: "FULL" });
      expect((await put(driver, "first")).ok).toBe(true);
      expect(await driver.get("p:c:first")).not.toBeNull();
      await rm(`${base}/more`);
      await driver.ping();
      await driver.commit("p", [{ del: "p:c:first" }]);
      const kept: string[] = [];
      const refused: string[] = [];
      for (let i = 0; refused.length < 50; i++) {
        await put(driver, `k${i}`, value).then(
          () => kept.push(`k${i}`),
          (error: unknown) => refused.push(error instanceof StoreError ? error.code : String(error)),
        );
      }
      expect(new Set(refused)).toEqual(new Set(["FULL"]));
      for (const id of kept) expect((await driver.get(`p:c:${id}`))?.value).toBe(value);
      await rm(`${base}/ballast`);
      await driver.ping();
      expect((await put(driver, "after")).ok).toBe(true);
      await driver.close();
      const again = await openFsDriver(options);
      for (const id of [...kept, "after"]) expect(await again.get(`p:c:${id}`)).not.toBeNull();
      expect(await again.collections("p")).toEqual([{ name: "c", count: kept.length + 1 }]);
      await again.close();
    } finally {
      await run("umount", [base]);
      await folder.remove();
    }
  });
});

describe("fs: a sync that fails", () => {
  it("ends writing for good, while reading goes on", async () => {
    const disk = createSimDisk(1);
    const state = { failing: false };
    const io = wrapFiles(disk.io(), (file) => ({
      sync: () => (state.failing ? Promise.reject(failure("EIO")) : file.sync()),
    }));
    const driver = await openOn(io);
    await put(driver, "before");
    state.failing = true;
    await expect(put(driver, "lost")).rejects.toMatchObject({ code: "UNKNOWN_OUTCOME", retryable: true });
    state.failing = false;
    await expect(put(driver, "later")).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await expect(driver.ping()).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await expect(driver.compact()).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect((await driver.get("p:c:before"))?.value).toBe('"x"');
    expect(await driver.get("p:c:lost")).toBeNull();
    await driver.close();
    const again = await openOn(disk.io());
    expect(await again.get("p:c:before")).not.toBeNull();
    expect((await put(again, "later")).ok).toBe(true);
  });

  /** The system counts the bytes of a failed sync as written, and never writes them: only a restart tells the truth. */
  async function writeOnBadDisk(seed: number, wrap: (io: Io) => Io): Promise<string | null> {
    const disk = createSimDisk(seed, { syncError: 0.1 });
    const random = createRandom(seed);
    disk.calm(true);
    const driver = await openOn(wrap(disk.io()));
    disk.calm(false);
    const ledger = createLedger();
    for (let i = 0; i < 30; i++) await commitNoted(driver, random, ledger, `a${i}`);
    disk.calm(true);
    disk.crash();
    disk.restart();
    try {
      return await findFault(await openOn(disk.io()), ledger);
    } catch (error) {
      return String(error);
    }
  }

  it("loses nothing that was acknowledged", async () => {
    for (let seed = 1; seed <= 200; seed++)
      expect(await writeOnBadDisk(seed, (io) => io), `seed ${seed}`).toBeNull();
  });

  it("negative control: a sync that is repeated until it succeeds loses acknowledged commits", async () => {
    const repeat = (io: Io): Io =>
      wrapFiles(io, (file) => ({
        async sync() {
          for (;;) {
            try {
              return await file.sync();
            } catch {
              continue;
            }
          }
        },
      }));
    let caught = 0;
    for (let seed = 1; seed <= 200; seed++) if ((await writeOnBadDisk(seed, repeat)) !== null) caught++;
    expect(caught).toBeGreaterThan(100);
  });
});

describe("fs: no file descriptor left", () => {
  const CALLS = ["list", "stat", "open"] as const;

  /** Fails one call in three, at each place in turn, while a store with a document is opened; returns what was answered. */
  async function openShort(lie: (call: (typeof CALLS)[number]) => Promise<never>): Promise<Set<string>> {
    const disk = createSimDisk(1);
    await put(await openOn(disk.io()), "there");
    const answers = new Set<string>();
    for (const call of CALLS) {
      for (let nth = 0; nth < 8; nth++) {
        const io = createSimDisk(1, {}, disk.files()).io();
        let left = nth;
        const short: Io = {
          ...io,
          [call]: (...args: [never, never]) => (left-- === 0 ? lie(call) : io[call](...args)),
        };
        try {
          const doc = await (await openOn(short)).get("p:c:there");
          answers.add(doc === null ? "not found" : "found");
        } catch (error) {
          answers.add(error instanceof StoreError ? error.code : String(error));
        }
      }
    }
    return answers;
  }

  it("is an error when opening, never an empty store", async () => {
    expect(await openShort(() => Promise.reject(failure("EMFILE")))).toEqual(
      new Set(["found", "UNAVAILABLE"]),
    );
  });

  it("negative control: calls that turn the error into an empty answer do give another store", async () => {
    const empty: Record<string, unknown> = { list: [], stat: null };
    const answers = await openShort((call) =>
      call in empty ? (Promise.resolve(empty[call]) as Promise<never>) : Promise.reject(failure("EMFILE")),
    );
    expect([...answers].filter((answer) => answer !== "found" && answer !== "UNAVAILABLE")).not.toEqual([]);
  });

  it("does not matter to an open store, and a failed read is an error, never a missing document", async () => {
    const disk = createSimDisk(1);
    const state = { failing: false };
    const io = wrapFiles(
      {
        ...disk.io(),
        open: (path, how) => (state.failing ? Promise.reject(failure("EMFILE")) : disk.io().open(path, how)),
      },
      (file) => ({
        read: (into, at) => (state.failing ? Promise.reject(failure("EIO")) : file.read(into, at)),
      }),
    );
    const driver = await openOn(io, { segmentBytes: 500 });
    await put(driver, "a");
    state.failing = true;
    for (let i = 0; i < 50; i++) expect((await put(driver, `k${i}`)).ok).toBe(true);
    for (const read of [
      () => driver.get("p:c:a"),
      () => driver.getMany(["p:c:a"]),
      () => driver.page("p", "c", { limit: 5 }),
    ]) {
      await expect(read()).rejects.toMatchObject({ code: "UNAVAILABLE" });
    }
    expect(await driver.get("p:c:none")).toBeNull();
    state.failing = false;
    expect((await driver.page("p", "c", { limit: 100 })).items).toHaveLength(51);
    expect((await (await openOn(disk.io())).page("p", "c", { limit: 100 })).items).toHaveLength(51);
  });
});
