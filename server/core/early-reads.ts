import type { Check, Doc, Key, StoreDriver } from "../storage/contract.ts";

/** Reads of documents that are committed and not durable yet. */
export interface EarlyReads {
  readonly look: (key: Key) => Doc | null | undefined;
  /** From then on only what is durable is read. */
  readonly end: () => void;
  /** True when something was read that was not durable then. */
  readonly isUsed: () => boolean;
  /** Waits until that is durable; null when it is, else the key of a document that did not become so. */
  readonly settle: () => Promise<Key | null>;
}

export function createEarlyReads(
  store: Pick<StoreDriver, "commit">,
  part: string,
  ahead: StoreDriver["ahead"],
): EarlyReads {
  let read = ahead;
  let seen: Map<Key, Check> | null = null;
  return {
    look(key) {
      const doc = read?.(key);
      if (doc !== undefined) (seen ??= new Map()).set(key, { key, version: doc?.version ?? 0 });
      return doc;
    },
    end: () => (read = undefined),
    isUsed: () => seen !== null,
    async settle() {
      const result = await store.commit(part, [], [...(seen?.values() ?? [])]);
      return result.ok ? null : result.conflict;
    },
  };
}
