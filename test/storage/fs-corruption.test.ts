import { crc32 } from "node:zlib";

import { beforeAll, describe, expect, it } from "vitest";

import { StoreError } from "../../server/storage/contract.ts";
import type { Doc } from "../../server/storage/contract.ts";
import { openFsDriver } from "../../server/storage/fs.ts";
import type { FsDriver, FsOptions } from "../../server/storage/fs.ts";
import type { Io } from "../../server/storage/fs/io.ts";
import { eachDocOfStore } from "./each-doc.ts";
import { createTestClock } from "./conformance.ts";
import { findMiscount } from "./miscount.ts";
import { createRandom } from "./random.ts";
import { createSimDisk } from "./sim-disk.ts";

type Files = ReadonlyMap<string, Buffer>;

const COMMITS = 160;
const FIRST = "/store/seg-00000001.log";

async function openOn(io: Io, options: Partial<FsOptions> = {}): Promise<FsDriver> {
  const lock = async () => async () => {};
  return openFsDriver({ base: "/store", clock: createTestClock(), io, lock, segmentBytes: 4000, ...options });
}

async function documentsOf(driver: FsDriver): Promise<Map<string, Doc>> {
  const found = new Map<string, Doc>();
  for await (const doc of eachDocOfStore(driver)) found.set(doc.key, doc);
  return found;
}

/** Opens these files as they are; the documents, or the error's code. */
async function readFiles(files: Files, options: Partial<FsOptions> = {}): Promise<Map<string, Doc> | string> {
  try {
    return await documentsOf(await openOn(createSimDisk(1, {}, files).io(), options));
  } catch (error) {
    if (error instanceof StoreError) return error.code;
    throw error;
  }
}

function changed(files: Files, path: string, change: (bytes: Buffer) => Buffer): Map<string, Buffer> {
  return new Map(files).set(path, change(Buffer.from(files.get(path) ?? Buffer.alloc(0))));
}

/** A store of several segments with rewritten, replaced, removed and multi-document commits, cleanly closed. */
async function makeStore(): Promise<{ files: Files; documents: Map<string, Doc> }> {
  const disk = createSimDisk(1);
  const driver = await openOn(disk.io());
  for (let i = 0; i < COMMITS; i++) {
    await driver.commit("p", [
      { put: `p:c:k${i % 90}`, value: JSON.stringify({ i, text: `ünï ${"x".repeat(i)}` }) },
      i % 9 === 8 ? { del: `p:d:one${(i - 4) % 30}` } : { put: `p:d:one${i}`, value: `${i}` },
    ]);
  }
  const documents = await documentsOf(driver);
  await driver.close();
  return { files: disk.files(), documents };
}

