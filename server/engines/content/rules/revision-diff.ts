import { diffLines, diffWordsWithSpace } from "diff";

import { CONTENT_LIMITS } from "../schema.ts";
import type { DraftContent } from "../schema/draft.ts";

/** A segment that is unchanged, added or removed. */
export interface DiffPart {
  readonly op: "equal" | "insert" | "delete";
  readonly text: string;
}

export interface ContentDiff {
  /** Fields other than the body that differ, with both values. */
  readonly members: readonly { readonly name: string; readonly from: unknown; readonly to: unknown }[];
  readonly body: readonly DiffPart[];
  /** Whether the body was compared by words or, if it is long, by lines. */
  readonly unit: "words" | "lines";
  readonly inserted: number;
  readonly deleted: number;
}

/**
 * The changes between two contents. The body is compared by words, or by lines if it is very long or was
 * rewritten. The cost grows with the square of the changes, and is bounded.
 */
export function diffContent(from: DraftContent, to: DraftContent): ContentDiff {
  const isLong = wordsOf(from.body) + wordsOf(to.body) > CONTENT_LIMITS.diffWords;
  const most = { maxEditLength: CONTENT_LIMITS.diffChanges };
  const words = isLong ? undefined : diffWordsWithSpace(from.body, to.body, most);
  const parts = words ?? diffLines(from.body, to.body, most) ?? replaced(from.body, to.body);
  const body = parts.map(({ added, removed, value }): DiffPart => {
    return { op: added ? "insert" : removed ? "delete" : "equal", text: value };
  });
  const count = (op: DiffPart["op"]): number =>
    body.filter((part) => part.op === op).reduce((sum, { text }) => sum + wordsOf(text), 0);
  return {
    members: diffMembers(from, to),
    body: body.length === 1 && body[0]?.text === "" ? [] : body,
    unit: words === undefined ? "lines" : "words",
    inserted: count("insert"),
    deleted: count("delete"),
  };
}

/** Texts with little in common: one is removed, the other added. */
const replaced = (from: string, to: string) => [
  { added: false, removed: true, value: from },
  { added: true, removed: false, value: to },
];

function diffMembers(from: DraftContent, to: DraftContent): ContentDiff["members"] {
  const { body: _from, ...before } = from;
  const { body: _to, ...after } = to;
  const old = new Map<string, unknown>(Object.entries(before));
  return Object.entries(after)
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(old.get(name)))
    .map(([name, value]) => ({ name, from: old.get(name) ?? null, to: value }));
}

const wordsOf = (text: string): number => text.split(/\s+/).filter((word) => word !== "").length;
