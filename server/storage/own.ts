/**
 * Partition of what a store keeps about itself: who serves it, whether it is frozen or being filled. It is in no backup and
 * travels in no migration, and no job runs for it. Stores of customers have names that begin with `sto_`.
 */
export const OWN_PART = "storage";

/** Collection of the partition `storage` with one document a state: `freeze`, `transfer`. */
export const STATE_COLL = "state";

/** Collection of the partition `storage` with one document a process that serves. */
export const NODES_COLL = "nodes";
