import { StoreError } from "../contract.ts";

/** Keys of one partition. They share the hash tag `{part}`, so that Redis Cluster stores them in one slot. */
export interface PartNames {
  /** Version of the last commit. */
  readonly sequence: string;
  /** Hash: collection → number of its documents. */
  readonly counts: string;
  /** Hash: `version`, that of the commit that left this usage, and its numbers. Without that version it counts for nothing. */
  readonly usage: string;
  /** Hash: collection → a text that is another one after every change of its documents. */
  readonly revisions: string;
  /** Hash: id of a snapshot being read → the version it shows. */
  readonly marks: string;
  /** Sorted set of old values that a snapshot still has to read, `coll:id until version\nJSON`. */
  readonly kept: string;
  /** Hash: id → `version\nJSON`. */
  readonly docs: (coll: string) => string;
  /** Sorted set of the ids, all with score 0: Redis then keeps them in the order of their bytes. */
  readonly order: (coll: string) => string;
}

/** Every name this driver uses in Redis. */
export interface Names {
  /** Version of this layout. */
  readonly format: string;
  /** Random id of this store. */
  readonly identity: string;
  /** Says that an operator accepts this store in the place of another one. */
  readonly adopted: string;
  /** Set of partitions; one that holds nothing may be in it, none that holds something is missing. */
  readonly partitions: string;
  /** In the slot of the partition `platform`. */
  readonly probe: string;
  /** A channel: those of several databases of one Redis share their names, so a caller adds the id of its store. */
  readonly channel: (name: string) => string;
  /** A counter is a key with a tag of its own: on Redis Cluster the counters spread over the nodes. */
  readonly counter: (name: string) => string;
  readonly part: (part: string) => PartNames;
}

const DEFAULT_PREFIX = "platform:";

/** Names that begin with `prefix`; throws StoreError INVALID when it would disturb the hash tags. */
export function createNames(prefix: string = DEFAULT_PREFIX): Names {
  if (!/^[A-Za-z0-9:._-]{0,64}$/.test(prefix)) {
    throw new StoreError(
      "INVALID",
      `invalid Redis prefix ${prefix}: only letters, digits and :._- are allowed`,
    );
  }
  return {
    format: `${prefix}format`,
    identity: `${prefix}identity`,
    adopted: `${prefix}adopted`,
    partitions: `${prefix}partitions`,
    probe: `${prefix}{platform}:probe`,
    channel: (name) => `${prefix}live:${name}`,
    counter: (name) => `${prefix}limit:{${name}}`,
    part(part) {
      const root = `${prefix}{${part}}`;
      return {
        sequence: `${root}:seq`,
        counts: `${root}:counts`,
        usage: `${root}:usage`,
        revisions: `${root}:revs`,
        marks: `${root}:marks`,
        kept: `${root}:kept`,
        docs: (coll) => `${root}:d:${coll}`,
        order: (coll) => `${root}:i:${coll}`,
      };
    },
  };
}
