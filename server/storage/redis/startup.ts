import type { Redis } from "ioredis";

import { StoreError } from "../contract.ts";
import type { Client } from "./client.ts";
import type { Names } from "./names.ts";

/** Layout of names.ts. A newer one is refused. */
export const FORMAT = 1;

/**
 * Refuses a server that would lose what it acknowledged: one that throws keys away when its memory is full, or, where documents
 * are stored, one without an append-only file. Asks every primary. Throws StoreError INVALID with the setting and its fix.
 */
export async function demandPersistence(client: Client, demand: "noeviction" | "appendonly"): Promise<void> {
  const found = await client.askAll(readPersistence);
  if (demand === "appendonly" && found.some(({ appendonly }) => appendonly !== "yes")) {
    throw unfit(client, "has no append-only file", "CONFIG SET appendonly yes");
  }
  if (found.some(({ policy }) => policy !== "noeviction")) {
    throw unfit(client, "can evict keys when its memory is full", "CONFIG SET maxmemory-policy noeviction");
  }
}

/** Writes the format of this layout where there is none; throws StoreError INVALID for another one. */
export async function demandFormat(client: Client, { format }: Names): Promise<void> {
  await client.ask((redis) => redis.setnx(format, FORMAT));
  const found = await client.ask((redis) => redis.get(format));
  if (found === String(FORMAT)) return;
  const isNewer = Number(found) > FORMAT;
  const remedy = isNewer
    ? "Use the version of the platform that wrote it, or a newer one."
    : "Use another prefix.";
  throw new StoreError(
    "INVALID",
    `Redis at ${client.at} contains format ${found}, expected ${FORMAT}. ${remedy}`,
  );
}

interface Persistence {
  readonly appendonly: string | undefined;
  readonly policy: string | undefined;
}

/** CONFIG is forbidden on many hosted servers; INFO reports the same. */
async function readPersistence(redis: Redis): Promise<Persistence> {
  try {
    return {
      appendonly: await readConfig(redis, "appendonly"),
      policy: await readConfig(redis, "maxmemory-policy"),
    };
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "ReplyError") throw error;
    const info = await redis.info();
    return {
      appendonly: /^aof_enabled:1\r?$/m.test(info) ? "yes" : "no",
      policy: /^maxmemory_policy:(\S+)/m.exec(info)?.[1],
    };
  }
}

/**
 * Whether a server syncs its log before it answers. With the usual `everysec` a power loss takes the last second or two, and
 * so may a killed process while the disk is busy: Redis then answers before it writes. False where CONFIG is forbidden.
 */
export async function syncsAlways(redis: Redis): Promise<boolean> {
  const policy = await readConfig(redis, "appendfsync").catch(() => undefined);
  return policy === "always";
}

async function readConfig(redis: Redis, name: string): Promise<string | undefined> {
  const found: unknown = await redis.config("GET", name);
  return Array.isArray(found) ? String(found[1]) : undefined;
}

function unfit({ at }: Client, what: string, remedy: string): StoreError {
  return new StoreError(
    "INVALID",
    `Redis at ${at} ${what}. Run \`${remedy}\` and \`CONFIG REWRITE\` (or change redis.conf); ` +
      "set `allowVolatile: true` to accept that acknowledged data can be lost.",
  );
}
