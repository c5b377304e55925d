import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";

import { PAGE, bundleOf } from "./dataset.mjs";
import { spread } from "./report.mjs";

const SIZES = [1000, 10_000, 100_000];
const PART = "sto_bench";

/** Cost of one page at a random depth against the size of the collection, on the fs driver. */
export async function benchPages({ rounds }) {
  const { openFsDriver } = await import("../../dist/bench/server/storage/fs.js");
  const clock = { now: () => Date.now() };
  const base = mkdtempSync(`${tmpdir()}/platform-pages-`);
  const open = (size) => openFsDriver({ base: `${base}/${size}`, clock });
  const section = await timeSizes(open, { sizes: SIZES, rounds, count: 4000 });
  rmSync(base, { recursive: true, force: true });
  return [{ title: `One page of ${PAGE} through an index, fs driver`, ...section }];
}

/** One store for each size, filled, and pages of each in turns. */
export async function timeSizes(open, { sizes, rounds, count }) {
  const stores = [];
  for (const size of sizes) {
    const store = await open(size);
    await fill(store, size);
    stores.push({ size, store, values: [] });
  }
  for (let round = 0; round < rounds + 1; round += 1) {
    for (const { store, size, values } of stores) {
      const microseconds = await timePages(store, size, count);
      if (round > 0) values.push(microseconds);
    }
  }
  for (const { store } of stores) await store.close();
  const first = spread(stores[0].values).median;
  const name = (size) => `${size.toLocaleString("en-GB")} documents`;
  const rows = stores.map(({ size, values }) => ({
    name: name(size),
    values,
    ratios: { [name(sizes[0])]: spread(values).median / first },
  }));
  return { unit: "µs", rows };
}

export async function fill(store, size) {
  const id = (index) => `bdl_${String(index).padStart(8, "0")}`;
  for (let start = 0; start < size; start += 100) {
    const ops = [];
    for (let index = start; index < Math.min(size, start + 100); index += 1) {
      const value = JSON.stringify({ schema_version: 1, ...bundleOf(index, id(index)) });
      ops.push({ put: `${PART}:cart.bundles:${id(index)}`, value });
      ops.push({ put: `${PART}:ix.cart.bundles.new:@${id(index)}~${id(index)}`, value: "1" });
    }
    const done = await store.commit(PART, ops);
    if (!done.ok) throw new Error("The store refused a commit of new documents.");
  }
}

async function timePages(store, size, count) {
  let state = 12_345;
  let nanoseconds = 0n;
  for (let turn = 0; turn < count; turn += 1) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    // The same 50 places of every size: as many documents as the smallest has, so that what differs is the size, not the cache.
    const place = Math.floor(((state % 50) / 50) * (size - PAGE));
    const after = `@bdl_${String(place).padStart(8, "0")}~bdl_${String(place).padStart(8, "0")}`;
    // A write to the collection now and then: pages that the driver keeps would hide what reading one costs.
    if (turn % 5 === 0) {
      await store.commit(PART, [{ put: `${PART}:ix.cart.bundles.new:@zzz~none`, value: String(turn) }]);
    }
    const started = process.hrtime.bigint();
    const page = await store.page(PART, "ix.cart.bundles.new", { after, limit: PAGE, of: "cart.bundles" });
    nanoseconds += process.hrtime.bigint() - started;
    if (page.items.length < PAGE - 1) throw new Error(`A page held ${page.items.length} documents.`);
  }
  return Number(nanoseconds) / 1000 / count;
}
