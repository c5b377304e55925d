import { isDeepStrictEqual } from "node:util";

import { expect } from "vitest";

import type {
  Check,
  Doc,
  Key,
  Op,
  PageOptions,
  Quota,
  StoreDriver,
  Usage,
} from "../../server/storage/contract.ts";
import type { Subject } from "./conformance.ts";
import { createRandom } from "./random.ts";
import type { Random } from "./random.ts";

const PARTS = ["p", "store_1"];
const COLLS = ["c", "ix.c.new", "d", "kernel.c"];
const IDS = ["a", "b", "c1", "c2", "c3", "d.x", "e~f", "A", "~", "_"];
const INDEX_IDS = ["@1~a", "@2~b", "@3~c1", "x@1~a", "x@2~c2", "x@3~gone", "y@~d.x"];

interface Model {
  docs: Map<string, Doc>;
  readonly sequences: Map<string, number>;
}

/** 512 random operations from one seed, each answer held against a Map. */
export async function runSeed(seed: number, first: Subject): Promise<void> {
  const random = createRandom(seed);
  const model: Model = { docs: new Map(), sequences: new Map() };
  let subject = first;
  try {
    for (let i = 0; i < 512; i++) {
      const part = random.pick(PARTS);
      const roll = random.int(100);
      if (roll < 55) await stepCommit(random, subject.driver, model, part);
      else if (roll < 65) {
        const key = randomKey(random, part);
        expectEqual(await subject.driver.get(key), model.docs.get(key) ?? null);
      } else if (roll < 70) {
        const keys = Array.from({ length: random.int(6) }, () => randomKey(random, part));
        expectEqual(
          await subject.driver.getMany(keys),
          keys.map((key) => model.docs.get(key) ?? null),
        );
      } else if (roll < 95) await stepPage(random, subject.driver, model, part);
      else if (roll < 99 || subject.reopen === undefined) await compareLists(subject.driver, model);
      else subject = await subject.reopen();
    }
  } finally {
    await subject.dispose();
  }
}

async function stepCommit(random: Random, driver: StoreDriver, model: Model, part: string): Promise<void> {
  const keys = new Set(Array.from({ length: random.int(5) }, () => randomKey(random, part)));
  const ops = [...keys].map((key): Op =>
    random.chance(0.7) ? { put: key, value: randomValue(random) } : { del: key },
  );
  const checks = Array.from({ length: random.int(3) }, (): Check => {
    const key = randomKey(random, part);
    const right = model.docs.get(key)?.version ?? 0;
    return { key, version: random.chance(0.85) ? right : random.int(right + 2) };
  });
  const lost = checks.find(({ key, version }) => (model.docs.get(key)?.version ?? 0) !== version);
  const before = model.sequences.get(part) ?? 0;
  const full = usageOf(model.docs, part);
  const quota = random.chance(0.4) ? randomQuota(random, full) : undefined;
  const result = await driver.commit(part, ops, checks, quota);
  if (lost !== undefined) {
    expectEqual(result, { ok: false, conflict: lost.key });
    return;
  }
  const after = quota === undefined ? full : usageOf(apply(model.docs, ops, before + 1), part);
  if (quota !== undefined && NUMBERS.some((name) => after[name] > full[name] && after[name] > quota[name])) {
    expectEqual(result, { ok: false, conflict: [...keys][0], full });
    return;
  }
  const next = ops.length === 0 ? before : before + 1;
  expectEqual(result, { ok: true, version: next });
  model.sequences.set(part, next);
  model.docs = apply(model.docs, ops, next);
}

/** `toEqual`, which takes most of the time of a seed, only for what differs. */
function expectEqual(found: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(found, expected)) expect(found).toEqual(expected);
}

const NUMBERS = ["documents", "bytes", "systemBytes"] as const;

/** What the partition holds, as the contract defines it, computed from scratch. */
export function usageOf(docs: ReadonlyMap<string, Doc>, part: string): Usage {
  const usage = { documents: 0, bytes: 0, systemBytes: 0 };
  for (const { key, value } of docs.values()) {
    if (!key.startsWith(`${part}:`)) continue;
    const coll = key.slice(part.length + 1);
    const isEntry = coll.startsWith("ix.");
    const isSystem = coll.startsWith(isEntry ? "ix.kernel." : "kernel.");
    usage[isSystem ? "systemBytes" : "bytes"] += isEntry ? 256 : Buffer.byteLength(key + value);
    if (!isEntry && !isSystem) usage.documents += 1;
  }
  return usage;
}

