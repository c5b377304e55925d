import { createHash } from "node:crypto";

import type { Random } from "../core/ids.ts";
import type { Key, StoreDriver } from "../storage/contract.ts";

const SECRET_KEY: Key = "platform:platform.meta:secret";
const SECRET_BYTES = 32;

/**
 * The server secret behind derived ids and cursors: made once per store and kept in it,
 * so that every node and every restart has the same one without configuration.
 */
export async function findOrMakeSecret(store: StoreDriver, random: Random): Promise<Uint8Array> {
  const found = await store.get(SECRET_KEY);
  if (found !== null) return decode(found.value);
  const value = JSON.stringify({ secret: Buffer.from(random.bytes(SECRET_BYTES)).toString("base64") });
  await store.commit("platform", [{ put: SECRET_KEY, value }], [{ key: SECRET_KEY, version: 0 }]);
  // Another node may have been first: what counts is what is stored.
  const kept = await store.get(SECRET_KEY);
  return decode(kept?.value ?? value);
}

/** A name for the store that holds this secret: its copies have the same, no other store has. */
export const storeIdOf = (secret: Uint8Array): string =>
  createHash("sha256").update("store id").update(secret).digest("hex").slice(0, 16);

const decode = (value: string): Uint8Array => new Uint8Array(Buffer.from(JSON.parse(value).secret, "base64"));
