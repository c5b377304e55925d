import { StoreError } from "../contract.ts";
import type { Io } from "./io.ts";

const MARGIN_BYTES_MAX = 67_108_864;
/** On a small file system a twentieth of it. */
const MARGIN_SHARE = 0.05;

/**
 * Throws StoreError FULL where so little space is left that the next writes may find none: commits go on as long as they
 * can, but no further work should be sent here.
 */
export async function demandSpace(io: Io, base: string): Promise<void> {
  const { totalBytes, freeBytes } = await io.space(base);
  const margin = Math.min(MARGIN_BYTES_MAX, Math.floor(totalBytes * MARGIN_SHARE));
  if (freeBytes >= margin) return;
  throw new StoreError(
    "FULL",
    `the file system of ${base} has ${freeBytes} bytes left, less than the margin of ${margin}`,
  );
}
