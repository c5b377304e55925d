import type { Driver } from "unstorage";

import { COMMIT_BYTES_MAX, StoreError } from "../contract.ts";
import { createTexts, toName } from "./texts.ts";

/** What a text may contain, and the size of the largest head. */
const TEXTS = [
  "",
  "0",
  "true",
  '{"a":1}',
  "0000000000000001\n{}",
  ' \n line\r\n "ü€𝄞"\u0000\t ',
  "x".repeat(2 * COMMIT_BYTES_MAX),
];
/** More than one page of most listings would be slow; so many show whether a listing follows its writes. */
const NAMES = ["a", "A", "a-", "a.b", "a_b", "a@b", "a~b", ...Array.from({ length: 40 }, (_, i) => `n${i}`)];

/**
 * Finds out whether a driver keeps what it is given: bytes as they were written, the latest of two writes, and complete
 * listings that show each write and removal at once. Throws StoreError INVALID for one that does not.
 */
export async function probeDriver(driver: Driver, folder: string): Promise<void> {
  const texts = createTexts(driver);
  const refused = (why: string): StoreError =>
    new StoreError("INVALID", `the unstorage driver ${driver.name ?? ""} ${why}`.replace("  ", " "));
  const nameOf = (name: string): string => toName(`${folder}/${name}`);
  const listed = async (): Promise<Set<string>> =>
    new Set((await texts.names()).map((name) => name.replaceAll(/[/\\]/g, ":")));
  try {
    for (const [i, text] of TEXTS.entries()) {
      await texts.set(nameOf("a"), text);
      const read = await texts.get(nameOf("a"));
      if (read === text) continue;
      throw refused(
        i > 0 && read === TEXTS[i - 1]
          ? "returns old values after a write"
          : "does not return what was written",
      );
    }
    for (const name of NAMES) await texts.set(nameOf(name), name);
    for (const name of NAMES)
      if ((await texts.get(nameOf(name))) !== name)
        throw refused(`lost or mixed up ${NAMES.length} small values: it evicts them or ignores case`);
    const names = await listed();
    const missing = NAMES.filter((name) => !names.has(nameOf(name)));
    if (missing.length > 0) throw refused(`lists ${NAMES.length - missing.length} of ${NAMES.length} keys`);
    await texts.remove(nameOf("a"));
    if ((await texts.get(nameOf("a"))) !== null || (await listed()).has(nameOf("a")))
      throw refused("returns or lists a key after its removal");
  } catch (error) {
    if (error instanceof StoreError && error.code === "CORRUPT")
      throw refused("does not return what was written");
    throw error;
  } finally {
    for (const name of NAMES) await texts.remove(nameOf(name)).catch(() => undefined);
  }
}
