import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { systemClock } from "../../server/core/clock.ts";
import { createSystemRandom } from "../../server/core/ids.ts";
import { BackupError, readBackup } from "../../server/storage/backup.ts";
import { decrypt, parseIdentities } from "../../server/storage/backup-crypt.ts";
import { listBackups, takeBackup, unpack, verifiedBackups } from "../../server/storage/backup-files.ts";
import { openBackupTarget } from "../../server/storage/backup-targets.ts";
import type { BackupTarget } from "../../server/storage/backup-targets.ts";
import type { StoreDriver } from "../../server/storage/contract.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { openS3Files } from "../../server/storage/s3/files.ts";
import type { S3Files } from "../../server/storage/s3/files.ts";
import { startS3Double } from "../support/s3-double.ts";
import type { S3Double } from "../support/s3-double.ts";
import { openUploads } from "../support/s3-multipart.ts";
import { HAS_REAL_S3, NO_REAL_S3, startRealS3 } from "../support/s3-real.ts";
import type { RealS3 } from "../support/s3-real.ts";
import { createTestClock } from "./conformance.ts";

if (!HAS_REAL_S3) console.log(NO_REAL_S3);

/** Made by `age-keygen` of the age project. */
const RECIPIENT = "age1r0t9aczf6dkm4d6erlgk39j6aqpsrdz9dfer3c3gvfnvt43s7ajqzqpeyc";
const IDENTITY = "AGE-SECRET-KEY-1SN3A2U8U66CLLATMXQRDHF70EQ29AYV678MZFMFYZMF8DEECEDEQGTWQ2Y";
const at = (day: number): string => `2026-11-${String(day).padStart(2, "0")}T03:00:00.000Z`;

let folder: string;
let store: StoreDriver;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "backup-targets-"));
  store = createMemoryDriver({ clock: createTestClock() });
  await store.commit("shop", [{ put: "shop:c:one", value: '{"name":"Zürich"}' }]);
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const found: Uint8Array[] = [];
  for await (const chunk of chunks) found.push(chunk);
  return Buffer.concat(found);
}

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

function targets(name: string, open: () => Promise<BackupTarget>): void {
  describe(`scheduled backups on ${name}`, () => {
    let target: BackupTarget;
    beforeEach(async () => {
      target = await open();
    });
    afterEach(() => target.close());

    it("are read back, listed and kept to a number, and only those that exist count as verified", async () => {
      for (const day of [1, 2, 3, 4]) await takeBackup(store, { target, keep: 3, recipients: [] }, at(day));
      const listed = await listBackups(target);
      expect(listed.map(({ taken_at }) => taken_at)).toEqual([at(4), at(3), at(2)]);
      const verified = await verifiedBackups(store);
      expect(verified.map(({ taken_at, bytes }) => [taken_at, bytes])).toEqual(
        listed.map(({ taken_at, bytes }) => [taken_at, bytes]),
      );
      const { count } = await readBackup(unpack(target.read(listed[0]?.file ?? "")));
      expect(count).toBe(1);
    });

    it("leave no file when what is read back is not what was written", async () => {
      const lying: BackupTarget = {
        ...target,
        write: (file, chunks, check) => target.write(file, chunks, (read) => check(damaged(read))),
      };
      const plan = { target: lying, keep: 3, recipients: [] };
      await expect(takeBackup(store, plan, at(1))).rejects.toThrow();
      expect(await target.list()).toEqual([]);
      expect(await verifiedBackups(store)).toEqual([]);
    });

    it("are encrypted for a recipient: only its identity reads them, and a changed byte is refused", async () => {
      const { file } = await takeBackup(store, { target, keep: 3, recipients: [RECIPIENT] }, at(1));
      expect(file).toMatch(/\.ndjson\.gz\.age$/);
      const bytes = await bytesOf(target.read(file));
      expect(bytes.subarray(0, 22).toString()).toBe("age-encryption.org/v1\n");
      expect(bytes.includes("Zürich")).toBe(false);
      expect((await readBackup(unpack(decrypt(target.read(file), [IDENTITY])))).count).toBe(1);
      const changed = Buffer.from(bytes);
      changed[changed.length - 5] = (changed[changed.length - 5] ?? 0) ^ 1;
      await expect(bytesOf(decrypt(inPieces(changed, 7), [IDENTITY]))).rejects.toBeInstanceOf(BackupError);
      const other = "AGE-SECRET-KEY-1ZKY6FDDALD8DWVCKWV9EXQPV64HK5TYV35YV0ZVMSGJR3YVUA4CQM60FNY";
      await expect(bytesOf(decrypt(target.read(file), [other]))).rejects.toThrow();
    });
  });
}

