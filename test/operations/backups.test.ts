import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

import { afterEach, describe, expect, it } from "vitest";

import { createBackupJobs } from "../../server/operations/backups.ts";
import { createCleanup, makeFolder, serve } from "../serve/rig.ts";

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const HOUR_MS = 3_600_000;

async function start() {
  const folder = join(await makeFolder(cleanup), "backups");
  const clock = { nowMs: Date.now() };
  const server = await serve(
    cleanup,
    {
      "storage.driver": "fs",
      "backup.folder": folder,
      "backup.everyHours": 6,
      "backup.keep": 2,
      "observability.metrics": true,
    },
    { clock: { now: () => clock.nowMs } },
  );
  const headers = { authorization: `Bearer ${server.adminToken}`, "content-type": "application/json" };
  const admin = async (method: string, path: string, body?: object) =>
    (
      await fetch(`${server.url}/api/platform/admin${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    ).json();
  const runJob = async () => (await admin("POST", "/jobs/storage.backup/run", {})).data;
  const finding = async () =>
    (await admin("GET", "/doctor")).data.checks.find(({ id }: { id: string }) => id === "storage.backup");
  const metrics = async () => (await fetch(`${server.url}/metrics`, { headers })).text();
  return { folder, clock, server, runJob, finding, metrics };
}

describe("scheduled backups", () => {
  it("are written when due, read back, kept to a number, and reported", async () => {
    const { folder, clock, runJob, finding, metrics } = await start();
    expect((await finding()).status).toBe("warn");
    expect(await metrics()).not.toContain("platform_backup_age_seconds");

    expect((await runJob()).counts.documents).toBeGreaterThan(0);
    const [file = ""] = await readdir(folder);
    expect(file).toMatch(/^platform-.*\.ndjson\.gz$/);
    expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
    expect(gunzipSync(await readFile(join(folder, file))).toString()).toContain('"sha256"');
    expect((await runJob()).counts.documents).toBe(0);
    expect(await finding()).toMatchObject({ status: "ok", detail: expect.stringContaining(file) });
    clock.nowMs += 90_000;
    expect(await metrics()).toMatch(/^platform_backup_age_seconds 9\d$/m);

    for (let round = 0; round < 3; round += 1) {
      clock.nowMs += 6 * HOUR_MS;
      expect((await runJob()).counts.documents).toBeGreaterThan(0);
    }
    const kept = await readdir(folder);
    expect(kept).toHaveLength(2);
    expect(kept).not.toContain(file);

    clock.nowMs += 13 * HOUR_MS;
    expect(await finding()).toMatchObject({ status: "fail", detail: expect.stringMatching(/^overdue/) });
  });

  it("are no backup when the folder takes none: the old ones stay, and the job says why", async () => {
    const { folder, clock, runJob, finding } = await start();
    await writeFile(folder, "a file in the place of the folder");
    expect((await runJob()).error).toContain("EEXIST");
    clock.nowMs += 13 * HOUR_MS;
    expect((await finding()).status).toBe("fail");
  });

  it("are off without a folder", async () => {
    const server = await serve(cleanup);
    expect(createBackupJobs(server.services)).toEqual([]);
  });
});
