import { diffWordsWithSpace } from "diff";
import type { z } from "zod";

import type { DiffPart } from "../schema/rewrite.ts";

/** Number of changed words from which a word-by-word comparison is neither readable nor fast. */
const CHANGES_MAX = 1_500;

type Part = z.output<typeof DiffPart>;

/** Removed and added words; texts with little in common are one removal and one addition. */
export function diffTexts(before: string, after: string): Part[] {
  const parts = diffWordsWithSpace(before, after, { maxEditLength: CHANGES_MAX });
  if (parts === undefined) return [part("remove", before), part("add", after)];
  return parts.map(({ added, removed, value }) => part(added ? "add" : removed ? "remove" : "same", value));
}

const part = (op: Part["op"], text: string): Part => ({ op, text });
