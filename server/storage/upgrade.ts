import { conflict } from "../lib/errors.ts";
import type { Op, StoreDriver } from "./contract.ts";
import { eachDoc } from "./walk.ts";

/** What a collection knows of its documents' texts. */
interface Lifting {
  isNewer(text: string): boolean;
  lift(text: string): string | null;
  entriesOf(text: string): [coll: string, id: string][];
}

export interface Upgraded {
  readonly documents: number;
  /** Documents of an older version that were rewritten, or with `dryRun` would be. */
  readonly lifted: number;
}

/**
 * Rewrites every document of an older schema version in the present form, while servers go on serving: one commit
 * a document, on the version that was read. A document that changed meanwhile was rewritten by that change. What is broken off
 * goes on where it is called again: what is of the present version is left alone. With `dryRun` it counts and writes nothing.
 * Throws 409 for a document that a newer version of the platform wrote.
 */
export async function upgradeStore(
  store: Pick<StoreDriver, "page" | "partitions" | "collections" | "commit">,
  liftingOf: (coll: string) => Lifting | null,
  { dryRun = false }: { readonly dryRun?: boolean } = {},
): Promise<Upgraded> {
  let documents = 0;
  let lifted = 0;
  for (const part of await store.partitions()) {
    for (const { name } of await store.collections(part)) {
      const lifting = liftingOf(name);
      if (lifting === null) continue;
      for await (const doc of eachDoc(store, part, { coll: name })) {
        documents += 1;
        if (lifting.isNewer(doc.value)) throw writtenByNewer(doc.key);
        const value = lifting.lift(doc.value);
        if (value === null) continue;
        if (dryRun) {
          lifted += 1;
          continue;
        }
        const entries = lifting
          .entriesOf(value)
          .map(([coll, id]): Op => ({ put: `${part}:${coll}:${id}`, value: "1" }));
        const ops: Op[] = [{ put: doc.key, value }, ...entries];
        const done = await store.commit(part, ops, [{ key: doc.key, version: doc.version }]);
        if (done.ok) lifted += 1;
      }
    }
  }
  return { documents, lifted };
}

const writtenByNewer = (key: string): Error =>
  conflict(
    "newer_version",
    `${key} was written by a newer version of the platform. Migrate with that version or a newer one.`,
  );
