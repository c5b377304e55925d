import { sha256Hex } from "../../../core/ids.ts";

/** The end of a chain: the number of its entries and the hash of the last one. */
export interface Link {
  readonly seq: number;
  readonly hash: string;
}

/** Before the first entry. */
export const GENESIS: Link = { seq: 0, hash: "0".repeat(64) };

interface Chained {
  readonly seq: number;
  /** Hash of the entry before. */
  readonly previous_hash: string;
  /** SHA-256 of the entry without this field: equal only where every entry up to it is the same. */
  readonly hash: string;
}

/** The entry as the next one of the chain that ends at `before`. */
export function linkAfter<T extends object>(before: Link, entry: T): T & Chained {
  const linked = { ...entry, seq: before.seq + 1, previous_hash: before.hash };
  return { ...linked, hash: sha256Hex(canonical(linked)) };
}

/** A stored entry. Those from before the chain began have none of the fields. */
type Stored = { readonly [Field in keyof Chained]?: Chained[Field] | undefined };

/** Why a history is not as it was written. */
export type ChainFault = "missing" | "mismatch" | "changed" | "end";

/** Why an entry does not follow `before` as it was written; null if it does. */
export function faultOf(entry: Stored, before: Link): ChainFault | null {
  const { hash, ...content } = entry;
  if (entry.seq !== before.seq + 1) return "missing";
  if (entry.previous_hash !== before.hash) return "mismatch";
  return hash === sha256Hex(canonical(content)) ? null : "changed";
}

/** What is signed of the chain up to an entry. */
export const signedText = ({ seq, hash }: Link): string => `${seq}\n${hash}`;

/** JSON with the members of every object in order, so that equal content has one text. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_name, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
