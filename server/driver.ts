/**
 * What a storage driver of another package is made of, exported as `storefront-platform/driver`. The contract is `StoreDriver`;
 * `driverConformance` of `storefront-platform/testing` holds a driver to it. It follows semantic versioning.
 */
export {
  COMMIT_BYTES_MAX,
  COMMIT_CHECKS_MAX,
  COMMIT_OPS_MAX,
  DOC_BYTES_MAX,
  PAGE_LIMIT_MAX,
} from "./storage/contract.ts";
export { StoreError } from "./storage/contract.ts";
export type {
  Check,
  CommitResult,
  Doc,
  Key,
  Misplaced,
  Op,
  Page,
  PageOptions,
  Quota,
  RateResult,
  Relay,
  StoreDriver,
  StoreErrorCode,
  StoreIdentity,
  Usage,
  Version,
} from "./storage/contract.ts";
export { createCounters, toLimits } from "./storage/counters.ts";
export { assertKey, assertPage, assertPart, parseCommit, parseLoad, splitKey } from "./storage/keys.ts";
export { openDriver } from "./storage/open.ts";
export { toUnstorage } from "./storage/unstorage.ts";
export { exceeds, newTally, tally } from "./storage/usage.ts";
