import { randomBytes } from "node:crypto";

import { StoreError } from "../contract.ts";
import type { StoreDriver } from "../contract.ts";
import type { Client } from "./client.ts";
import type { Names } from "./names.ts";

/** What a script compares before it does anything: the name of the identity is its last key. */
export interface Same {
  readonly keys: readonly string[];
  /** The id, or "" where scripts cannot compare: on Redis Cluster the identity is in another slot. */
  readonly id: string;
}

export const NOT_COMPARED: Same = { keys: [], id: "" };

/** Gives a new store its identity and returns what scripts compare. */
export async function openIdentity(client: Client, { identity }: Names): Promise<Same> {
  await client.ask((redis) => redis.setnx(identity, randomBytes(12).toString("hex")));
  const id = (await client.ask((redis) => redis.get(identity))) ?? "";
  return client.isCluster ? NOT_COMPARED : { keys: [identity], id };
}

/** Throws StoreError REPLACED when this is not the store that was opened: emptied, or another server in its place. */
export async function demandSame(client: Client, { keys: [identity], id }: Same): Promise<void> {
  if (identity === undefined) return;
  if ((await client.ask((redis) => redis.get(identity))) === id) return;
  throw new StoreError("REPLACED", `Redis at ${client.at} holds another store than it did`);
}

export function createIdentity(
  client: Client,
  { identity, adopted }: Names,
): Pick<StoreDriver, "identity" | "adopt"> {
  return {
    async identity() {
      const [id, flag] = await Promise.all([
        client.ask((redis) => redis.get(identity)),
        client.ask((redis) => redis.get(adopted)),
      ]);
      return { id, adopted: id !== null && flag === id };
    },
    async adopt() {
      const id = await client.ask((redis) => redis.get(identity));
      if (id !== null) await client.ask((redis) => redis.set(adopted, id));
    },
  };
}
