import type { Deps, PlatformConfig } from "./deps.ts";
import type { Clock } from "./kernel/clock.ts";
import { createCursorCodec } from "./kernel/cursor.ts";
import { createNewId } from "./kernel/ids.ts";
import type { Random } from "./kernel/ids.ts";
import type { Log } from "./kernel/log.ts";
import { createRunTx } from "./kernel/tx.ts";
import { createAccounts } from "./platform/accounts.ts";
import { findOrMakeSecret } from "./platform/secret.ts";
import type { StoreDriver } from "./storage/contract.ts";

/** The dependencies of the app plus the end of their life. */
export interface Services extends Deps {
  close(): Promise<void>;
}

/** Builds what the app stands on over an open store. Starts no timer and no listener: `serve` does. */
export async function createServices(base: {
  config: PlatformConfig;
  store: StoreDriver;
  clock: Clock;
  random: Random;
  log: Log;
  /** Operator tokens of this process (run file, in-process CLI, configuration). */
  adminTokens: readonly string[];
}): Promise<Services> {
  const { store, config, clock, random } = base;
  const secret = await findOrMakeSecret(store, random);
  const cursors = createCursorCodec(secret);
  return {
    ...base,
    newId: createNewId(clock, random),
    secret,
    cursors,
    runTx: createRunTx({ store, cursors }),
    accounts: createAccounts({ store, config, adminTokens: base.adminTokens }),
    observe: () => undefined,
    close: () => store.close(),
  };
}
