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
}

/** The store of this folder's configuration, for a command that nobody may serve beside. */
export async function ownStore(cli: Cli, what: string): Promise<StorePlace> {
  const target = await ownTarget(cli, what);
  const running = runningServerOf(target);
  if (running !== null) {
    throw new CliError({
      type: "storage_in_use",
      title: "Storage in use",
      detail: `A server serves it (process ${running.pid}), and would not notice what is changed beneath it.`,
      exitCode: EXIT.refused,
      hint: "stop the server first",
    });
  }
  return storedPlace(target.loaded);
}

/** The same for a command that opens the store while its server runs. */
export const ownPlace = async (cli: Cli, what: string): Promise<StorePlace> =>
  storedPlace((await ownTarget(cli, what)).loaded);

async function ownTarget(cli: Cli, what: string) {
  const target = await findTarget(cli);
  if (target.kind !== "remote") return target;
  throw usageError(`A store is ${what} on its own machine.`, "without --url and --profile");
}

function storedPlace(loaded: Pick<LoadedConfig, "config">): StorePlace {
  const place = placeOf(loaded);
  if (place.storage.driver === "memory") throw usageError("The driver memory keeps nothing.");
  return place;
}

export const placeOf = ({ config }: Pick<LoadedConfig, "config">): StorePlace => ({
  storage: config.storage,
  limitsUrl: config.limits.url,
});

/** Opens a store, works on it and closes it; what the store says goes to the person at the terminal. */
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
  return toldToPerson(worked());
}

/** Makes what a store says a failure of the command. */
export async function toldToPerson<R>(work: Promise<R>): Promise<R> {
  const { StoreError } = await import("../../server/storage/contract.ts");
  try {
    return await work;
  } catch (error) {
    throw error instanceof StoreError ? storageError(error.code, error.message) : error;
  }
}

/** Refuses while other processes serve the store. Those that never say so cannot be seen. */
export async function assertUnserved(cli: Pick<Cli, "clock">, store: StoreDriver): Promise<void> {
  const { liveNodes } = await import("../../server/storage/nodes.ts");
  const nodes = await liveNodes(store, cli.clock.now());
  if (nodes.length === 0) return;
  throw new CliError({
    type: "storage_in_use",
    title: "Storage in use",
    detail: `It is served by ${nodes.map(({ host, pid }) => `${host} (process ${pid})`).join(", ")}.`,
    exitCode: EXIT.refused,
    hint: "stop these servers first",
  });
}

/** The store is not what this command needs. */
export const refused = (detail: string, hint: string): CliError =>
  new CliError({
    type: "storage_refused",
    title: "Nothing was changed",
    detail,
    exitCode: EXIT.refused,
    hint,
  });

/** The copy is there and is not the same. */
export const notTheSame = (rows: readonly { readonly part: string; readonly coll: string }[]): CliError =>
  new CliError({
    type: "copy_differs",
    title: "The copy is not the same",
    detail: `${rows.length} collections differ, the first is ${rows[0]?.part ?? ""} ${rows[0]?.coll ?? ""}. It cannot be served.`,
    exitCode: EXIT.findings,
    hint: "run the same command again",
  });
