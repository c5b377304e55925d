import type { Driver } from "unstorage";

import type { Clock } from "../core/clock.ts";
import type { Random } from "../core/ids.ts";
import type { StoreDriver } from "./contract.ts";
import { loadDriver } from "./bridge/load.ts";
import { createBridgeObjects } from "./bridge/objects.ts";
import { probeDriver } from "./bridge/probe.ts";
import { openObjectStore } from "./s3.ts";
import { createTexts, toName } from "./bridge/texts.ts";
import { FORMAT_KEY, startServer } from "./s3/start.ts";

export interface BridgeOptions {
  /** Name of a driver of unstorage (`mongodb`, `azure-storage-blob`), of a package that exports one, or a driver. */
  readonly use: string | Driver;
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * A store over any driver of unstorage, for one process: it has no conditional writes, so two processes would overwrite each
 * other. Throws StoreError INVALID for a driver that is not installed or does not keep what it is given.
 */
export async function openBridgeDriver({
  use,
  options = {},
  clock,
  random,
}: BridgeOptions): Promise<StoreDriver> {
  const driver = typeof use === "string" ? await loadDriver(use, options) : use;
  const close = async (): Promise<void> => {
    await driver.dispose?.();
  };
  try {
    await probeDriver(driver, `probe/${Buffer.from(random.bytes(12)).toString("hex")}`);
    const objects = await createBridgeObjects(driver, clock);
    await startServer(objects, random, () => undefined);
    return openObjectStore({ objects, close, stats: () => ({}) }, { name: "unstorage", clock, random });
  } catch (error) {
    await close();
    throw error;
  }
}

/** Whether there is a store, without creating one. */
export async function bridgeHoldsStore({
  use,
  options = {},
}: Pick<BridgeOptions, "use" | "options">): Promise<boolean> {
  const driver = typeof use === "string" ? await loadDriver(use, options) : use;
  try {
    return (await createTexts(driver).get(toName(FORMAT_KEY))) !== null;
  } finally {
    // One that the configuration made is opened next.
    if (typeof use === "string") await driver.dispose?.();
  }
}
