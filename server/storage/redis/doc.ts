import type { Doc, Key, Version } from "../contract.ts";
import { corrupt } from "./errors.ts";

/** Reads `version\nJSON`; throws StoreError CORRUPT for anything else. */
export function toDoc(key: Key, raw: unknown): Doc | null {
  if (raw === null || raw === undefined) return null;
  const text = typeof raw === "string" ? raw : "";
  const end = text.indexOf("\n");
  if (end < 1) throw corrupt(key);
  return { key, version: toVersion(key, text.slice(0, end)), value: text.slice(end + 1) };
}

export function toVersion(what: string, text: string): Version {
  const version = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(version)) throw corrupt(what);
  return version;
}
