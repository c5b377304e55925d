import { setTimeout as sleep } from "node:timers/promises";

import type { Driver } from "unstorage";

import { StoreError } from "../contract.ts";

/** Single texts of a raw driver, byte for byte. */
export interface Texts {
  get(name: string): Promise<string | null>;
  set(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
  names(): Promise<string[]>;
}

/** Some drivers parse what looks like JSON: no text that begins so does. */
const MARK = "=";

/** Names that folders, tables and globs of every driver take: letters, digits, `-` and `_`, in parts joined by colons. */
const ESCAPES = new Map([
  ["_", "__"],
  [".", "_d"],
  ["~", "_t"],
  ["@", "_a"],
]);
const CHARS = new Map([...ESCAPES].map(([char, code]) => [code, char]));

export const toName = (key: string): string =>
  key.replaceAll(/[_.~@]/g, (char) => ESCAPES.get(char) ?? char).replaceAll("/", ":");

/** Null for a name of another program in the same place. */
export function fromName(name: string): string | null {
  const parts = name.replaceAll(/[\\:]/g, "/");
  if (!/^(?:heads|docs|probe|format_djson)(?:\/|$)/.test(parts) || !/^[\w/-]*$/.test(parts)) return null;
  return parts.replaceAll(/_./g, (code) => CHARS.get(code) ?? code);
}

/** Throws StoreError INVALID for a driver that only reads. */
export function createTexts(driver: Driver): Texts {
  const { setItem, removeItem } = driver;
  if (setItem === undefined || removeItem === undefined)
    throw new StoreError("INVALID", `the unstorage driver ${driver.name ?? ""} is read-only`);
  return {
    get: (name) => guard("UNAVAILABLE", async () => toText(name, await readWhole(driver, name))),
    set: (name, text) =>
      guard("UNKNOWN_OUTCOME", async () => {
        await setItem(name, MARK + text, {});
      }),
    remove: (name) =>
      guard("UNKNOWN_OUTCOME", async () => {
        await removeItem(name, {});
      }),
    names: () => guard("UNAVAILABLE", () => driver.getKeys("", {})),
  };
}

/** Looks at a text that is empty, and the pause between them: about the time in which another process writes one. */
const LOOKS_MAX = 10;
const LOOK_PAUSE_MS = 20;

/** No text is stored empty: a file is while another process replaces it. */
async function readWhole(driver: Driver, name: string): Promise<unknown> {
  for (let looks = 1; ; looks += 1) {
    const value: unknown = await driver.getItem(name);
    if (value !== "" || looks === LOOKS_MAX) return value;
    await sleep(LOOK_PAUSE_MS);
  }
}

/** Whatever a driver throws may be over the next time. */
async function guard<T>(code: "UNAVAILABLE" | "UNKNOWN_OUTCOME", work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    throw new StoreError(code, `the unstorage driver failed: ${String(cause)}`, { cause });
  }
}

function toText(name: string, value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const text = value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : value;
  if (typeof text === "string" && text.startsWith(MARK)) return text.slice(MARK.length);
  throw new StoreError(
    "CORRUPT",
    `the unstorage driver returned ${typeof value} for ${name}, not what was written`,
  );
}
