import { createHash } from "node:crypto";

/** A Lua script: Redis runs it as one step, between two other commands, and logs its writes as one entry. */
export interface Script {
  readonly lua: string;
  readonly sha1: string;
  /** The same for a server whose memory is full: it refuses to write otherwise. */
  readonly whenFull?: Script;
}

/** Lua that ends a script when the store is another one than it was; `SAME(id)` is called first. */
export const SAME = String.raw`
local function SAME(id)
  if id == "" or redis.call("GET", KEYS[#KEYS]) == id then return nil end
  return redis.error_reply("REPLACED this is another store than the one that was opened")
end
`;

export function defineScript(lua: string): Script {
  return { lua, sha1: createHash("sha1").update(lua).digest("hex") };
}

/**
 * A script whose writes are few bytes and go by themselves, and without which nothing can be read: it also runs when memory is
 * full. Redis 7 and later read the flag; earlier ones go on refusing.
 */
export function defineLightScript(lua: string): Script {
  return { ...defineScript(lua), whenFull: defineScript(`#!lua flags=allow-oom\n${lua}`) };
}

/** Each different text with its number, from 1: scripts name collections so. */
export function numberOf(texts: Iterable<string>): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const text of texts) if (!numbers.has(text)) numbers.set(text, numbers.size + 1);
  return numbers;
}
