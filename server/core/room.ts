import { z } from "zod";

import { conflict } from "../lib/errors.ts";
import { defineCollection } from "./collection.ts";
import type { Collection } from "./collection.ts";
import { sha256Hex } from "./ids.ts";
import type { Tx } from "./tx.ts";

/** One document per scope, rewritten by every transaction that adds to the scope. */
const turns = defineCollection({
  name: "core.turns",
  unlisted: true,
  schema: z.strictObject({ id: z.string(), turn: z.int().positive() }),
});

/**
 * Runs this transaction one after the other with every transaction of the same scope: of two that overlap, one commits
 * and the other runs again. Pages that are read after this call are therefore as good as checked, as far as all
 * writers of what they list take turns as well. `scope` is at most 128 characters of `[A-Za-z0-9_.-]`.
 */
export async function takeTurn(tx: Tx, scope: string): Promise<void> {
  const before = await tx.get(turns, scope);
  tx.save(turns, before, { id: scope, turn: (before?.value.turn ?? 0) + 1 });
}

const SHARED_TURNS = 32;
const sharedTurn = (scope: string, n: number): string => `${scope}.shared_${n}`;

/**
 * For what adds to a scope often and hardly waits for others that do, while what decides that the scope is empty, such as a
 * deletion, calls `awaitTurns`. `key` is the id of what is added.
 */
export const takeSharedTurn = (tx: Tx, scope: string, key: string): Promise<void> =>
  takeTurn(tx, sharedTurn(scope, Number.parseInt(sha256Hex(key).slice(0, 8), 16) % SHARED_TURNS));

/** Runs this transaction again when one that took a turn of the scope, shared or not, commits first: call it before you look. */
export async function awaitTurns(tx: Tx, scope: string): Promise<void> {
  await tx.getAll(turns, [scope, ...Array.from({ length: SHARED_TURNS }, (_, n) => sharedTurn(scope, n))]);
}

export interface Room {
  /** Index and value that list what is counted; default: the whole collection. */
  readonly index?: string;
  readonly value?: string;
  /** Most documents that may exist. */
  readonly max: number;
  /** What is counted, in the plural: `policies`. */
  readonly noun: string;
}

/**
 * Throws 409 `limit_reached` where `max` documents exist already. Exact under parallel requests, provided that every
 * route that adds to what is counted calls it before it stages the new document.
 */
export async function requireRoom<T>(
  tx: Tx,
  collection: Collection<T>,
  { index = "new", value = "", max, noun }: Room,
): Promise<void> {
  await takeTurn(tx, [collection.name, index, value].filter((part) => part !== "").join("."));
  if ((await tx.peekCount(collection, { index, value, max })) < max) return;
  throw conflict("limit_reached", `At most ${max} ${noun} can exist. Remove one first.`);
}
