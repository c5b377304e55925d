import { createHash, createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";
import { monotonicFactory } from "ulid";

import type { Clock } from "./clock.ts";

/** Makes `prefix_<ULID>`: 26 Crockford base32 characters, ascending by time, monotonic inside one millisecond. */
export type NewId = (prefix: string) => string;

/** Uniform random numbers in [0, 1) and random bytes; tests pass a seeded one. */
export interface Random {
  next(): number;
  bytes(count: number): Uint8Array;
}

const POOL_BYTES = 4096;

/** Cryptographic randomness, drawn from the kernel in pools because single draws are slow. */
export function createSystemRandom(): Random {
  let pool = randomBytes(POOL_BYTES);
  let used = 0;
  const take = (count: number): Buffer => {
    if (used + count > pool.length) {
      pool = randomBytes(Math.max(POOL_BYTES, count));
      used = 0;
    }
    used += count;
    return pool.subarray(used - count, used);
  };
  return {
    next: () => take(4).readUInt32LE() / 0x1_0000_0000,
    bytes: (count) => new Uint8Array(take(count)),
  };
}

export function createNewId(clock: Clock, random: Random): NewId {
  const ulid = monotonicFactory(() => random.next());
  return (prefix) => `${prefix}_${ulid(clock.now())}`;
}

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** The complement of each digit, by the digit's character code. */
const INVERTED: string[] = [];
for (let digit = 0; digit < 32; digit += 1)
  INVERTED[CROCKFORD.charCodeAt(digit)] = CROCKFORD.charAt(31 - digit);

/**
 * The ULID of an id with every digit complemented, so that ascending order is newest first;
 * empty for an id that does not end in a ULID.
 */
export function invertedOrder(id: string): string {
  const text = /_([0-9A-HJKMNP-TV-Z]{26})$/.exec(id)?.[1] ?? "";
  let inverted = "";
  for (let index = 0; index < text.length; index += 1) inverted += INVERTED[text.charCodeAt(index)] ?? "";
  return inverted;
}

export const sha256Hex = (text: string | Uint8Array): string => hash("sha256", text, "hex");

export const sha256Base64Url = (text: string): string =>
  createHash("sha256").update(text).digest("base64url");

export const hmacBase64Url = (secret: Uint8Array, text: string): string =>
  createHmac("sha256", secret).update(text).digest("base64url");

/**
 * An id that the same parts always give: for a thing that must happen once
 * (a customer per address and store, a charge per contract and cycle).
 */
export function derivedId(prefix: string, secret: Uint8Array, parts: readonly string[]): string {
  const digest = createHmac("sha256", secret).update(parts.join("\0")).digest();
  let text = "";
  for (let index = 0; index < 26; index += 1) text += CROCKFORD.charAt((digest[index] ?? 0) & 31);
  return `${prefix}_${text}`;
}

/** Compares two secrets in time that does not depend on where they differ. */
export function equalSecrets(left: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
