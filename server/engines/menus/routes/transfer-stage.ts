import type { Collection } from "../../../core/collection.ts";
import { indexChanges } from "../../../core/collection.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { refuse } from "../formats/check-draft.ts";
import type { Path } from "../formats/losses.ts";
import { canonicalText } from "../rules/canonical.ts";

/**
 * Operations of one commit available for an import: the rest of its 200 operations and 1 MB is reserved for markers.
 */
const OPS_MAX = 180;
const BYTES_MAX = 700_000;

export type Outcome = "created" | "updated" | "unchanged" | "deferred";

interface Resource {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Remaining operations and bytes of a commit, over all collections. */
export interface Budget {
  readonly take: (ops: number, bytes: number) => boolean;
}

export function createBudget(): Budget {
  let ops = 0;
  let bytes = 0;
  return {
    take(moreOps, moreBytes) {
      if (ops + moreOps > OPS_MAX || bytes + moreBytes > BYTES_MAX) return false;
      ops += moreOps;
      bytes += moreBytes;
      return true;
    },
  };
}

/** Documents of a collection after the import, before anything is written: a dry run never writes. */
export interface Stager<T> {
  /** The current document including staged changes; null without one. */
  readonly read: (id: string) => Promise<T | null>;
  /** Stages the next value; `deferred` if it does not fit into the commit, and then nothing is staged. */
  readonly stage: (id: string, next: Omit<T, "created_at" | "updated_at">, path: Path) => Promise<Outcome>;
  readonly write: (tx: Tx) => void;
  readonly created: () => number;
  /** True if nothing is staged. */
  readonly isEmpty: () => boolean;
}

export function createStager<T extends Resource>(
  collection: Collection<T>,
  { tx, nowAt, budget }: { readonly tx: Tx; readonly nowAt: string; readonly budget: Budget },
): Stager<T> {
  const before = new Map<string, Stored<T> | null>();
  const staged = new Map<string, T>();
  const load = async (id: string): Promise<Stored<T> | null> => {
    if (!before.has(id)) before.set(id, await tx.get(collection, id));
    return before.get(id) ?? null;
  };
  return {
    async read(id) {
      return staged.get(id) ?? (await load(id))?.value ?? null;
    },
    async stage(id, next, path) {
      const stored = await load(id);
      const times = { created_at: stored?.value.created_at ?? nowAt, updated_at: nowAt };
      const value = parse(collection, { ...next, ...times }, path);
      const isSame =
        stored !== null &&
        canonicalText({ ...value, updated_at: stored.value.updated_at }) === canonicalText(stored.value);
      if (isSame && !staged.has(id)) return "unchanged";
      const already = staged.get(id);
      const ops =
        opsOf(collection, stored, value) - (already === undefined ? 0 : opsOf(collection, stored, already));
      const bytes = sizeOf(value) - (already === undefined ? 0 : sizeOf(already));
      if (!budget.take(ops, bytes)) return "deferred";
      staged.set(id, value);
      return stored === null ? "created" : "updated";
    },
    write(target) {
      for (const [id, value] of staged) {
        target.save(collection, before.get(id) ?? null, value);
      }
    },
    isEmpty: () => staged.size === 0,
    created: () => [...staged.keys()].filter((id) => before.get(id) === null).length,
  };
}

/** The document and its added or removed index entries. */
function opsOf<T extends Resource>(collection: Collection<T>, stored: Stored<T> | null, value: T): number {
  const { gone, added } = indexChanges(collection, stored?.value ?? null, value);
  return 1 + gone.length + added.length;
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** 422 at the path in the document for an invalid resource. */
function parse<T>(collection: Collection<T>, value: unknown, path: Path): T {
  const result = collection.schema.safeParse(value);
  if (result.success) return result.data;
  throw refuse(
    result.error.issues.map((issue) => ({
      path,
      detail: `${issue.path.join(".")} is invalid: ${issue.message}`,
    })),
  );
}
