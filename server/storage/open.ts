import type { Clock } from "../kernel/clock.ts";
import type { StoreDriver } from "./contract.ts";

/** Which store to open; Redis and S3 will be further members. */
export type StoreConfig =
  | { readonly driver: "fs"; readonly base: string; readonly salvage?: boolean }
  | { readonly driver: "memory" };

/** Opens the store that the configuration names. A driver's code is loaded only when it is chosen. */
export async function openStore(
  config: StoreConfig,
  { clock }: { readonly clock: Clock },
): Promise<StoreDriver> {
  switch (config.driver) {
    case "fs": {
      const { openFsDriver } = await import("./fs.ts");
      return openFsDriver({ base: config.base, clock, salvage: config.salvage ?? false });
    }
    case "memory": {
      const { createMemoryDriver } = await import("./memory.ts");
      return createMemoryDriver({ clock });
    }
  }
}
