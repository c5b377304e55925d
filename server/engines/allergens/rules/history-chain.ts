import { sha256Hex } from "../../../core/ids.ts";

/** An entry with the hash of all entries up to it. */
export interface Chained<T> {
  readonly entry: T;
  /** SHA-256, hex, of the hash before it and its own content: equal only where every entry up to it is the same. */
  readonly hash: string;
}

const GENESIS = "0".repeat(64);

/** Chains the entries of a history, the oldest first. */
export function chain<T>(entries: readonly T[]): Chained<T>[] {
  let hash = GENESIS;
  return entries.map((entry) => {
    hash = sha256Hex(`${hash}\n${canonical(entry)}`);
    return { entry, hash };
  });
}

/** What is signed of the chain up to an entry; `entries` is their number. */
export const signedText = (productId: string, entries: number, hash: string): string =>
  `${productId}\n${entries}\n${hash}`;

/** JSON with the members of every object in order, so that equal content has one text. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_name, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
