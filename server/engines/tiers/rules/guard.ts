import type { Rules } from "../schema/programme.ts";

/** True if a recalculation moves more members down than the programme allows without confirmation. */
export function exceedsGuard(
  { down, members }: { readonly down: number; readonly members: number },
  { down_bps: bps, down_count: count }: Rules["guard"],
): boolean {
  return down > count || down * 10_000 > members * bps;
}
