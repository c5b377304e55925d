import type { Cli, Input } from "../command/command.ts";
import { text } from "../command/globals.ts";
import { parseTarget } from "./migrate-target.ts";
import { findTarget, runningServerOf } from "../client/target.ts";
import { usageError } from "../terminal/exit.ts";
import { placeOf, withStoreErrors, withStore } from "./store-target.ts";
import type { StorePlace } from "./store-target.ts";

/**
 * Creates what the driver of the configuration or of `--to` needs: a private folder, a bucket, the format document. Then
 * writes, reads and removes a document. Repeating it changes nothing.
 */
export async function provisionStorage(cli: Cli, { options }: Input): Promise<void> {
  const to = text(options, "to");
  if (to !== undefined) return provision(cli, await parseTarget(cli, to));
  const target = await findTarget(cli);
  if (target.kind === "remote")
    throw usageError("A store can be provisioned only where its servers run.", "remove --url and --profile");
  const place = placeOf(target.loaded);
  if (place.storage.driver !== "fs" || runningServerOf(target) === null) return provision(cli, place);
  const { describeStore } = await import("../../server/storage/describe.ts");
  cli.out.info("A server is using the store; nothing to create.");
  await cli.out.value({ driver: "fs", location: describeStore(place.storage), made: [], works: true });
}

async function provision(cli: Cli, place: StorePlace): Promise<void> {
  const [{ describeStore }, { provisionStore, tryStore }] = await Promise.all([
    import("../../server/storage/describe.ts"),
    import("../../server/storage/provision.ts"),
  ]);
  const { driver } = place.storage;
  const location = describeStore(place.storage);
  const made = await withStoreErrors(provisionStore(place.storage));
  for (const what of made) cli.out.info(`Created: ${what}.`);
  await withStore(cli, place, (store) => tryStore(store, `probe-${process.pid}-${cli.clock.now()}`));
  await cli.out.value({ driver, location, made, works: true });
  cli.out.info("Tested: a document was written, read, protected from a concurrent write, and removed.");
}
