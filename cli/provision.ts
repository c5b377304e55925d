import type { Cli } from "./command.ts";
import { findTarget, runningServerOf } from "./target.ts";
import { usageError } from "./exit.ts";
import { placeOf, toldToPerson, withStore } from "./store-target.ts";

/**
 * Makes what the configured driver needs, where it may: a private folder, a bucket, the mark of the format. Then writes,
 * reads and removes a document. Doing it again changes nothing.
 */
export async function provisionStorage(cli: Cli): Promise<void> {
  const target = await findTarget(cli);
  if (target.kind === "remote")
    throw usageError("A store is provisioned where its servers run.", "without --url and --profile");
  const place = placeOf(target.loaded);
  const [{ describeStore }, { provisionStore, tryStore }] = await Promise.all([
    import("../server/storage/describe.ts"),
    import("../server/storage/provision.ts"),
  ]);
  const { driver } = place.storage;
  const location = describeStore(place.storage);
  if (driver === "fs" && runningServerOf(target) !== null) {
    cli.out.talk("A server has it open, so everything is there.");
    return cli.out.value({ driver, location, made: [], works: true });
  }
  const made = await toldToPerson(provisionStore(place.storage));
  for (const what of made) cli.out.talk(`Made: ${what}.`);
  await withStore(cli, place, (store) => tryStore(store, `probe-${process.pid}-${cli.clock.now()}`));
  await cli.out.value({ driver, location, made, works: true });
  cli.out.talk("A document was written, read, protected from a second writer, and removed.");
}