describe("fs: a torn end", () => {
  const open = async (io: Io) => openOn(io, { segmentBytes: 1_000_000 });

  /** Five commits, the power cut, the log cut at each offset from the third on; returns the offsets that went wrong. */
  async function cutEverywhere(forge: (bytes: Buffer) => Buffer): Promise<number[]> {
    const disk = createSimDisk(1);
    const driver = await open(disk.io());
    const ends: number[] = [];
    for (let i = 0; i < 5; i++) {
      await driver.commit("p", [
        { put: `p:c:a${i}`, value: `{"n":${i},"text":"zürich"}` },
        { put: `p:c:b${i}`, value: `{"n":${i}}` },
      ]);
      ends.push(disk.files().get(FIRST)?.length ?? 0);
    }
    const files = changed(disk.files(), FIRST, forge);
    const wrong: number[] = [];
    const [, second = 0, , , last = 0] = ends;
    for (let cut = second; cut <= last; cut++) {
      const torn = createSimDisk(
        cut,
        {},
        changed(files, FIRST, (bytes) => bytes.subarray(0, cut)),
      );
      const whole = ends.filter((end) => end <= cut).length;
      if (!(await survives(torn.io(), whole))) wrong.push(cut);
    }
    expect(last - second).toBeGreaterThan(250);
    return wrong;
  }

  /** Opens, commits, opens again: what was whole and what was added is there, and nothing else. */
  async function survives(io: Io, whole: number): Promise<boolean> {
    const driver = await open(io);
    const before = (await documentsOf(driver)).size === whole * 2;
    const added = await driver.commit("p", [{ put: "p:c:z", value: "1" }]);
    const after = await documentsOf(await open(io));
    const keys = Array.from({ length: whole }, (_, i) => [`p:c:a${i}`, `p:c:b${i}`]).flat();
    return (
      before &&
      added.ok &&
      added.version === whole + 1 &&
      [...after.keys()].join() === [...keys.toSorted(compareTexts), "p:c:z"].join()
    );
  }

  it("is dropped at every offset of the last three commits, and writing goes on", async () => {
    expect(await cutEverywhere((bytes) => bytes)).toEqual([]);
  });

  it("negative control: commits whose lines do not say that they belong together come back in half", async () => {
    const separate = (bytes: Buffer): Buffer => {
      const lines = bytes
        .toString()
        .replaceAll(/^\w{8} (?:1\/2|2\/2)(.*)$/gm, (_, rest: string) => withChecksum(`1/1${rest}`));
      return Buffer.from(lines);
    };
    expect((await cutEverywhere(separate)).length).toBeGreaterThan(50);
  });

  const SYNC_LINE_BYTES = "00000000 sync 000000000016\n".length;

  /** Three commits in one batch, of which the power loss left the second and third; then a batch as long as the first. */
  async function tearFirst(wrap: (io: Io) => Io): Promise<string[]> {
    const disk = createSimDisk(1);
    const driver = await open(disk.io());
    const lengths = { a: SYNC_LINE_BYTES, b: 0, c: 0 };
    const commits = Object.entries(lengths).map(([id, more]) => ({
      put: `p:c:${id}` as const,
      value: `"old${"x".repeat(more)}"`,
    }));
    await Promise.all(commits.map((op) => driver.commit("p", [op])));
    const torn = changed(disk.files(), FIRST, (bytes) =>
      bytes.fill(0, bytes.indexOf("\n") + 1, bytes.indexOf(" p:c:a")),
    );
    const io = createSimDisk(2, {}, torn).io();
    const next = await open(wrap(io));
    expect(await documentsOf(next)).toEqual(new Map());
    await next.commit("p", [{ put: "p:c:z", value: '"new"' }]);
    return [...(await documentsOf(await open(io))).keys()];
  }

  it("never gives a later commit of a torn batch back", async () => {
    expect(await tearFirst((io) => io)).toEqual(["p:c:z"]);
  });

  it("negative control: where the end is not cut off, it does come back", async () => {
    const keepEnd = (io: Io): Io => ({
      ...io,
      open: async (path, how) => ({ ...(await io.open(path, how)), truncate: async () => {} }),
    });
    expect(await tearFirst(keepEnd)).toEqual(["p:c:b", "p:c:c", "p:c:z"]);
  });

  it("is dropped when it is garbage or zeros", async () => {
    const { files, documents } = await makeStore();
    const random = createRandom(7);
    const tail =
      [...files.keys()]
        .filter((path) => path.includes("seg-"))
        .sort()
        .at(-1) ?? "";
    for (let i = 0; i < 300; i++) {
      const rest = Buffer.from(
        Array.from({ length: 1 + random.int(700) }, () => (i % 3 === 0 ? 0 : random.int(256))),
      );
      expect(await readFiles(changed(files, tail, (bytes) => Buffer.concat([bytes, rest])))).toEqual(
        documents,
      );
    }
  });
});

