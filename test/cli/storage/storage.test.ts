import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";

import { toLine } from "../../../cli/command/progress.ts";
import { loadConfig } from "../../../server/config/load.ts";
import { systemClock } from "../../../server/core/clock.ts";
import { defineCollection } from "../../../server/core/collection.ts";
import { startServer } from "../../../server/serve.ts";
import { takeBackup } from "../../../server/storage/backup-files.ts";
import { createKeyPair } from "../../../server/storage/backup-crypt.ts";
import { startS3Double } from "../../support/s3-double.ts";
import { openBackupTarget } from "../../../server/storage/backup-targets.ts";
import { backupStream, readBackup } from "../../../server/storage/backup.ts";
import type { Doc, StoreDriver } from "../../../server/storage/contract.ts";
import { openFsDriver } from "../../../server/storage/fs.ts";
import { createTestClock } from "../../storage/conformance.ts";
import { snapshotOf } from "../../storage/model.ts";
import { createServiceSandbox } from "../service.ts";
import type { ServiceSandbox } from "../service.ts";

let sandbox: ServiceSandbox;
beforeEach(() => {
  sandbox = createServiceSandbox();
});
afterEach(() => sandbox.remove());

const path = (...names: string[]): string => join(sandbox.dir, ...names);
const run = async (code: number, argv: readonly string[], options = {}) => {
  const result = await sandbox.run(["storage", ...argv], options);
  expect({ argv, code: result.code, stderr: result.stderr }).toMatchObject({ code });
  return result;
};

