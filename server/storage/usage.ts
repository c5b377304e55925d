import { HELD_SUFFIX } from "./contract.ts";
import type { Quota, Usage } from "./contract.ts";

/**
 * How a collection counts: what the platform stores for its own work (replies for repeated requests, outgoing mail and events, logs)
 * has a total of its own, so that it never takes a shop's room. Index entries count with what they lead to, but are no documents.
 */
export type CountedAs = "document" | "held" | "index" | "system" | "system_index";

/** What an index entry counts, whatever its id: about what it takes in memory, which is more than on disk. */
export const INDEX_ENTRY_BYTES = 256;

/** Bytes of the file that a document of such a collection represents. */
const heldBytes = (id: string): number => Number(/\.(\d{1,15})$/.exec(id)?.[1] ?? 0);

/** First part of the names of collections that the platform needs for its own work. */
const SYSTEM = new Set(["core", "http", "jobs", "kernel", "privacy", "webhooks"]);

export function countedAs(coll: string): CountedAs {
  const [first = "", second = ""] = coll.split(".", 2);
  if (first === "ix") return SYSTEM.has(second) ? "system_index" : "index";
  if (SYSTEM.has(first)) return "system";
  return coll.endsWith(HELD_SUFFIX) ? "held" : "document";
}

/** A usage that is added up. */
export type Tally = { -readonly [K in keyof Usage]: Usage[K] };

export const newTally = (usage?: Usage): Tally => ({
  documents: usage?.documents ?? 0,
  bytes: usage?.bytes ?? 0,
  systemBytes: usage?.systemBytes ?? 0,
});

/** Counts a document, whose key and value had and have so many bytes; 0 for none. */
export function tally(
  total: Tally,
  { coll, id }: { readonly coll: string; readonly id: string },
  before: number,
  after: number,
): void {
  const as = countedAs(coll);
  const documents = Math.sign(after) - Math.sign(before);
  if (as === "index") total.bytes += documents * INDEX_ENTRY_BYTES;
  else if (as === "system_index") total.systemBytes += documents * INDEX_ENTRY_BYTES;
  else if (as === "system") total.systemBytes += after - before;
  else {
    total.bytes += after - before + (as === "held" ? documents * heldBytes(id) : 0);
    total.documents += documents;
  }
}

/** Whether a commit that leads from one usage to the other adds to what is beyond the quota then. */
export function exceeds(before: Usage, after: Usage, quota: Quota | undefined): boolean {
  if (quota === undefined) return false;
  const grows = (name: keyof Usage): boolean => after[name] > before[name] && after[name] > quota[name];
  return grows("documents") || grows("bytes") || grows("systemBytes");
}
