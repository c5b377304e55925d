import { COMMIT_BYTES_MAX, COMMIT_OPS_MAX, StoreError } from "../contract.ts";
import type { Doc, StoreDriver } from "../contract.ts";
import { assertPart, parseLoad } from "../keys.ts";
import type { ParsedDoc } from "../keys.ts";
import type { Client } from "./client.ts";
import { toDoc } from "./doc.ts";
import { corrupt, toArray } from "./errors.ts";
import type { Names } from "./names.ts";
import { numberOf } from "./script.ts";
import { loadScript } from "./scripts/load.ts";
import { counted } from "./usage.ts";
import { beginScript, endScript, stepScript } from "./scripts/snapshot.ts";

/** How long a snapshot may pause between two documents. */
const LEASE_MS = 60_000;
const STEP_DOCS = 200;

/** Whole partitions, out of Redis and into it. `newMark` gives a name that no other reader has. */
export function createTransfer(
  client: Client,
  names: Names,
  newMark: () => string,
): Pick<StoreDriver, "snapshot" | "load"> {
  /**
   * Sets a mark at the last version; commits then keep aside what they replace of it, until the mark is removed. A reader
   * that pauses longer than its lease, or whose Redis was emptied, is refused rather than given a mixture.
   */
  async function* snapshot(part: string): AsyncGenerator<Doc, void, undefined> {
    assertPart(part);
    const { sequence, counts, marks, kept, docs, order } = names.part(part);
    const mark = newMark();
    try {
      const colls = toArray(await client.run(beginScript, [sequence, counts, marks], [mark, LEASE_MS]));
      for (const coll of colls.map(String).sort()) {
        let after: string | null = "";
        while (after !== null) {
          const keys = [marks, kept, docs(coll), order(coll)];
          const reply = await client.run(stepScript, keys, [mark, LEASE_MS, coll, after, STEP_DOCS]);
          if (reply === 0)
            throw new StoreError("UNAVAILABLE", `the snapshot of ${part} was paused for too long`);
          const [last, ...pairs] = toArray(reply);
          yield* toDocs(`${part}:${coll}`, pairs);
          after = last === "" ? null : String(last);
        }
      }
    } finally {
      // No caller waits for it: a mark that stays ends with its lease.
      await client.run(endScript, [marks, kept], [mark]).catch(() => {});
    }
  }

  return {
    snapshot,
    async load(part, docs) {
      const parsed = parseLoad(part, docs);
      if (parsed.length === 0) return;
      await client.ask((redis) => redis.sadd(names.partitions, part));
      for (const slice of toSlices(parsed)) await loadSlice(client, names, part, slice);
    },
  };
}

function* toDocs(root: `${string}:${string}`, pairs: readonly unknown[]): Generator<Doc> {
  for (let i = 0; i < pairs.length; i += 2) {
    const doc = toDoc(`${root}:${String(pairs[i])}`, pairs[i + 1]);
    if (doc === null) throw corrupt(root);
    yield doc;
  }
}

function loadSlice(client: Client, names: Names, part: string, docs: readonly ParsedDoc[]): Promise<unknown> {
  const own = names.part(part);
  const colls = numberOf(docs.map(({ at }) => at.coll));
  const keys = [own.sequence, own.counts, own.usage, own.revisions];
  for (const coll of colls.keys()) keys.push(own.docs(coll), own.order(coll));
  const entries = docs.flatMap(({ at, version, value }) => [
    String(colls.get(at.coll)),
    at.id,
    String(version),
    value,
  ]);
  const named = [String(part.length), String(colls.size), ...counted(colls.keys())];
  return client.run(loadScript, keys, [...named, ...entries]);
}

/** Slices as large as a commit may be, so that no call keeps Redis from its other callers for longer. */
function toSlices(docs: readonly ParsedDoc[]): ParsedDoc[][] {
  const slices: ParsedDoc[][] = [];
  let bytes = COMMIT_BYTES_MAX;
  for (const doc of docs) {
    const last = slices.at(-1);
    if (last === undefined || last.length === COMMIT_OPS_MAX || bytes + doc.bytes > COMMIT_BYTES_MAX) {
      slices.push([doc]);
      bytes = doc.bytes;
    } else {
      last.push(doc);
      bytes += doc.bytes;
    }
  }
  return slices;
}