/** Works on a folder's store directly. */
async function withFolder<R>(base: string, work: (store: StoreDriver) => Promise<R>): Promise<R> {
  const store = await openFsDriver({ base: path(base), clock: createTestClock() });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

const contentOf = (base: string): Promise<Doc[]> =>
  withFolder(base, async (store) => {
    const parts = (await store.partitions()).filter((part) => part !== "storage");
    return (await Promise.all(parts.map((part) => snapshotOf(store, part)))).flat();
  });

/** A store with customers in it, and enough documents for more than one group. */
async function fillFolder(base = "data", documents = 2500): Promise<void> {
  await sandbox.run(["customers", "create", "--email", "ada@shop.test", "--store", "s1", "--no-mail"]);
  await withFolder(base, async (store) => {
    for (let i = 0; i < documents; i += 100) {
      const ops = Array.from({ length: 100 }, (_, j) => ({
        put: `sto_1:c:k${String(i + j).padStart(6, "0")}` as const,
        value: JSON.stringify({ n: i + j, text: "ü€𝄞" }),
      }));
      await store.commit("sto_1", ops);
    }
  });
}

async function* bytesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

describe("storage restore --from", () => {
  it("lists scheduled backups with the moment each leads back to, and restores one of them", async () => {
    await fillFolder("data", 200);
    const before = await contentOf("data");
    await withFolder("data", async (store) => {
      for (const day of ["20", "21"])
        await takeBackup(
          store,
          { target: await openBackupTarget(path("backups"), {}), keep: 5, recipients: [] },
          `2026-11-${day}T03:00:00.000Z`,
        );
    });
    const { stdout } = await run(0, ["restore", "--from", "backups", "--json"]);
    const listed = stdout.match(/"taken_at": ?"[^"]+"/g);
    expect(listed?.map((text) => text.slice(-25, -1))).toEqual([
      "2026-11-21T03:00:00.000Z",
      "2026-11-20T03:00:00.000Z",
    ]);
    await rm(path("data"), { recursive: true });
    await run(0, ["restore", "--from", "backups", "platform-2026-11-21T03-00-00-000Z.ndjson.gz"]);
    expect(await contentOf("data")).toEqual(before);
    await run(2, ["restore"]);
    await run(2, ["restore", "--from", "nowhere"]);
  });

  it("lists and restores encrypted backups of the configured bucket with the identity of the operator", async () => {
    const double = await startS3Double();
    try {
      const key = await createKeyPair();
      writeFileSync(path("key.txt"), `# created: 2026\n${key.identity}\n`);
      const env = {
        PLATFORM_BACKUP_TO: `s3://${double.bucket}/shop?endpoint=${double.endpoint}`,
        PLATFORM_BACKUP_ACCESS_KEY_ID: double.signer.accessKeyId,
        PLATFORM_BACKUP_SECRET_ACCESS_KEY: double.signer.secretAccessKey,
      };
      await fillFolder("data", 200);
      const before = await contentOf("data");
      const target = await openBackupTarget(env.PLATFORM_BACKUP_TO, double.signer);
      const plan = { target, keep: 5, recipients: [key.recipient] };
      const { file } = await withFolder("data", (store) =>
        takeBackup(store, plan, "2026-11-20T03:00:00.000Z"),
      );
      expect((await run(0, ["restore", "--json"], { env })).json().data).toMatchObject([{ file }]);
      await rm(path("data"), { recursive: true });
      expect((await run(2, ["restore", file], { env })).stderr).toContain("--identity");
      writeFileSync(path("other.txt"), `${(await createKeyPair()).identity}\n`);
      await run(11, ["restore", file, "--identity", "other.txt"], { env });
      await run(2, ["restore", file, "--identity", "missing.txt"], { env });
      await run(0, ["restore", file, "--identity", "key.txt"], { env });
      expect(await contentOf("data")).toEqual(before);
    } finally {
      await double.close();
    }
  });
});

describe("storage backup", () => {
  it("0 writes a private file, whole, compressed by its name; - goes to stdout", async () => {
    await fillFolder();
    const plain = await run(0, ["backup", "-o", "b.ndjson", "--json"]);
    expect(plain.json().data).toMatchObject({ file: "b.ndjson", partitions: 2, count: expect.any(Number) });
    expect(plain.stderr).toContain("hashes of keys (no keys)");
    expect(statSync(path("b.ndjson")).mode & 0o777).toBe(0o600);
    await run(0, ["backup", "-o", "b.ndjson.gz"]);
    const { stdout, stderr } = await run(0, ["backup"]);
    const [text, unpacked] = [readFileSync(path("b.ndjson")), gunzipSync(readFileSync(path("b.ndjson.gz")))];
    for (const bytes of [text, unpacked, Buffer.from(stdout)]) {
      expect((await readBackup(bytesOf(bytes))).count).toBe(plain.json().data.count);
    }
    expect(stderr).toContain("SHA-256");
    expect(readdirSync(sandbox.dir).filter((name) => name.includes(".part"))).toEqual([]);
  });

  it("10 names a folder that is not there, and a disk that is full", async () => {
    await fillFolder("data", 100);
    for (const [file, reason] of [
      ["missing/b.ndjson", "ENOENT"],
      ["/dev/full", "ENOSPC"],
    ] as const) {
      const { stderr } = await run(10, ["backup", "-o", file]);
      expect(stderr).toContain(reason);
      expect(stderr).not.toContain("Unexpected");
    }
  });

  it("10 leaves no file behind when the connection breaks, and keeps the one from before", async () => {
    const whole = await (async () => {
      await fillFolder();
      return (await run(0, ["backup"])).stdout;
    })();
    // Cut inside a chunk; ended in order, but without the last line.
    for (const cut of ["destroy", "end"] as const) {
      const server = createServer((_req, res) => {
        res.writeHead(200, { "content-type": "application/x-ndjson", "x-request-id": "req_1" });
        res.write(whole.slice(0, whole.length / 2), () => (cut === "destroy" ? res.destroy() : res.end()));
      }).listen(0, "127.0.0.1");
      await new Promise((resolve) => server.once("listening", resolve));
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const env = { PLATFORM_ADMIN_TOKEN: "plat_admin_anything" };
      writeFileSync(path("old.ndjson"), "from before");
      const code = cut === "destroy" ? 10 : 11;
      await run(code, ["backup", "-o", "new.ndjson", "--url", url], { env });
      await run(code, ["backup", "-o", "old.ndjson", "--url", url], { env });
      const piped = await run(code, ["backup", "--url", url], { env });
      await expect(readBackup(bytesOf(Buffer.from(piped.stdout)))).rejects.toThrow("it ends");
      expect(readdirSync(sandbox.dir).filter((name) => name.startsWith("new"))).toEqual([]);
      expect(readFileSync(path("old.ndjson"), "utf8")).toBe("from before");
      server.closeAllConnections();
      server.close();
    }
  });

  it("0 is consistent beside a server that is written to", async () => {
    await fillFolder("data", 5000);
    const server = await sandbox.serve();
    const writing = { stop: false, created: 0 };
    const writer = (async () => {
      while (!writing.stop) {
        await sandbox.run([
          "customers",
          "create",
          "--email",
          `c${writing.created}@shop.test`,
          "--store",
          `w${writing.created++}`,
          "--no-mail",
        ]);
      }
    })();
    for (let i = 0; i < 5; i++) await run(0, ["backup", "-o", `b${i}.ndjson`]);
    writing.stop = true;
    await writer;
    await server.stop("test");
    expect(writing.created).toBeGreaterThan(3);
    const counts = [];
    for (let i = 0; i < 5; i++) {
      const other = { env: { PLATFORM_STORAGE_BASE: `./restored${i}` } };
      await run(0, ["restore", `b${i}.ndjson`], other);
      // A signup writes a dozen documents and index entries in one commit: half of one would be found here.
      expect((await run(0, ["verify", "--json"], other)).json().data).toMatchObject({ problem_count: 0 });
      expect((await sandbox.run(["audit", "verify"], other)).code).toBe(0);
      counts.push((await sandbox.run(["customers", "list", "--all", "--json"], other)).json().data.length);
    }
    expect(counts.toSorted((a, b) => a - b)).toEqual(counts);
  }, 60_000);
});

describe("storage restore", () => {
  it("7 for a backup with documents of a newer version, before anything is changed", async () => {
    await fillFolder("data", 100);
    const put = "sto_1:delivery.zones:zon_1";
    await withFolder("data", (store) =>
      store.commit("sto_1", [{ put, value: '{"schema_version":99,"id":"zon_1"}' }]),
    );
    await run(0, ["backup", "-o", "b.ndjson"]);
    const { stderr } = await run(7, ["restore", "b.ndjson"], {
      env: { PLATFORM_STORAGE_BASE: "./restored" },
    });
    expect(stderr).toContain(
      `The backup contains ${put}, which was written by a newer version of the platform.`,
    );
    expect(existsSync(path("restored", "seg-00000001.log")) ? await contentOf("restored") : []).toEqual([]);
  });

  it("0 brings every byte and version back, from a file, compressed or not, or from stdin", async () => {
    await fillFolder();
    const content = await contentOf("data");
    await run(0, ["backup", "-o", "b.ndjson"]);
    await run(0, ["backup", "-o", "b.ndjson.gz"]);
    const ways: [string, string[], object][] = [
      ["one", ["restore", "b.ndjson"], {}],
      ["two", ["restore", "b.ndjson.gz"], {}],
      ["three", ["restore", "-"], { stdin: readFileSync(path("b.ndjson")) }],
      ["four", ["restore", "-"], { stdin: readFileSync(path("b.ndjson.gz")) }],
    ];
    for (const [base, argv, options] of ways) {
      const env = { PLATFORM_STORAGE_BASE: `./${base}` };
      const found = (await run(0, [...argv, "--json"], { ...options, env })).json().data;
      expect(found).toMatchObject({ documents: content.length, written: content.length });
      expect(await contentOf(base), base).toEqual(content);
    }
  });

  it("7 refuses a store that holds something; --force replaces it, after a copy and by its name", async () => {
    await fillFolder();
    const content = await contentOf("data");
    await run(0, ["backup", "-o", "b.ndjson"]);
    await sandbox.run(["customers", "create", "--email", "eve@shop.test", "--store", "s2", "--no-mail"]);
    const later = await contentOf("data");
    expect((await run(7, ["restore", "b.ndjson"])).stderr).toContain("--force --confirm data");
    expect((await run(2, ["restore", "b.ndjson", "--force"])).stderr).toContain("--confirm data");
    await run(2, ["restore", "b.ndjson", "--force", "--confirm", "shop"]);
    expect(await contentOf("data")).toEqual(later);
    await run(0, ["restore", "b.ndjson", "--force", "--confirm", "data"]);
    expect(await contentOf("data")).toEqual(content);
    const kept = readdirSync(sandbox.dir).find((name) => name.startsWith("before-restore-")) ?? "";
    expect(statSync(path(kept)).mode & 0o777).toBe(0o600);
    await run(0, ["restore", kept], { env: { PLATFORM_STORAGE_BASE: "./undone" } });
    expect(await contentOf("undone")).toEqual(later);
  });

  it("0 --force deletes the files of what it replaces, which the copy contains", async () => {
    const env = { PLATFORM_FILES_DRIVER: "fs" };
    await fillFolder("data", 100);
    await run(0, ["backup", "-o", "b.ndjson"], { env });
    const held = JSON.stringify({ schema_version: 1, id: "upl_a.5" });
    await withFolder("data", (store) =>
      store.commit("sto_1", [{ put: "sto_1:forms.held:upl_a.5", value: held }]),
    );
    const files = path("data", "files", "sto_1");
    mkdirSync(files, { recursive: true });
    writeFileSync(join(files, "upl_a"), "hello");
    const { stderr } = await run(0, ["restore", "b.ndjson", "--force", "--confirm", "data"], { env });
    expect([readdirSync(files), stderr.includes("1 files of the replaced data were deleted.")]).toEqual([
      [],
      true,
    ]);
    const kept = readdirSync(sandbox.dir).find((name) => name.startsWith("before-restore-")) ?? "";
    await run(0, ["restore", kept], { env: { ...env, PLATFORM_STORAGE_BASE: "./undone" } });
    const [chunk] = (await contentOf("undone")).filter(
      ({ key }) => key === "sto_1:forms.file_chunks:upl_a.0",
    );
    expect(JSON.parse(chunk?.value ?? "{}").data).toBe(Buffer.from("hello").toString("base64"));
  });

  it("11 does not touch the store for a backup that was cut or changed", async () => {
    await fillFolder();
    await run(0, ["backup", "-o", "b.ndjson"]);
    await run(0, ["backup", "-o", "b.ndjson.gz"]);
    const [text, packed] = [readFileSync(path("b.ndjson")), readFileSync(path("b.ndjson.gz"))];
    const changed = Buffer.from(text);
    changed[5000] = (changed[5000] ?? 0) ^ 1;
    const env = { PLATFORM_STORAGE_BASE: "./untouched" };
    for (const bytes of [text.subarray(0, -20), changed, packed.subarray(0, -9), Buffer.from("hello\n")]) {
      writeFileSync(path("bad"), bytes);
      await run(11, ["restore", "bad"], { env });
      const said = await run(11, ["restore", "-", "--json"], { env, stdin: bytes });
      expect(JSON.parse(said.stderr)).toMatchObject({ error: { type: "backup_invalid" }, exit_code: 11 });
    }
    await run(2, ["restore", "nothing.ndjson"], { env });
    expect(existsSync(path("untouched"))).toBe(false);
  });

  it("11 does not touch the store for a backup with documents that it could not load or read", async () => {
    await run(0, ["backup", "-o", "b.ndjson"]);
    const lines = readFileSync(path("b.ndjson"), "utf8").split("\n").slice(0, -2);
    const faults = {
      "is not JSON": '{"k":"sto_1:c:d1","v":1,"d":nothing}',
      "invalid version": '{"k":"sto_1:c:d1","v":9999999999999999,"d":{}}',
      "at most": `{"k":"sto_1:c:d1","v":1,"d":"${"x".repeat(600_000)}"}`,
      "in no backup": '{"k":"storage:state:freeze","v":9999,"d":{}}',
      twice: lines[1] ?? "",
    };
    for (const [why, line] of Object.entries(faults)) {
      const text = [...lines, line, ""].join("\n");
      const sha256 = createHash("sha256").update(text).digest("hex");
      writeFileSync(path("bad"), `${text}${JSON.stringify({ count: lines.length, sha256 })}\n`);
      const env = { PLATFORM_STORAGE_BASE: "./untouched" };
      const { stderr } = await run(11, ["restore", "bad"], { env });
      expect(stderr).toContain("Nothing was changed");
      expect(stderr).toContain(why);
    }
    expect(existsSync(path("untouched"))).toBe(false);
  });

  it("7 refuses beneath a running server", async () => {
    await run(0, ["backup", "-o", "b.ndjson"]);
    const server = await sandbox.serve();
    expect((await run(7, ["restore", "b.ndjson"])).stderr).toContain("stop the server first");
    await server.stop("test");
  });

  it("130 when interrupted, keeps others from serving the half, and goes on", async () => {
    await fillFolder("data", 6000);
    const content = await contentOf("data");
    await run(0, ["backup", "-o", "b.ndjson"]);
    const env = { PLATFORM_STORAGE_BASE: "./half" };
    await interrupted(["restore", "b.ndjson"], { base: "half", bytes: 100_000, env });
    expect((await sandbox.run(["customers", "list"], { env })).stderr).toContain(
      "was interrupted. Run it again",
    );
    // Another backup may not go on with it.
    await sandbox.run(["customers", "create", "--email", "eve@shop.test", "--store", "s2", "--no-mail"]);
    await run(0, ["backup", "-o", "other.ndjson"]);
    expect((await run(7, ["restore", "other.ndjson"], { env })).stderr).toContain(
      "unfinished restore from b.ndjson",
    );
    const again = await run(0, ["restore", "b.ndjson", "--json"], { env });
    expect(again.stderr).toContain("Continuing");
    expect(again.json().data.written).toBeLessThan(content.length);
    expect(await contentOf("half")).toEqual(content);
    expect((await sandbox.run(["customers", "list"], { env })).code).toBe(0);
  });
});

it("130 restore --force that is interrupted while it copies what is there leaves that as it is", async () => {
  await fillFolder("data", 6000);
  await run(0, ["backup", "-o", "b.ndjson"]);
  const content = await contentOf("data");
  for (const moment of [".part", "was copied to"]) {
    const abort = new AbortController();
    const timer = setInterval(() => {
      if (readdirSync(sandbox.dir).some((name) => name.endsWith(moment))) abort.abort(130);
    }, 1);
    const onTalk = (text: string): void => {
      if (text.includes(moment)) abort.abort(130);
    };
    const options = { signal: abort.signal, onTalk };
    await run(130, ["restore", "b.ndjson", "--force", "--confirm", "data"], options);
    clearInterval(timer);
    expect(await contentOf("data")).toEqual(content);
    expect(await sandbox.run(["customers", "list"])).toMatchObject({ code: 0 });
  }
});

/** Interrupts a command once its target has grown by so many bytes. */
async function interrupted(
  argv: readonly string[],
  { base, bytes, env = {} }: { base: string; bytes: number; env?: Record<string, string> },
): Promise<void> {
  const abort = new AbortController();
  // A log may be rewritten meanwhile, so all of them count, and one may be gone when it is looked at.
  const size = (): number =>
    (existsSync(path(base)) ? readdirSync(path(base)) : [])
      .filter((name) => name.endsWith(".log"))
      .reduce((sum, name) => sum + (statSync(path(base, name), { throwIfNoEntry: false })?.size ?? 0), 0);
  const before = size();
  const timer = setInterval(() => {
    if (size() > before + bytes) abort.abort(130);
  }, 1);
  const { code, stdout } = await sandbox.run(["storage", ...argv], { env, signal: abort.signal });
  clearInterval(timer);
  expect({ argv, code, stdout }).toEqual({ argv, code: 130, stdout: "" });
}

defineCollection({
  name: "test.lifted",
  unlisted: true,
  schema: z.strictObject({ id: z.string(), state: z.enum(["open", "done"]) }),
  schemaVersion: 2,
  upgrade: ({ id, is_done }) => ({ id, state: is_done === true ? "done" : "open" }),
  indexes: {},
});

describe("storage migrate without a target", () => {
  it("0 rewrites what older versions wrote, in place; --dry-run counts it", async () => {
    const key = "sto_1:test.lifted:a";
    const old = { schema_version: 1, id: "a", is_done: true };
    await withFolder("data", (store) => store.commit("sto_1", [{ put: key, value: JSON.stringify(old) }]));
    const stored = async (): Promise<unknown> =>
      JSON.parse((await withFolder("data", (store) => store.get(key)))?.value ?? "null");
    const plan = await run(0, ["migrate", "--dry-run", "--json"]);
    expect(plan.json().data).toMatchObject({ lifted: 1 });
    expect(plan.stderr).toContain("Nothing was changed");
    expect(await stored()).toEqual(old);
    expect((await run(0, ["migrate", "--json"])).json().data).toMatchObject({ lifted: 1 });
    expect(await stored()).toEqual({ schema_version: 2, id: "a", state: "done" });
    expect((await run(0, ["migrate", "--json"])).json().data).toMatchObject({ lifted: 0 });
    expect((await run(2, ["migrate", "--confirm", "data"])).stderr).toContain("--to");
  });
});

describe("storage migrate", () => {
  it("0 --dry-run says what would be done, and makes nothing", async () => {
    await fillFolder();
    const plan = await run(0, ["migrate", "--to", "fs:./copy", "--dry-run", "--json"]);
    expect(plan.json().data).toContainEqual({
      partition: "sto_1",
      collection: "c",
      documents: 2500,
      in_target: 0,
    });
    expect(plan.json().meta).toMatchObject({
      to: expect.stringContaining("copy (will be created)"),
      obstacle: null,
    });
    expect(plan.stderr).toContain("Rate limit counters are not moved");
    expect(existsSync(path("copy"))).toBe(false);
    expect((await run(0, ["info", "--json"])).json().data.frozen).toBeNull();
  });

  it("0 moves everything, and leaves a source that takes no writes until it is thawed", async () => {
    await fillFolder();
    const content = await contentOf("data");
    const moved = await run(0, ["migrate", "--to", "fs:./copy", "--confirm", "copy", "--json"]);
    expect(moved.json().data).toMatchObject({
      documents: content.length,
      written: content.length,
      same: true,
    });
    expect(await contentOf("copy")).toEqual(content);
    expect(await contentOf("data")).toEqual(content);
    const create = ["customers", "create", "--email", "eve@shop.test", "--store", "s2", "--no-mail"];
    expect((await sandbox.run(create)).code).toBe(9);
    expect((await sandbox.run(["customers", "list"])).rows()).toHaveLength(1);
    const doctor = await sandbox.run(["doctor", "--json"]);
    expect(doctor.code).toBe(11);
    expect(doctor.json().data.checks).toContainEqual({
      id: "storage.writable",
      status: "fail",
      detail: expect.stringContaining("it was moved to fs"),
      fix: "platform storage thaw",
    });
    // The target works at once, by one changed line.
    const env = { PLATFORM_STORAGE_BASE: "./copy" };
    expect((await sandbox.run(create, { env })).code).toBe(0);
    await run(2, ["thaw"]);
    await run(0, ["thaw", "--yes"]);
    expect((await sandbox.run(create)).code).toBe(0);
    expect((await run(0, ["thaw"])).stderr).toContain("already accepts writes");
  });

  it("0 beside a running server: reads go on, writes get 503 and Retry-After, nothing is lost", async () => {
    await fillFolder("data", 5000);
    const server = await sandbox.serve();
    const writing = { stop: false, accepted: new Set<string>(), refused: 0, retryAfter: "" };
    const post = async (email: string) => {
      const response = await fetch(`${server.url}/api/platform/admin/customers`, {
        method: "POST",
        headers: { authorization: `Bearer ${server.adminToken}`, "content-type": "application/json" },
        body: JSON.stringify({ email, storeIdentifier: "w", mail: false }),
      });
      await response.text();
      return response;
    };
    const writer = (async () => {
      for (let i = 0; !writing.stop; i++) {
        const { status, headers } = await post(`w${i}@shop.test`);
        if (status === 201) writing.accepted.add(`w${i}@shop.test`);
        else if (status === 503) {
          writing.refused++;
          writing.retryAfter = headers.get("retry-after") ?? "";
        } else throw new Error(`unexpected ${status}`);
        const read = await fetch(`${server.url}/healthz`);
        expect(read.status).toBe(200);
      }
    })();
    const moved = await run(0, ["migrate", "--to", "fs:./copy", "--confirm", "copy"]);
    writing.stop = true;
    await writer;
    expect((await post("late@shop.test")).status).toBe(503);
    await server.stop("test");
    expect(moved.stdout).toContain("same\ttrue");
    expect(writing.refused).toBeGreaterThan(0);
    expect(writing.retryAfter).toBe("5");
    const env = { PLATFORM_STORAGE_BASE: "./copy" };
    const found = (await sandbox.run(["customers", "list", "--all", "--json"], { env })).json().data;
    const emails = new Set(found.map(({ email }: { email: string }) => email));
    for (const email of writing.accepted) expect(emails).toContain(email);
    expect(emails.size).toBe(writing.accepted.size + 1);
  });

  it("0 copies again what a server wrote that does not know of the freeze; 7 when it never stops", async () => {
    await fillFolder("data", 100);
    for (const [base, writes] of [
      ["copy", 1],
      ["other", Infinity],
    ] as const) {
      const raw = await openFsDriver({ base: path("data"), clock: systemClock });
      let written = 0;
      // Not the way the service opens it: this one knows of no freeze, and writes after it was copied.
      const store: StoreDriver = {
        ...raw,
        async *snapshot(part) {
          yield* raw.snapshot(part);
          if (part !== "sto_1" || written >= writes) return;
          await raw.commit(part, [{ put: `sto_1:c:late_${base}_${written++}`, value: "1" }]);
        },
      };
      const loaded = await loadConfig({ cwd: sandbox.dir, env: {}, dev: true });
      const server = await startServer({ loaded, dev: true, store });
      const code = writes === 1 ? 0 : 7;
      const moved = await run(code, ["migrate", "--to", `fs:./${base}`, "--confirm", base]);
      expect(moved.stderr).toContain("Copying the changes");
      expect((await run(0, ["thaw", "--yes"])).code).toBe(0);
      await server.stop("test");
      if (writes === 1) expect(await contentOf("copy")).toEqual(await contentOf("data"));
      else expect(moved.stderr).toContain("The source is still changing");
    }
    // What never was finished is not served.
    expect(
      (await sandbox.run(["customers", "list"], { env: { PLATFORM_STORAGE_BASE: "./other" } })).code,
    ).toBe(10);
  });

  it("7 refuses a target that holds something, or that another began to fill", async () => {
    await fillFolder();
    const env = { PLATFORM_STORAGE_BASE: "./copy" };
    await run(0, ["provision"], { env });
    await sandbox.run(["customers", "create", "--email", "eve@shop.test", "--store", "s2", "--no-mail"], {
      env,
    });
    const plan = await run(7, ["migrate", "--to", "fs:./copy", "--dry-run"]);
    expect(plan.stderr).toContain("would be refused");
    expect((await run(7, ["migrate", "--to", "fs:./copy", "--confirm", "copy"])).stderr).toContain(
      "already contains",
    );
    expect((await run(0, ["info", "--json"])).json().data.frozen).toBeNull();
    // One that was only opened counts as empty.
    await run(0, ["provision"], { env: { PLATFORM_STORAGE_BASE: "./opened" } });
    await run(0, ["migrate", "--to", "fs:./opened", "--confirm", "opened"]);
    expect(await contentOf("opened")).toEqual(await contentOf("data"));
  });

  it("130 when interrupted: the source takes writes again, and the same command goes on", async () => {
    await fillFolder("data", 6000);
    for (const isServed of [false, true]) {
      const server = isServed ? await sandbox.serve() : null;
      await interrupted(["migrate", "--to", "fs:./copy", "--confirm", "copy"], {
        base: "copy",
        bytes: 80_000,
      });
      expect((await run(0, ["info", "--json"])).json().data.frozen).toBeNull();
      const email = `${server === null ? "a" : "b"}@shop.test`;
      const made = await sandbox.run(["customers", "create", "--email", email, "--store", "s", "--no-mail"]);
      expect(made.code).toBe(0);
      expect((await run(0, ["migrate", "--to", "fs:./copy", "--dry-run"])).stderr).toContain(
        "would be continued",
      );
      await server?.stop("test");
    }
    const moved = await run(0, ["migrate", "--to", "fs:./copy", "--confirm", "copy", "--json"]);
    expect(moved.stderr).toContain("Continuing");
    expect(moved.json().data.written).toBeLessThan(moved.json().data.documents);
    const content = await contentOf("data");
    expect(await contentOf("copy")).toEqual(content);
    expect(
      (await sandbox.run(["customers", "list"], { env: { PLATFORM_STORAGE_BASE: "./copy" } })).code,
    ).toBe(0);
    // It is done: doing it again is refused.
    await run(7, ["migrate", "--to", "fs:./copy", "--confirm", "copy"]);
  });

  it("2 names the target, by a configuration or by an address", async () => {
    await run(2, ["migrate", "--to", "nothing.json"]);
    await run(2, ["migrate", "--to", "redis://h?x=1"]);
    expect((await run(2, ["migrate", "--to", "redis://u:geheim@h/x"])).stderr).not.toContain("geheim");
    expect((await run(2, ["migrate", "--to", "s3://bucket"])).stderr).toContain("accessKeyId");
    await run(2, ["migrate", "--to", "fs:./copy"]);
    writeFileSync(path("next.json"), JSON.stringify({ storage: { driver: "memory" } }));
    await run(2, ["migrate", "--to", "next.json"]);
    writeFileSync(path("next.json"), JSON.stringify({ storage: { driver: "fs", base: "./next" } }));
    await fillFolder("data", 100);
    await run(0, ["migrate", "--to", "next.json", "--confirm", "next"]);
    expect(await contentOf("next")).toEqual(await contentOf("data"));
  });
});

describe("storage provision, info, verify --fix", () => {
  it("0 makes what the driver needs, twice the same", async () => {
    await run(0, ["info"]);
    rmSync(path("data"), { recursive: true });
    const first = await run(0, ["provision", "--json"]);
    expect(first.json().data).toMatchObject({
      driver: "fs",
      made: [expect.stringContaining("data")],
      works: true,
    });
    expect(statSync(path("data")).mode & 0o777).toBe(0o700);
    expect((await run(0, ["provision", "--json"])).json().data).toMatchObject({ made: [], works: true });
    const server = await sandbox.serve();
    expect((await run(0, ["provision", "--json"])).json().data).toMatchObject({ works: true });
    await server.stop("test");
  });

  it("0 says where the data is, for how many processes, and where limits are counted", async () => {
    const { json, stderr } = await run(0, ["info", "--json"]);
    expect(json().data).toMatchObject({
      driver: "fs",
      location: path("data"),
      nodes: "one",
      limits: "in memory, exact",
      frozen: null,
    });
    expect(stderr).toBe(`Store: fs ${path("data")}, opened by this command.\n`);
    expect((await run(0, ["info"])).stderr).toContain("for one process");
  });

  it("11 tells what is wrong with an index, 0 --fix mends it", async () => {
    await fillFolder("data", 100);
    await withFolder("data", async (store) => {
      const docs = await snapshotOf(store, "platform");
      const entry = docs.find(({ key }) => key.startsWith("platform:ix.platform.customers.new:"));
      if (entry === undefined) throw new Error("no entry");
      await store.commit("platform", [
        { del: entry.key },
        { put: "platform:ix.platform.stores.customer:x@0~gone", value: "1" },
      ]);
    });
    expect((await sandbox.run(["customers", "list"])).rows()).toHaveLength(0);
    expect((await run(11, ["verify"])).rows()).toHaveLength(2);
    await run(2, ["verify", "--fix"]);
    const mended = await run(0, ["verify", "--fix", "--yes", "--json"]);
    expect(mended.json().data).toMatchObject({ ok: true, problem_count: 2, fixed_count: 2 });
    await run(0, ["verify"]);
    expect((await sandbox.run(["customers", "list"])).rows()).toHaveLength(1);
  });
});

describe("the bar", () => {
  it("shows share, count, rate and time left", () => {
    expect(toLine("Copying", { done: 0, total: 100, elapsedMs: 0 })).toBe(
      `Copying  ${"░".repeat(24)}  0 %  0 of 100  0/s`,
    );
    expect(toLine("Copying", { done: 25_000, total: 100_000, elapsedMs: 5000 })).toBe(
      `Copying  ${"█".repeat(6)}${"░".repeat(18)}  25 %  25,000 of 100,000  5,000/s  15 s left`,
    );
    expect(toLine("Copying", { done: 120, total: 100, elapsedMs: 1000 })).toContain("100 %  120 of 100");
    expect(toLine("Copying", { done: 7, total: 0, elapsedMs: 1000 })).toBe("Copying  7  7/s");
  });
});

describe("init", () => {
  it.each([
    ["redis", { driver: "redis", url: "redis://127.0.0.1:6379" }],
    [
      "s3",
      { driver: "s3", region: "us-east-1", bucket: "shop-data", accessKeyId: "AK", secretAccessKey: "SK" },
    ],
  ])("0 writes a configuration for %s that loads, with secrets outside of it", async (storage, expected) => {
    for (const format of ["ts", "json"]) {
      const dir = `${storage}-${format}`;
      const made = await sandbox.run(["init", dir, "--storage", storage, "--format", format, "--yes"]);
      expect(made.code).toBe(0);
      const text = readFileSync(path(dir, `platform.config.${format}`), "utf8");
      expect(text).not.toContain("redis://");
      const env = { AWS_ACCESS_KEY_ID: "AK", AWS_SECRET_ACCESS_KEY: "SK" };
      const loaded = await loadConfig({ cwd: path(dir), env, dev: true });
      expect(loaded.config.storage).toEqual(expected);
      expect(loaded.warnings).toEqual([]);
      expect(statSync(path(dir, ".env")).mode & 0o777).toBe(0o600);
    }
  });
});

it("a backup stream of a store and the command's are the same format", async () => {
  await fillFolder("data", 100);
  const chunks: Uint8Array[] = [];
  await withFolder("data", async (store) => {
    for await (const chunk of backupStream(store, { takenAt: "2026-06-01T09:00:00.000Z" }))
      chunks.push(chunk);
  });
  writeFileSync(path("direct.ndjson"), Buffer.concat(chunks));
  await run(0, ["restore", "direct.ndjson"], { env: { PLATFORM_STORAGE_BASE: "./direct" } });
  expect(await contentOf("direct")).toEqual(await contentOf("data"));
});
