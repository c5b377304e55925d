/** Partition of everything that is not a store's own data. */
export const PLATFORM_PART = "platform";

/** Partition of a store's documents; test keys have their own. */
export const storePartition = (storeId: string, mode: "live" | "test"): string =>
  mode === "test" ? `${storeId.toLowerCase()}_test` : storeId.toLowerCase();
