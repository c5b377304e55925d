import type { Io, IoFile } from "../../server/storage/fs/io.ts";
import { createRandom } from "./random.ts";
import type { Random } from "./random.ts";

/**
 * A disk in memory that forgets what was not synced. A power loss leaves of every unsynced write each 512-byte sector by
 * itself: written, not written, or (where nothing was before) zeroed; the file gets any of the lengths it had meanwhile;
 * and of names made, renamed or removed since the folder was synced, any may be missing.
 */
export interface SimDisk {
  /** The system calls of the machine's present life; after a power loss they fail, whoever still holds them. */
  io(): Io;
  /** Cuts the power: everything fails until `restart`. */
  crash(): void;
  /** Decides what the power loss has left, and starts the next life. */
  restart(): void;
  /** Starts the next life with all that was written: only the process was killed, the machine runs on. */
  respawn(): void;
  /** Switches the random faults off, or on again. A faked sync stays faked. */
  calm(on: boolean): void;
  /** Cuts the power after so many more calls. */
  crashAfter(calls: number): void;
  readonly crashed: boolean;
  /** Every file as a process sees it now, by path. */
  files(): Map<string, Buffer>;
}

export interface SimFaults {
  /** Negative control: a sync that only says that it synced. */
  readonly fakeSync?: boolean;
  /** Chance that a write finds no room, after a part of it was written. */
  readonly noSpace?: number;
  /** Chance that a sync fails. The system then counts the bytes as written, and never writes them. */
  readonly syncError?: number;
}

interface Change {
  /** Null cuts the file to `at`. */
  readonly data: Uint8Array | null;
  readonly at: number;
}

interface Inode {
  durable: Buffer;
  current: Buffer;
  size: number;
  pending: Change[];
}

type NameChange = { readonly set: string; readonly inode: Inode } | { readonly drop: string };

const SECTOR = 512;

/** A new disk, empty or with these files on it. */
export function createSimDisk(
  seed: number,
  faults: SimFaults = {},
  files: ReadonlyMap<string, Uint8Array> = new Map(),
): SimDisk {
  const random = createRandom(seed);
  let names = new Map([...files].map(([path, bytes]) => [path, toInode(bytes)]));
  let durableNames = new Map(names);
  let pendingNames: NameChange[] = [];
  let life = 0;
  let crashed = false;
  let calm = false;
  let callsLeft = Number.POSITIVE_INFINITY;

  const enter = (own: number): void => {
    if (callsLeft-- <= 0) crashed = true;
    if (crashed || own !== life) throw failure("EIO", "the power is off");
  };
  const nextLife = (): void => {
    callsLeft = Number.POSITIVE_INFINITY;
    crashed = false;
    life++;
  };
  const happens = (probability = 0): boolean => !calm && probability > 0 && random.chance(probability);
  const find = (path: string): Inode => {
    const inode = names.get(path);
    if (inode === undefined) throw failure("ENOENT", `no such file: ${path}`);
    return inode;
  };
  const change = (entry: NameChange): void => {
    applyName(names, entry);
    pendingNames.push(entry);
  };

  const toFile = (inode: Inode, own: number): IoFile => ({
    async read(into, position) {
      enter(own);
      const end = Math.min(inode.size, position + into.length);
      if (position >= end) return 0;
      into.set(inode.current.subarray(position, end));
      return end - position;
    },
    async write(from, position) {
      enter(own);
      const full = happens(faults.noSpace);
      const count = full || random.chance(0.1) ? random.int(from.length + 1) : from.length;
      if (count > 0) write(inode, Uint8Array.from(from.subarray(0, count)), position);
      if (full) throw failure("ENOSPC", "no space left on device");
      return count;
    },
    async sync() {
      enter(own);
      if (faults.fakeSync === true) return;
      if (happens(faults.syncError)) {
        if (random.chance(0.5)) inode.pending = [];
        throw failure("EIO", "i/o error");
      }
      sync(inode);
    },
    async truncate(bytes) {
      enter(own);
      truncate(inode, bytes);
    },
    async size() {
      enter(own);
      return inode.size;
    },
    async close() {},
  });

  const io = (): Io => {
    const own = life;
    return {
      async mkdir() {
        enter(own);
      },
      space: async () => ({ totalBytes: Infinity, freeBytes: Infinity }),
      async list(folder) {
        enter(own);
        return [...names.keys()].map((path) => path.slice(folder.length + 1));
      },
      async stat(path) {
        enter(own);
        const inode = names.get(path);
        return inode === undefined ? null : { mode: 0o600, size: inode.size };
      },
      async chmod() {
        enter(own);
      },
      async open(path, how) {
        enter(own);
        if (how === "existing") return toFile(find(path), own);
        const inode = names.get(path) ?? toInode(new Uint8Array());
        if (names.has(path)) truncate(inode, 0);
        else change({ set: path, inode });
        return toFile(inode, own);
      },
      async rename(from, to) {
        enter(own);
        const inode = find(from);
        // One step: a power loss leaves the old name or the new one.
        change({ set: to, inode });
        change({ drop: from });
      },
      async link(from, to) {
        enter(own);
        change({ set: to, inode: find(from) });
      },
      async remove(path) {
        enter(own);
        find(path);
        change({ drop: path });
      },
      async syncFolder() {
        enter(own);
        if (faults.fakeSync === true) return;
        durableNames = new Map(names);
        pendingNames = [];
      },
    };
  };

  return {
    io,
    crash() {
      crashed = true;
    },
    calm(on) {
      calm = on;
    },
    crashAfter(calls) {
      callsLeft = calls;
    },
    restart() {
      for (const inode of new Set([...durableNames.values(), ...names.values()])) settle(inode, random);
      for (const entry of pendingNames) if (random.chance(0.5)) applyName(durableNames, entry);
      names = new Map(durableNames);
      pendingNames = [];
      nextLife();
    },
    respawn: nextLife,
    get crashed() {
      return crashed;
    },
    files: () =>
      new Map([...names].map(([path, { current, size }]) => [path, Buffer.from(current.subarray(0, size))])),
  };
}

