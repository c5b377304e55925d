import type { Cli } from "../command/command.ts";
import { assertStore } from "../client/local.ts";
import { findTarget } from "../client/target.ts";
import { withStore, ownPlace } from "./store-target.ts";

/**
 * Accepts the store at the configured address instead of the one served there before. Opens it next to a running server, which
 * refuses to use it until then.
 */
export async function adoptStorage(cli: Cli): Promise<void> {
  const place = await ownPlace(cli, "adopted");
  const target = await findTarget(cli);
  // An emptied Redis or bucket can be adopted; a folder without a store is more likely the wrong folder.
  if (place.storage.driver === "fs" && target.kind === "here") await assertStore(cli.cwd, target.loaded);
  await withStore(cli, place, async (store) => {
    const { id, adopted } = await store.identity();
    if (!adopted) {
      const { countKept } = await import("../../server/storage/transfer.ts");
      const { documents } = await countKept(store);
      await cli.ask.confirm(
        `The store contains ${documents} documents. Serve it instead of the previous one?`,
      );
      await store.adopt();
    }
    await cli.out.value({ id, adopted: true });
    cli.out.info("Running servers use it within seconds; servers that refused to start can be started.");
  });
}
