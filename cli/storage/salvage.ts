import type { Cli } from "../command/command.ts";
import { CliError, EXIT, usageError } from "../terminal/exit.ts";
import type { JsonObject } from "../terminal/json.ts";
import { assertStore, storageError } from "../client/local.ts";
import { findTarget, runningServerOf } from "../client/target.ts";

/**
 * Opens a damaged store, keeps the readable part and lists the rest. Does not use the service, which refuses to open a damaged
 * store.
 */
export async function salvageStorage(cli: Cli): Promise<number> {
  const target = await findTarget(cli);
  if (target.kind === "remote")
    throw usageError("A store can be salvaged only on its own machine.", "remove --url and --profile");
  const { storage } = target.loaded.config;
  if (storage.driver !== "fs") throw usageError(`The driver ${storage.driver} has no log to salvage.`);
  if (runningServerOf(target) !== null) {
    throw new CliError({
      type: "storage_locked",
      title: "Storage in use",
      detail: "A server has this store open, so it is not damaged.",
      exitCode: EXIT.refused,
      hint: "platform storage verify",
    });
  }
  await assertStore(cli.cwd, target.loaded);
  await cli.ask.confirm(`Keep the readable part of ${storage.base} and move the rest to separate files?`);
  const losses = await openAndClose(cli, storage.base);
  await cli.out.list(losses, [
    ["FILE", "file"],
    ["OFFSET", "offset"],
    ["BYTES", "bytes"],
    ["KEY", "key"],
  ]);
  cli.out.info(losses.length === 0 ? "Nothing was lost." : `${losses.length} sections could not be read.`);
  return losses.length === 0 ? EXIT.ok : EXIT.findings;
}

async function openAndClose(cli: Cli, base: string): Promise<JsonObject[]> {
  const [{ openFsDriver }, { StoreError }] = await Promise.all([
    import("../../server/storage/fs.ts"),
    import("../../server/storage/contract.ts"),
  ]);
  try {
    const store = await openFsDriver({ base, clock: cli.clock, salvage: true });
    const losses = store.losses.map((loss) => ({ ...loss }));
    await store.close();
    return losses;
  } catch (error) {
    if (error instanceof StoreError) throw storageError(error.code, error.message);
    throw error;
  }
}
