import { mkdtempSync, rmSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { tmpdir } from "node:os";

import { bundleOf } from "./dataset.mjs";
import { spread } from "./report.mjs";

const WRITERS = [1, 16, 64];
const MS = 1000;

/** Durable writes per second: the fs driver against a correct file per document (temp file, fsync, rename, fsync of the folder). */
export async function benchWrites({ rounds }) {
  const { openFsDriver } = await import("../../dist/bench/server/storage/fs.js");
  const base = mkdtempSync(`${tmpdir()}/platform-writes-`);
  const store = await openFsDriver({ base: `${base}/log`, clock: { now: () => Date.now() } });
  const folder = mkdtempSync(`${base}/files-`);
  const contestants = {
    "fs driver": (id, value) => store.commit("sto_bench", [{ put: `sto_bench:bench.docs:${id}`, value }]),
    "file per document": (id, value) => writeFile(folder, id, value),
  };
  const measured = new Map();
  for (let round = 0; round < rounds + 1; round += 1) {
    for (const writers of WRITERS) {
      for (const [name, write] of Object.entries(contestants)) {
        const perSecond = await hammer(write, writers, `${round}-${writers}`);
        const key = `${name}, ${writers} writer${writers === 1 ? "" : "s"}`;
        if (round > 0) measured.set(key, [...(measured.get(key) ?? []), perSecond]);
      }
    }
  }
  await store.close();
  rmSync(base, { recursive: true, force: true });
  const rows = [...measured].map(([name, values]) => {
    const other = name.replace("fs driver", "file per document");
    if (other === name) return { name, values };
    return { name, values, ratios: { [other]: spread(values).median / spread(measured.get(other)).median } };
  });
  return [{ title: "Durable writes of one document, acknowledged after fsync", unit: "writes/s", rows }];
}

async function hammer(write, writers, label) {
  const value = JSON.stringify(bundleOf(1, "bdl_1"));
  const end = process.hrtime.bigint() + BigInt(MS) * 1_000_000n;
  let done = 0;
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      for (let turn = 0; process.hrtime.bigint() < end; turn += 1) {
        await write(`doc-${label}-${writer}-${turn % 500}`, value);
        done += 1;
      }
    }),
  );
  return done / (MS / 1000);
}

async function writeFile(folder, id, value) {
  const temporary = `${folder}/${id}.tmp`;
  const file = await open(temporary, "w");
  await file.writeFile(value);
  await file.sync();
  await file.close();
  await rename(temporary, `${folder}/${id}.json`);
  const directory = await open(folder, "r");
  await directory.sync();
  await directory.close();
}
