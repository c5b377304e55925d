import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { open, stat, unlink } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout } from "node:timers/promises";

import { StoreError } from "../contract.ts";
import { errorCode } from "./io.ts";

/** Gives the folder back. */
export type Release = () => Promise<void>;

/**
 * Takes a folder for this process alone, or throws LOCKED with the holder's pid in the message.
 * `onLost` is called if the lock turns out to be someone else's later on (only a lock by file can be lost).
 */
export type AcquireLock = (base: string, onLost: (error: Error) => void) => Promise<Release>;

/** The kernel's lock where there is `flock`, else a lock by file. */
export const acquireLock: AcquireLock = async (base, onLost) =>
  (await acquireKernelLock(base)) ?? (await acquireFileLock(base, onLost));

/**
 * A lock that belongs to our open file: the kernel drops it with the process, also on kill -9, and it holds across
 * containers on one machine. Node has no call for it, so `flock` takes it on a descriptor that it inherits from us.
 * Null when there is no `flock` here.
 */
async function acquireKernelLock(base: string): Promise<Release | null> {
  const file = await open(`${base}/LOCK`, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    const code = await flockExitCode(file.fd, "exclusive");
    if (code === 0) {
      await file.truncate(0);
      await file.write(HOLDER, 0);
      return async () => {
        await file.truncate(0);
        await file.close();
      };
    }
    if (code === 1) throw await lockedBy(base, `${base}/LOCK`);
    if (code !== null) throw new StoreError("UNAVAILABLE", `flock on ${base}/LOCK exited with code ${code}`);
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  return null;
}

/** Exit code of `flock -n` on the descriptor: 0 taken, 1 held by another; null when there is no such command. */
export function flockExitCode(fd: number, how: "exclusive" | "shared"): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const child = spawn("flock", [how === "shared" ? "-s" : "-x", "-n", "3"], {
      stdio: ["ignore", "ignore", "ignore", fd],
    });
    child.once("error", (error) => (errorCode(error) === "ENOENT" ? resolve(null) : reject(error)));
    child.once("exit", (code) => resolve(code ?? -1));
  });
}

const HOLDER = `${process.pid} ${hostname()}\n`;
const PID_TRIES = 50;
const PID_WAIT_MS = 10;

/** The holder writes its pid just after it has the lock: an empty file, or one of a dead holder, is looked at again. */
export async function lockedBy(base: string, path: string): Promise<StoreError> {
  for (let i = 0; i < PID_TRIES; i++) {
    const holder = await readHolder(path);
    if (holder !== null && !isGone(holder)) return locked(base, nameOf(holder));
    await setTimeout(PID_WAIT_MS);
  }
  return locked(base, "unknown");
}

const locked = (base: string, process: string): StoreError =>
  new StoreError("LOCKED", `${base} is in use by process ${process}`, { retryable: false });

/** In another container a process has a number that says nothing here. */
const nameOf = ({ pid, host }: Holder): string => (host === hostname() ? pid : `${pid} of ${host}`);

const HEARTBEAT_MS = 2000;
const STALE_MS = 10_000;

/**
 * The second-best lock, for systems without `flock`: a file that only one can create. Its holder writes to it every two
 * seconds; it counts as left behind when its process has ended (same host) or it has not been written for ten seconds.
 */
export const acquireFileLock: AcquireLock = async (base, onLost) => {
  const path = `${base}/LOCK.pid`;
  if (await isStale(base, path)) await removeStale(base, path);
  const file = await createOnly(path);
  if (file === null) throw await lockedBy(base, path);
  const { ino } = await file.stat();
  const isOurs = async (): Promise<boolean> => (await statOf(path))?.ino === ino;
  const mark = (): Promise<unknown> => file.write(HOLDER, 0);
  await mark();
  const beat = async (): Promise<void> => {
    if (await isOurs()) await mark();
    else throw new StoreError("LOCKED", `${path} was taken by another process`, { retryable: false });
  };
  const timer = setInterval(() => {
    beat().catch((error: Error) => {
      clearInterval(timer);
      onLost(error);
    });
  }, HEARTBEAT_MS).unref();
  return async () => {
    clearInterval(timer);
    if (await isOurs()) await unlink(path);
    await file.close();
  };
};

/** True when a file of this name was left behind; false when there is none, or its holder lives. */
async function isStale(base: string, path: string): Promise<boolean> {
  const found = await statOf(path);
  if (found === null) return false;
  const holder = await readHolder(path);
  if (holder !== null && isGone(holder)) return true;
  return (await fileTimeMs(base)) - found.mtimeMs > STALE_MS;
}

/**
 * Removes a lock that was left behind. Only one may judge and remove at a time, or the second would remove the fresh lock
 * that the first has put in its place; so this is itself guarded by a file, and judged again under it.
 */
async function removeStale(base: string, path: string): Promise<void> {
  const guardPath = `${path}.guard`;
  const guard = await createOnly(guardPath);
  if (guard === null) {
    // An old guard belongs to a process that died with it: the next attempt then succeeds.
    if (await isStale(base, guardPath)) await unlinkIfThere(guardPath);
    return;
  }
  try {
    if (await isStale(base, path)) await unlinkIfThere(path);
  } finally {
    await unlinkIfThere(guardPath);
    await guard.close();
  }
}

/** Null when there is a file of this name already. */
async function createOnly(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, "wx", 0o600);
  } catch (error) {
    if (errorCode(error) === "EEXIST") return null;
    throw error;
  }
}

async function unlinkIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}

/** The time by the file system's own clock, to compare with the time of a file on it. */
async function fileTimeMs(base: string): Promise<number> {
  const path = `${base}/LOCK.time.${process.pid}`;
  const file = await open(path, "w", 0o600);
  try {
    return (await file.stat()).mtimeMs;
  } finally {
    await file.close();
    await unlink(path);
  }
}

interface Holder {
  readonly pid: string;
  readonly host: string;
}

async function readHolder(path: string): Promise<Holder | null> {
  try {
    const file = await open(path, "r");
    try {
      const [pid, host] = (await file.readFile("latin1")).trim().split(" ");
      return pid === undefined || host === undefined ? null : { pid, host };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

async function statOf(path: string): Promise<{ ino: number; mtimeMs: number } | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** Only for a process on this host can its end be detected. */
const isGone = ({ pid, host }: Holder): boolean => host === hostname() && !isAlive(Number(pid));

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== "ESRCH";
  }
}