describe("fs: a damaged log", () => {
  let files: Files;
  let documents: Map<string, Doc>;
  let segments: string[];
  beforeAll(async () => {
    ({ files, documents } = await makeStore());
    segments = [...files.keys()].filter((path) => path.includes("seg-")).toSorted(compareTexts);
    expect(segments.length).toBeGreaterThan(3);
    expect(await readFiles(files)).toEqual(documents);
  });

  /** Flips a random bit pattern in a random byte of the log; `repair` may put something right again. */
  function flip(seed: number, repair: (bytes: Buffer, at: number) => void = () => {}): Map<string, Buffer> {
    const random = createRandom(seed);
    return changed(files, random.pick(segments), (bytes) => {
      const at = random.int(bytes.length);
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 + random.int(255)), at);
      repair(bytes, at);
      return bytes;
    });
  }
  const differing = (found: Map<string, Doc>): string[] =>
    [...new Set([...found.keys(), ...documents.keys()])].filter(
      (key) => JSON.stringify(found.get(key)) !== JSON.stringify(documents.get(key)),
    );

  it("with any one of 1000 bytes flipped never gives a wrong document, and salvages all but one record", async () => {
    let refused = 0;
    for (let seed = 1; seed <= 1000; seed++) {
      const damaged = flip(seed);
      const found = await readFiles(damaged);
      if (found === "CORRUPT") refused++;
      else expect(found, `seed ${seed}`).toEqual(documents);
      if (found !== "CORRUPT") continue;
      const disk = createSimDisk(seed, {}, damaged);
      const salvaged = await openOn(disk.io(), { salvage: true });
      const lost = differing(await documentsOf(salvaged));
      expect(lost.length, `seed ${seed}: ${lost.join(", ")}`).toBeLessThanOrEqual(1);
      expect(salvaged.losses.length, `seed ${seed}`).toBeGreaterThan(0);
      expect([...disk.files().keys()].some((path) => path.endsWith(".damaged"))).toBe(true);
      const state = await documentsOf(salvaged);
      await salvaged.commit("p", [{ put: "p:c:new", value: "1" }]);
      expect(await findMiscount(salvaged), `seed ${seed}`).toBeNull();
      await salvaged.close();
      const again = await readFiles(disk.files());
      expect(again, `seed ${seed}`).toEqual(state.set("p:c:new", expect.objectContaining({ value: "1" })));
    }
    expect(refused).toBeGreaterThan(900);
  });

  it("with a byte inserted or lost, which shifts all that follows, is refused instead of cut short", async () => {
    let refused = 0;
    for (let seed = 1; seed <= 300; seed++) {
      const random = createRandom(seed);
      const path = random.pick(segments);
      const damaged = changed(files, path, (bytes) => {
        const at = random.int(bytes.length);
        const inserted = seed % 2 === 0 ? Buffer.from("x") : Buffer.alloc(0);
        return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(seed % 2 === 0 ? at : at + 1)]);
      });
      const found = await readFiles(damaged);
      if (found === "CORRUPT") refused++;
      else expect(found, `seed ${seed}, ${path}`).toEqual(documents);
    }
    expect(refused).toBeGreaterThan(270);
  });

  it("negative control: with its checksum made right again, a flipped byte does give wrong documents", async () => {
    let wrong = 0;
    for (let seed = 1; seed <= 300; seed++) {
      const found = await readFiles(
        flip(seed, (bytes, at) => {
          const start = bytes.lastIndexOf("\n", at - 1) + 1;
          const end = bytes.indexOf("\n", start);
          if (at < start + 9 || end < 0) return;
          bytes.write(
            crc32(bytes.subarray(start + 9, end))
              .toString(16)
              .padStart(8, "0"),
            start,
            "latin1",
          );
        }),
      );
      if (typeof found !== "string" && differing(found).length > 0) wrong++;
    }
    expect(wrong).toBeGreaterThan(100);
  });

  it("names file and offset", async () => {
    const damaged = changed(files, FIRST, (bytes) => {
      bytes.writeUInt8(0x58, 100);
      return bytes;
    });
    const start = (files.get(FIRST)?.lastIndexOf("\n", 99) ?? 0) + 1;
    await expect(openOn(createSimDisk(1, {}, damaged).io())).rejects.toMatchObject({
      code: "CORRUPT",
      message: expect.stringContaining(`seg-00000001.log at offset ${start}`),
    });
    const { losses } = await openOn(createSimDisk(1, {}, damaged).io(), { salvage: true });
    expect(losses).toEqual([
      {
        file: "seg-00000001.log",
        offset: start,
        bytes: expect.any(Number),
        key: expect.stringMatching(/^p:/),
      },
    ]);
  });

  it("is refused without any one of its files, and salvaged to what the others hold", async () => {
    for (const path of [...segments, "/store/format.json"]) {
      const rest = new Map(files);
      rest.delete(path);
      expect(await readFiles(rest), path).toBe("CORRUPT");
      const disk = createSimDisk(1, {}, rest);
      const salvaged = await openOn(disk.io(), { salvage: true });
      const state = await documentsOf(salvaged);
      for (const [key, { version }] of state)
        expect(version).toBeLessThanOrEqual(documents.get(key)?.version ?? COMMITS);
      await salvaged.commit("p", [{ put: "p:c:new", value: "1" }]);
      await salvaged.close();
      expect(((await readFiles(disk.files())) as Map<string, Doc>).size, path).toBe(state.size + 1);
    }
  });

  it("is refused when a sealed segment was cut short, also at the end of a line", async () => {
    for (const path of segments.slice(0, -1)) {
      const ends = [...(files.get(path) ?? "").toString("latin1").matchAll(/\n/g)].map(
        ({ index }) => index + 1,
      );
      for (const end of [0, 50, ends[1] ?? 0, ends.at(-2) ?? 0]) {
        expect(
          await readFiles(changed(files, path, (bytes) => bytes.subarray(0, end))),
          `${path} ${end}`,
        ).toBe("CORRUPT");
      }
    }
  });

  it("is noticed when a document is read, long after the start", async () => {
    const disk = createSimDisk(1, {}, files);
    const io = disk.io();
    const driver = await openOn(io, { cacheBytes: 0 });
    await driver.compact();
    const file = await io.open(FIRST, "existing");
    const size = await file.size();
    for (let at = 0; at < size; at += 10) await file.write(Buffer.from("#"), at);
    let refused = 0;
    for (const [key, doc] of documents) {
      try {
        expect(await driver.get(key as Doc["key"])).toEqual(doc);
      } catch (error) {
        expect(error).toMatchObject({ code: "CORRUPT", message: expect.stringContaining(key) });
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(0);
  });
});

const checksum = (body: string | Buffer): string => crc32(body).toString(16).padStart(8, "0");
const withChecksum = (body: string): string => `${checksum(body)} ${body}`;
const compareTexts = (a: string, b: string): number => (a < b ? -1 : 1);
