import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

import { afterEach, describe, expect, it } from "vitest";

import { createBackupJobs } from "../../server/operations/backups.ts";
import { createCleanup, makeFolder, serve } from "../serve/rig.ts";
import type { Settings } from "../serve/rig.ts";
import { startS3Double } from "../support/s3-double.ts";

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const HOUR_MS = 3_600_000;

async function start(settings: Settings = {}) {
  const folder = join(await makeFolder(cleanup), "backups");
  const clock = { nowMs: Date.now() };
  const server = await serve(
    cleanup,
    {
      "storage.driver": "fs",
      "backup.to": folder,
      "backup.everyHours": 6,
      "backup.keep": 2,
      "observability.metrics": true,
      ...settings,
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
  const runJob = async (id = "storage.backup") => (await admin("POST", `/jobs/${id}/run`, {})).data;
  const backups = async () => (await admin("GET", "/storage/backups")).data;
  const mails = async () =>
    (await admin("GET", "/mail")).data.filter(
      ({ template }: { template: string }) => template === "backup-overdue",
    );
  const consolePage = async () => {
    const token =
      new URL((await admin("POST", "/console/links", {})).data.url).pathname.split("/").at(-1) ?? "";
    const entry = await fetch(`${server.url}/_/setup`, {
      method: "POST",
      redirect: "manual",
      headers: { origin: server.url },
      body: new URLSearchParams({ token }),
    });
    const cookie = (entry.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    return (await fetch(`${server.url}/_/storage/backups`, { headers: { cookie } })).text();
  };
  const finding = async () =>
    (await admin("GET", "/doctor")).data.checks.find(({ id }: { id: string }) => id === "storage.backup");
  const metrics = async () => (await fetch(`${server.url}/metrics`, { headers })).text();
  return { folder, clock, server, runJob, backups, mails, consolePage, finding, metrics };
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

  it("are written again when the clock is set back after it was ahead, and kept next to the one of the future", async () => {
    const { folder, clock, runJob, finding } = await start({ "backup.keep": 1 });
    clock.nowMs += 8_760 * HOUR_MS;
    await runJob();
    clock.nowMs -= 8_760 * HOUR_MS;
    expect((await runJob()).counts.documents).toBeGreaterThan(0);
    expect((await runJob()).counts.documents).toBe(0);
    expect(await readdir(folder)).toEqual([
      expect.stringContaining(`platform-${new Date(clock.nowMs).toISOString().slice(0, 10)}`),
    ]);
    expect((await finding()).status).toBe("ok");
  });

  it("remove what a process that was killed left of one", async () => {
    const { folder, clock, runJob } = await start();
    await mkdir(folder, { recursive: true });
    const draftOf = (ageMs: number) =>
      `platform-${new Date(clock.nowMs - ageMs).toISOString().replaceAll(/[:.]/g, "-")}.ndjson.gz.part`;
    const [old, fresh] = [draftOf(25 * HOUR_MS), draftOf(HOUR_MS)];
    for (const name of [old, fresh, "other.part"]) await writeFile(join(folder, name), "torn");
    await runJob();
    const names = await readdir(folder);
    expect(names).toEqual(expect.arrayContaining([fresh, "other.part"]));
    expect(names).not.toContain(old);
  });

  it("do not stumble over a link without a file in their folder", async () => {
    const { folder, runJob } = await start();
    await mkdir(folder, { recursive: true });
    await symlink("nowhere", join(folder, "latest"));
    expect(await runJob()).toMatchObject({ error: null, counts: { documents: expect.any(Number) } });
    expect((await runJob()).counts.documents).toBe(0);
  });

  it("are no backup when the folder takes none: the old ones stay, and the job says why", async () => {
    const { folder, clock, runJob, finding } = await start();
    await writeFile(folder, "a file in the place of the folder");
    expect((await runJob()).error).toContain("ENOTDIR");
    clock.nowMs += 13 * HOUR_MS;
    expect((await finding()).status).toBe("fail");
  });

  it("on a bucket are reported by doctor, metrics, the list and the console, encrypted where so configured", async () => {
    const double = await startS3Double();
    cleanup.add(() => double.close());
    const to = `s3://${double.bucket}/shop?endpoint=${double.endpoint}`;
    const { clock, runJob, backups, consolePage, finding, metrics } = await start({
      "backup.to": to,
      "backup.recipients": "age1r0t9aczf6dkm4d6erlgk39j6aqpsrdz9dfer3c3gvfnvt43s7ajqzqpeyc",
      "backup.accessKeyId": double.signer.accessKeyId,
      "backup.secretAccessKey": double.signer.secretAccessKey,
    });
    expect(await backups()).toEqual([]);
    const { documents } = (await runJob()).counts;
    clock.nowMs += 90_000;
    expect(await backups()).toMatchObject([
      { age_seconds: 90, documents, encrypted: true, verified: true, overdue: false },
    ]);
    expect(double.contents.keys).toEqual([expect.stringMatching(/^shop\/platform-.*\.ndjson\.gz\.age$/)]);
    expect(await finding()).toMatchObject({ status: "ok", detail: expect.stringContaining(to) });
    expect(await metrics()).toMatch(/^platform_backup_age_seconds 9\d$/m);
    expect(await consolePage()).toMatch(/less than 1 h[\s\S]*verified/);

    clock.nowMs += 13 * HOUR_MS;
    expect(await backups()).toMatchObject([{ verified: true, overdue: true }]);
    expect(await consolePage()).toMatch(/13 h[\s\S]*overdue/);
    double.fault = () => ({ kind: "status", status: 403, code: "AccessDenied", effect: false });
    expect((await runJob()).error).toContain("access denied");
  });

  it("send one mail for each period in which they are overdue", async () => {
    const { folder, clock, runJob, mails } = await start({ "admin.email": "ops@shop.example" });
    const check = async () => (await runJob("storage.backup-overdue")).counts.mails;
    expect(await check()).toBe(0);
    clock.nowMs += 13 * HOUR_MS;
    expect([await check(), await check()]).toEqual([1, 0]);
    expect(await mails()).toMatchObject([{ to: "ops@shop.example", subject: "A backup is overdue" }]);

    await runJob();
    expect(await check()).toBe(0);
    clock.nowMs += 13 * HOUR_MS;
    await rm(folder, { recursive: true });
    await writeFile(folder, "a file in the place of the folder");
    expect((await runJob()).error).toContain("ENOTDIR");
    expect([await check(), await check()]).toEqual([1, 0]);
    expect(await mails()).toHaveLength(2);
  });

  it("are off without a folder", async () => {
    const server = await serve(cleanup);
    expect(createBackupJobs(server.services)).toEqual([]);
  });
});
