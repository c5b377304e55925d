import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { once } from "node:events";

import { Unzip, UnzipInflate } from "fflate";
import { afterAll, expect, it } from "vitest";

import { openFsDriver } from "../../server/storage/fs.ts";
import { storeExport } from "../operations/privacy/store-export.ts";
import { createHarness, createTestClock } from "../harness.ts";
import { createCleanup, eventually, makeFolder } from "./rig.ts";

const COMMAND = new URL("../../dist/bin/platform.js", import.meta.url).pathname;
const PARTS = 1_500;
const PART_CHARS = 60_000;
const HEAP_MB = 160;
const GROWTH_MB = 256;

const cleanup = createCleanup();
afterAll(() => cleanup.run(), 60_000);

/** Megabytes of a process, as Linux counts them: `VmRSS` now, `VmHWM` at most so far. */
const memoryOf = (pid: number, field: "VmRSS" | "VmHWM"): number =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

/** A data folder with an export of ninety megabytes, which compress to a third; returns a key and the path of its zip. */
async function prepare(base: string): Promise<{ key: string; path: string; hash: string }> {
  const store = await openFsDriver({ base, clock: createTestClock() });
  const harness = await createHarness({ store });
  const key = await harness.key();
  const part = key.storeId.toLowerCase();
  const hash = createHash("sha256").update("[\n");
  // A commit that is repeated asks for the same text again.
  let hashed = 0;
  const request = await storeExport(harness.services.runTx, part, PARTS, (index) => {
    const noise = createHash("sha256").update(String(index)).digest("hex");
    const document = { id: `fsb_${index}`, text: noise.repeat(Math.floor(PART_CHARS / noise.length) - 3) };
    if (index === hashed) {
      hash.update(`${index === 0 ? "" : ",\n"}${JSON.stringify([document], null, 2).slice(2, -2)}`);
      hashed += 1;
    }
    return `${JSON.stringify({ part, collection: "forms.submissions", document })}\n`;
  });
  await harness.close();
  return {
    key: key.plaintext,
    path: `/v1/account/privacy-requests/${request.id}/export`,
    hash: hash.update("\n]\n").digest("hex"),
  };
}

it(
  "an export of ninety megabytes is sent by a process with a heap of 160, in memory that does not grow with it",
  { timeout: 300_000 },
  async () => {
    const folder = await makeFolder(cleanup);
    const { key, path, hash } = await prepare(join(folder, "data"));
    const config = {
      baseUrl: "http://127.0.0.1",
      storage: { driver: "fs", base: "./data" },
      server: { port: 0 },
      mail: { transport: "console" },
      log: { level: "warn" },
    };
    await writeFile(join(folder, "platform.config.json"), JSON.stringify(config));
    const args = [`--max-old-space-size=${HEAP_MB}`, COMMAND, "serve"];
    const child = spawn(process.execPath, args, {
      cwd: folder,
      stdio: "ignore",
      env: { PATH: process.env["PATH"] },
    });
    cleanup.add(async () => {
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    });
    const runFile = join(folder, "data", "run.json");
    await eventually(() => existsSync(runFile));
    const { url } = JSON.parse(readFileSync(runFile, "utf8"));
    const pid = child.pid ?? 0;
    // Engines load after the start.
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    const before = memoryOf(pid, "VmRSS");

    const answer = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
    expect(answer.status).toBe(200);
    const seen = createHash("sha256");
    let documents = 0;
    const unzip = new Unzip((file) => {
      if (!file.name.endsWith("submissions.json")) return;
      documents += 1;
      file.ondata = (error, chunk) => {
        if (error !== null) throw error;
        seen.update(chunk);
      };
      file.start();
    });
    unzip.register(UnzipInflate);
    for await (const chunk of answer.body ?? []) unzip.push(chunk);
    unzip.push(new Uint8Array(), true);
    expect(documents).toBe(1);
    expect(seen.digest("hex")).toBe(hash);
    expect(memoryOf(pid, "VmHWM") - before).toBeLessThan(GROWTH_MB);
  },
);
