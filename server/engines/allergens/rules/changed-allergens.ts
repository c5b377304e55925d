import type { ModeId } from "../data/modes.ts";
import type { Product } from "../schema.ts";
import { declaredIn } from "./declare.ts";

/** Declared codes that a change adds and removes. */
export interface CodeDiff {
  readonly added: string[];
  readonly removed: string[];
}

type Subject = Pick<Product, "declarations" | "ingredients">;

/** What a change of a product does to its declared allergens; null: there is no product before or after it. */
export function diffCodes(before: Subject | null, after: Subject | null, mode: ModeId): CodeDiff {
  const old = before === null ? [] : declaredIn(before, mode).allergens;
  const next = after === null ? [] : declaredIn(after, mode).allergens;
  return {
    added: next.filter((code) => !old.includes(code)),
    removed: old.filter((code) => !next.includes(code)),
  };
}

/** Two changes as one: what the second takes back is no change. */
export function joinDiffs(first: CodeDiff | undefined, second: CodeDiff): CodeDiff {
  const { added, removed } = first ?? { added: [], removed: [] };
  const without = (codes: readonly string[], others: readonly string[]): string[] =>
    codes.filter((code) => !others.includes(code));
  return {
    added: [...new Set([...without(added, second.removed), ...without(second.added, removed)])],
    removed: [...new Set([...without(removed, second.added), ...without(second.removed, added)])],
  };
}