function toInode(bytes: Uint8Array): Inode {
  return { durable: Buffer.from(bytes), current: Buffer.from(bytes), size: bytes.length, pending: [] };
}

function applyName(names: Map<string, Inode>, entry: NameChange): void {
  if ("set" in entry) names.set(entry.set, entry.inode);
  else names.delete(entry.drop);
}

function write(inode: Inode, data: Uint8Array, at: number): void {
  apply(inode, { data, at });
  inode.pending.push({ data, at });
}

function truncate(inode: Inode, at: number): void {
  apply(inode, { data: null, at });
  inode.pending.push({ data: null, at });
}

/** Applies a change to what processes see; bytes between the old end and a later write are zero. */
function apply(inode: Inode, { data, at }: Change): void {
  const end = data === null ? at : Math.max(inode.size, at + data.length);
  if (end > inode.current.length) {
    const grown = Buffer.alloc(Math.max(end, inode.current.length * 2));
    inode.current.copy(grown, 0, 0, inode.size);
    inode.current = grown;
  }
  if (data === null) inode.current.fill(0, at, Math.max(at, inode.size));
  else inode.current.set(data, at);
  inode.size = end;
}

/** Makes the pending changes durable; what an earlier failed sync has dropped stays lost. */
function sync(inode: Inode): void {
  const target: Inode = {
    durable: inode.durable,
    current: Buffer.from(inode.durable),
    size: inode.durable.length,
    pending: [],
  };
  for (const change of inode.pending) apply(target, change);
  inode.durable = Buffer.from(target.current.subarray(0, target.size));
  inode.pending = [];
}

/** What a power loss leaves of a file. */
function settle(inode: Inode, random: Random): void {
  if (inode.pending.length > 0) {
    const after = [inode.durable];
    const state: Inode = { ...inode, current: Buffer.from(inode.durable), size: inode.durable.length };
    for (const change of inode.pending) {
      apply(state, change);
      after.push(Buffer.from(state.current.subarray(0, state.size)));
    }
    const left = Buffer.alloc(random.pick(after).length);
    for (let at = 0; at < left.length; at += SECTOR) {
      if (at >= inode.durable.length && random.chance(0.2)) continue;
      left.set(random.pick(after).subarray(at, Math.min(at + SECTOR, left.length)), at);
    }
    inode.durable = left;
    inode.pending = [];
  }
  inode.current = Buffer.from(inode.durable);
  inode.size = inode.durable.length;
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code });
}
