import { randomBytes } from "node:crypto";

import { z } from "zod";

import { StoreError } from "../contract.ts";
import type { StoreIdentity } from "../contract.ts";
import type { Counters, CounterWindow } from "../counters.ts";
import { readText, replaceText } from "./io.ts";
import type { Io } from "./io.ts";
import { openSegment, segmentId } from "./segment.ts";
import { parseJson } from "../../lib/parse-json.ts";

/** Number of the folder's format: of the files in it and of the lines in them. */
const FORMAT = 1;

export const FORMAT_FILE = "format.json";
const COUNTERS_FILE = "counters.json";
const OTHERS_MAY = 0o007;

/** Makes the folder if need be (mode 0700), and refuses one that other users of the machine may read. */
export async function prepareFolder(io: Io, base: string): Promise<void> {
  await io.mkdir(base);
  if (process.platform === "win32") return;
  const names = await io.list(base);
  // A folder that someone made for us, with their usual mode, is made private before anything is put in.
  if (names.length === 0) await io.chmod(base, 0o700);
  for (const path of [base, ...names.filter(isOurs).map((name) => `${base}/${name}`)]) {
    const found = await io.stat(path);
    if (found !== null && (found.mode & OTHERS_MAY) !== 0) {
      throw new StoreError(
        "INVALID",
        `${path} can be read by other users. Run chmod 0700 (folder) or 0600 (file)`,
      );
    }
  }
}

/**
 * Checks the format number, or starts a new store: first an empty segment, then the number, so that a folder with a number
 * and no segment has lost its data. Left-overs of an interrupted rewrite are removed.
 */
export async function openFormat(io: Io, base: string, salvage: boolean): Promise<void> {
  const names = await io.list(base);
  for (const name of names) {
    if (isOurs(name) && name.endsWith(".tmp")) await io.remove(`${base}/${name}`);
  }
  const text = await readText(io, `${base}/${FORMAT_FILE}`);
  if (text === null) {
    if (!salvage) await assertUnused(io, base, names);
    if (!names.some((name) => segmentId(name) !== null)) {
      await (await openSegment(io, base, 1, "create")).file.close();
      await io.syncFolder(base);
    }
    await writeFormat(io, base, newIdentity());
    return;
  }
  const format = formatOf(text);
  if (format === null && !salvage) throw new StoreError("CORRUPT", `${base}/${FORMAT_FILE} is unreadable`);
  if (format !== null && format !== FORMAT) {
    throw new StoreError(
      "INVALID",
      `${base} has format ${format}, but this version reads format ${FORMAT} only`,
    );
  }
  // Folders of earlier versions have no identity.
  if (format === null || identityOf(text).id === null) await writeFormat(io, base, newIdentity());
}

/** Segments without a format number: fine when they are the empty first one of an interrupted start. */
async function assertUnused(io: Io, base: string, names: readonly string[]): Promise<void> {
  for (const name of names.filter((name) => segmentId(name) !== null)) {
    const size = (await io.stat(`${base}/${name}`))?.size ?? 0;
    if (size > 0) throw new StoreError("CORRUPT", `${base}/${FORMAT_FILE} is missing, but ${name} exists`);
  }
}

const newIdentity = (): StoreIdentity => ({ id: randomBytes(12).toString("hex"), adopted: false });

const writeFormat = (io: Io, base: string, { id, adopted }: StoreIdentity): Promise<void> =>
  replaceText(io, base, FORMAT_FILE, `${JSON.stringify({ format: FORMAT, id, adopted })}\n`);

/** Which store is in the folder now; `id` is null where there is none. */
export async function readIdentity(io: Io, base: string): Promise<StoreIdentity> {
  return identityOf((await readText(io, `${base}/${FORMAT_FILE}`)) ?? "");
}

export async function adoptFolder(io: Io, base: string): Promise<void> {
  await writeFormat(io, base, { ...(await readIdentity(io, base)), adopted: true });
}

function identityOf(text: string): StoreIdentity {
  const found = identity.safeParse(parseJson(text));
  return found.success ? found.data : { id: null, adopted: false };
}

const identity = z.object({ id: z.string(), adopted: z.boolean() });

function formatOf(text: string): number | null {
  const found = z.object({ format: z.int().min(1) }).safeParse(parseJson(text));
  return found.success ? found.data.format : null;
}

/** Keeps the open windows for the next process. */
export async function saveCounters(io: Io, base: string, counters: Counters): Promise<void> {
  await replaceText(io, base, COUNTERS_FILE, JSON.stringify(counters.save()));
}

/**
 * Takes up the windows of the last process and removes their file, so that a later crash cannot bring old counts back.
 * What cannot be read is dropped: a caller then has one more window, as after a crash.
 */
export async function restoreCounters(io: Io, base: string, counters: Counters): Promise<void> {
  const text = await readText(io, `${base}/${COUNTERS_FILE}`);
  if (text === null) return;
  counters.restore(windowsOf(text));
  await io.remove(`${base}/${COUNTERS_FILE}`);
  await io.syncFolder(base);
}

function windowsOf(text: string): CounterWindow[] {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed.filter(isWindow) : [];
  } catch {
    return [];
  }
}

function isWindow(value: unknown): value is CounterWindow {
  if (typeof value !== "object" || value === null) return false;
  const { counter, count, resetAtMs, windowMs } = value as Record<string, unknown>;
  return (
    typeof counter === "string" && [count, resetAtMs, windowMs].every((number) => Number.isFinite(number))
  );
}

const isOurs = (name: string): boolean =>
  name.startsWith("seg-") ||
  name.startsWith(FORMAT_FILE) ||
  name.startsWith(COUNTERS_FILE) ||
  name.startsWith("LOCK");