async function* damaged(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    const copy = Buffer.from(chunk);
    copy[copy.length - 6] = (copy[copy.length - 6] ?? 0) ^ 0xff;
    yield copy;
  }
}

targets("a folder", () => openBackupTarget(join(folder, "backups"), {}));

function onS3(name: string, start: () => Promise<RealS3 & { readonly double?: S3Double }>): void {
  let server: RealS3 & { readonly double?: S3Double };
  let round = 0;
  beforeAll(async () => {
    server = await start();
  }, 180_000);
  afterAll(() => server.stop());

  const urlOf = (prefix: string): string =>
    `s3://${server.bucket}/${prefix}?endpoint=${encodeURIComponent(server.endpoint)}&region=${server.signer.region}`;
  targets(name, () => openBackupTarget(urlOf(`backups-${round++}`), server.signer));

  describe(`files on ${name}`, () => {
    /** The least that S3 takes as a part. */
    const partBytes = 5_242_880;
    let files: S3Files;
    beforeEach(() => {
      const { endpoint, bucket, signer } = server;
      const random = createSystemRandom();
      const place = { endpoint, bucket, prefix: `files-${round++}`, partBytes };
      files = openS3Files({ ...signer, ...place, wallClock: systemClock, random });
    });
    afterEach(() => files.close());

    it("of any size are written in parts and read in ranges, byte for byte", async () => {
      for (const size of [0, 1, partBytes - 1, partBytes, partBytes + 1, 2 * partBytes, 2 * partBytes + 7]) {
        const bytes = Buffer.alloc(size, "abcdefghijklmnopqrstuvwxyz0123456789ü");
        await files.write("one", inPieces(bytes, 999_983));
        const read = await bytesOf(files.read("one"));
        expect(read.equals(bytes), `${size} bytes`).toBe(true);
        expect(await files.list()).toMatchObject([{ key: "one", bytes: size }]);
      }
      await files.remove("one");
      expect(await files.list()).toEqual([]);
      await expect(bytesOf(files.read("one"))).rejects.toThrow("does not exist");
    }, 60_000);

    it("that break off leave neither a file nor parts", async () => {
      const broken = (async function* () {
        yield Buffer.alloc(2 * partBytes + 1);
        throw new Error("the source broke");
      })();
      await expect(files.write("one", broken)).rejects.toThrow("the source broke");
      expect(await files.list()).toEqual([]);
      const { double } = server;
      if (double !== undefined) expect(openUploads(double.contents)).toBe(0);
    });

    it("replaced while they are read are refused", async () => {
      await files.write("one", inPieces(Buffer.alloc(3_000_000, "a"), 100_000));
      const reading = files.read("one");
      await reading.next();
      await files.write("one", inPieces(Buffer.alloc(3_000_000, "b"), 100_000));
      await expect(bytesOf(reading)).rejects.toThrow("replaced");
    });
  });
}

describe("an S3 server in this process", () => {
  onS3("a bucket", async () => {
    const double = await startS3Double();
    return { ...double, double, stop: () => double.close() };
  });
});
if (HAS_REAL_S3) describe("Ceph", () => onS3("a bucket of Ceph", startRealS3));

const hasAge = spawnSync("age", ["--version"]).status === 0;
if (!hasAge && process.env["PLATFORM_TEST_REQUIRE"] === "1")
  throw new Error("age is not installed: apt-get install age");

describe.runIf(hasAge)("the age program of the age project", () => {
  it("decrypts what this service encrypted, and its files are decrypted here", async () => {
    const target = await openBackupTarget(folder, {});
    const { file } = await takeBackup(store, { target, keep: 1, recipients: [RECIPIENT] }, at(1));
    const key = join(folder, "key.txt");
    writeFileSync(key, `# created by a test\n${IDENTITY}\n`);
    expect(parseIdentities(`# created by a test\n${IDENTITY}\n`)).toEqual([IDENTITY]);
    const text = gunzipSync(execFileSync("age", ["-d", "-i", key, join(folder, file)])).toString();
    expect(text).toContain("Zürich");
    const theirs = join(folder, "theirs.age");
    execFileSync("age", ["-r", RECIPIENT, "-o", theirs], { input: "written by age" });
    expect((await bytesOf(decrypt(target.read("theirs.age"), [IDENTITY]))).toString()).toBe("written by age");
  });
});