/** Limits around what is stored: some in reach of the next commit, some already exceeded. */
const randomQuota = (random: Random, { documents, bytes, systemBytes }: Usage): Quota => ({
  documents: random.chance(0.2) ? Infinity : Math.max(0, documents + random.int(5) - 1),
  bytes: random.chance(0.2) ? Infinity : Math.max(0, bytes + random.int(300) - 60),
  systemBytes: random.chance(0.2) ? Infinity : Math.max(0, systemBytes + random.int(300) - 60),
});

function apply(docs: ReadonlyMap<string, Doc>, ops: readonly Op[], version: number): Map<string, Doc> {
  const next = new Map(docs);
  for (const op of ops) {
    if ("put" in op) next.set(op.put, { key: op.put, version, value: op.value });
    else next.delete(op.del);
  }
  return next;
}

async function stepPage(random: Random, driver: StoreDriver, model: Model, part: string): Promise<void> {
  const coll = random.pick(COLLS);
  const options: PageOptions = {
    limit: 1 + random.int(5),
    ...(random.chance(0.4) ? { after: random.pick([...IDS, ...INDEX_IDS, "", "0", "x"]) } : {}),
    ...(random.chance(0.4) ? { prefix: random.pick(["", "c", "x@", "@", "~", "nothing"]) } : {}),
    ...(coll === "ix.c.new" && random.chance(0.7) ? { of: "c" } : {}),
  };
  expectEqual(await driver.page(part, coll, options), pageOf(model, part, coll, options));
}

/** The page as the contract defines it, computed from scratch. */
function pageOf(model: Model, part: string, coll: string, { after, prefix = "", limit, of }: PageOptions) {
  const root = `${part}:${coll}:`;
  const ids = [...model.docs.keys()]
    .filter((key) => key.startsWith(root))
    .map((key) => key.slice(root.length))
    .filter((id) => id.startsWith(prefix) && (after === undefined || after === "" || id > after))
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const shown = ids.slice(0, limit);
  const items = shown.flatMap((id) => {
    const key = of === undefined ? `${root}${id}` : `${part}:${of}:${id.split("~").at(-1)}`;
    return model.docs.get(key) ?? [];
  });
  return ids.length > limit ? { items, next: shown.at(-1) } : { items };
}

async function compareLists(driver: StoreDriver, model: Model): Promise<void> {
  const docs = [...model.docs.keys()].map((key) => key.split(":"));
  const parts = [...new Set(docs.map(([part]) => part))].toSorted(compareTexts);
  expectEqual(await driver.partitions(), parts);
  for (const part of PARTS) {
    const names = docs.filter(([own]) => own === part).map(([, coll]) => coll);
    const counts = [...new Set(names)]
      .toSorted(compareTexts)
      .map((coll) => ({ name: coll, count: names.filter((n) => n === coll).length }));
    expectEqual(await driver.collections(part), counts);
    expectEqual(await driver.usage(part), usageOf(model.docs, part));
    expect((await driver.recount?.(part, false)) ?? false).toBe(false);
    const own = [...model.docs.values()].filter(({ key }) => key.startsWith(`${part}:`));
    expectEqual(
      await snapshotOf(driver, part),
      own.toSorted((a, b) => compareTexts(a.key, b.key)),
    );
  }
}

/** A partition's snapshot as a whole, by key: the contract promises no order. */
export async function snapshotOf(driver: Pick<StoreDriver, "snapshot">, part: string): Promise<Doc[]> {
  const docs: Doc[] = [];
  for await (const doc of driver.snapshot(part)) docs.push(doc);
  return docs.sort((a, b) => compareTexts(a.key, b.key));
}

function randomKey(random: Random, part: string): Key {
  const coll = random.pick(COLLS);
  return `${part}:${coll}:${random.pick(coll === "ix.c.new" ? INDEX_IDS : IDS)}`;
}

function randomValue(random: Random): string {
  return JSON.stringify({
    n: random.int(1e6),
    text: random.pick(["", "plain", "ünï", "𝄞€", 'q"\\\n']),
    pad: "x".repeat(random.int(60)),
  });
}

const compareTexts = (a = "", b = ""): number => (a < b ? -1 : 1);
