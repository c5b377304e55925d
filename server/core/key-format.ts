import { crc32 } from "node:zlib";

import type { Random } from "./ids.ts";

/** `plat_live_` secret, `plat_test_` test mode, `plat_pub_` publishable, `plat_admin_` operator. */
export type KeyClass = "live" | "test" | "pub" | "admin";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SECRET_CHARS = 30;
const CHECK_CHARS = 6;

/** For secret scanners: what a key of ours looks like. */
export const KEY_PATTERN = /plat_(live|test|pub|admin)_([0-9A-Za-z]{30})([0-9A-Za-z]{6})/g;
const WHOLE_KEY = /^plat_(live|test|pub|admin)_[0-9A-Za-z]{36}$/;

/** Makes a plaintext key: 30 random base62 characters (178 bits) and six of CRC-32, so that a mistyped or invented key fails without a look-up. */
export function makeKey(kind: KeyClass, random: Random): string {
  let secret = "";
  while (secret.length < SECRET_CHARS) {
    for (const byte of random.bytes(SECRET_CHARS)) {
      // 248 = 4 × 62: a larger byte would favour the first characters.
      if (byte < 248 && secret.length < SECRET_CHARS) secret += BASE62.charAt(byte % 62);
    }
  }
  const head = `plat_${kind}_${secret}`;
  return head + checksum(head);
}

/** Whether a text holds something that looks like a key of ours. */
export const holdsKey = (text: string): boolean => text.search(KEY_PATTERN) >= 0;

/** The class of a well-formed key whose checksum fits; null for anything else. */
export function keyClass(plaintext: string): KeyClass | null {
  const kind = WHOLE_KEY.exec(plaintext)?.[1];
  if (kind === undefined) return null;
  if (checksum(plaintext.slice(0, -CHECK_CHARS)) !== plaintext.slice(-CHECK_CHARS)) return null;
  return kind === "live" || kind === "test" || kind === "pub" || kind === "admin" ? kind : null;
}

function checksum(head: string): string {
  let rest = crc32(head);
  let text = "";
  for (let index = 0; index < CHECK_CHARS; index += 1) {
    text = BASE62.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
