import { constants } from "node:fs";
import { access, open } from "node:fs/promises";

import { StoreError } from "../contract.ts";
import { errorCode } from "./io.ts";
import type { Io, IoFile } from "./io.ts";
import { flockExitCode, lockedBy } from "./lock.ts";
import type { Release } from "./lock.ts";

const NOT_WRITABLE = new Set(["EACCES", "EPERM", "EROFS"]);

/** Whether this process can read a folder and not write to it: a read-only mount, or the folder of another user. */
export async function isReadOnly(base: string): Promise<boolean> {
  try {
    await access(base, constants.R_OK | constants.W_OK);
    return false;
  } catch (error) {
    return NOT_WRITABLE.has(errorCode(error));
  }
}

export const readOnly = (base: string): StoreError =>
  new StoreError("UNAVAILABLE", `${base} is read-only for this process`, { retryable: false });

/** Opens files for reading only; what would change the folder is left out, or refused where something depends on it. */
export function toReadOnly(io: Io, base: string): Io {
  const refuse = async (): Promise<never> => {
    throw readOnly(base);
  };
  const skip = async (): Promise<void> => undefined;
  return {
    ...io,
    mkdir: skip,
    chmod: skip,
    remove: skip,
    syncFolder: skip,
    rename: refuse,
    link: refuse,
    async open(path, how): Promise<IoFile> {
      if (how === "create") throw readOnly(base);
      return { ...(await io.open(path, "read")), write: refuse, truncate: skip, sync: skip };
    },
  };
}

/** Takes part in the lock of the folder without writing to it: a process that writes to the folder keeps readers out. */
export async function acquireReadLock(base: string): Promise<Release> {
  const path = `${base}/LOCK`;
  const file = await open(path, "r").catch((error: unknown) => {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  });
  if (file === null) return async () => undefined;
  if ((await flockExitCode(file.fd, "shared")) === 1) {
    await file.close();
    throw await lockedBy(base, path);
  }
  return () => file.close();
}
