import type { Standing } from "../schema/tracking.ts";

/** Consecutive answers without the store before it counts as lost: a single sample may be chance. */
export const LOST_AFTER = 3;

type State = Omit<Standing, "id">;

/**
 * Whether a prompt's answers cite the store, after one more answer. `next` is null for an answer older than the latest
 * one:
 * late answers change nothing.
 */
export function nextStanding(
  before: State | null,
  { at, isCited }: { readonly at: string; readonly isCited: boolean },
): { readonly next: State | null; readonly change: "gained" | "lost" | null } {
  if (before !== null && at < before.at) return { next: null, change: null };
  if (isCited) {
    const change = before?.cited === true ? null : "gained";
    return { next: { cited: true, at, without: 0 }, change };
  }
  const without = (before?.without ?? 0) + 1;
  const isLost = before?.cited === true && without >= LOST_AFTER;
  return {
    next: { cited: before?.cited === true && !isLost, at, without },
    change: isLost ? "lost" : null,
  };
}
