import type { LoadedConfig } from "../../server/config/load.ts";
import type { StoreDriver } from "../../server/storage/contract.ts";
import type { StoreConfig } from "../../server/storage/describe.ts";
import type { Cli } from "../command/command.ts";
import { CliError, EXIT, usageError } from "../terminal/exit.ts";
import { storageError } from "../client/local.ts";
import { findTarget, runningServerOf } from "../client/target.ts";

/** A store to open directly, without the service. */
export interface StorePlace {
  readonly storage: StoreConfig;
  readonly limitsUrl: string | undefined;
  /** Where its files are; absent for a store given by its address. */
  readonly files?: LoadedConfig["config"]["files"];
}

/** The store of the configuration, for commands that must not run next to a server. */
export async function ownStore(cli: Cli, what: string): Promise<StorePlace> {
  const target = await ownTarget(cli, what);
  const running = runningServerOf(target);
  if (running !== null) {
    throw new CliError({
      type: "storage_in_use",
      title: "Storage in use",
      detail: `A running server (process ${running.pid}) uses this store and would not notice the change.`,
      exitCode: EXIT.refused,
      hint: "stop the server first",
    });
  }
  return storedPlace(target.loaded);
}

/** The same for a command that can run next to a server. */
export const ownPlace = async (cli: Cli, what: string): Promise<StorePlace> =>
  storedPlace((await ownTarget(cli, what)).loaded);

async function ownTarget(cli: Cli, what: string) {
  const target = await findTarget(cli);
  if (target.kind !== "remote") return target;
  throw usageError(`A store can be ${what} only on its own machine.`, "remove --url and --profile");
}

function storedPlace(loaded: Pick<LoadedConfig, "config">): StorePlace {
  const place = placeOf(loaded);
  if (place.storage.driver === "memory") throw usageError("The driver memory does not persist data.");
  return place;
}

export const placeOf = ({ config }: Pick<LoadedConfig, "config">): StorePlace => ({
  storage: config.storage,
  limitsUrl: config.limits.url,
  files: config.files,
});

/** Opens a store, works on it and closes it; errors of the store become failures of the command. */
export async function withStore<R>(
  cli: Cli,
  { storage, limitsUrl }: StorePlace,
  work: (store: StoreDriver) => Promise<R>,
): Promise<R> {
  const { openDriver } = await import("../../server/storage/open.ts");
  const worked = async (): Promise<R> => {
    const store = await openDriver(storage, { clock: cli.clock, limitsUrl });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  return withStoreErrors(worked());
}

/** Converts errors of the store to failures of the command. */
export async function withStoreErrors<R>(work: Promise<R>): Promise<R> {
  const { StoreError } = await import("../../server/storage/contract.ts");
  try {
    return await work;
  } catch (error) {
    throw error instanceof StoreError ? storageError(error.code, error.message) : error;
  }
}

/** Throws while other processes serve the store, as far as they are registered. */
export async function assertUnserved(cli: Pick<Cli, "clock">, store: StoreDriver): Promise<void> {
  const { liveNodes } = await import("../../server/storage/nodes.ts");
  const nodes = await liveNodes(store, cli.clock.now());
  if (nodes.length === 0) return;
  throw new CliError({
    type: "storage_in_use",
    title: "Storage in use",
    detail: `The store is used by ${nodes.map(({ host, pid }) => `${host} (process ${pid})`).join(", ")}.`,
    exitCode: EXIT.refused,
    hint: "stop these servers first",
  });
}

/** The store is not suitable for the command. */
export const refused = (detail: string, hint: string): CliError =>
  new CliError({
    type: "storage_refused",
    title: "Nothing was changed",
    detail,
    exitCode: EXIT.refused,
    hint,
  });

/** The copy differs from the source. */
export const copyDiffers = (rows: readonly { readonly part: string; readonly coll: string }[]): CliError =>
  new CliError({
    type: "copy_differs",
    title: "The copy differs",
    detail: `${rows.length} collections differ, the first is ${rows[0]?.part ?? ""} ${rows[0]?.coll ?? ""}. Do not serve it.`,
    exitCode: EXIT.findings,
    hint: "run the same command again",
  });
