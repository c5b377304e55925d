import { invalidField } from "../../../lib/errors.ts";
import type { Tx } from "../../../core/tx.ts";
import { runInSlices } from "../../../lib/slices.ts";
import { readGroupGraph } from "../repository.ts";
import { graphFaultSteps } from "../rules/group-graph.ts";
import { MENU_LIMITS } from "../schema/limits.ts";
import type { Modifier, ModifierGroup } from "../schema/modifier.ts";

/**
 * Throws 422 if the groups of the store, including a changed group or modifier, contain themselves or are nested
 * too deep. Reads all of them: call `markChanged` as well.
 */
export async function refuseBadGraph(
  tx: Tx,
  member: string,
  changed: { readonly group?: ModifierGroup; readonly modifier?: Modifier },
): Promise<void> {
  const { groups, modifiers } = await readGroupGraph(tx);
  const graph = {
    groups: withChange(groups, changed.group),
    modifiers: withChange(modifiers, changed.modifier),
  };
  const fault = await runInSlices(graphFaultSteps(graph, MENU_LIMITS.depth), tx.part);
  if (fault === null) return;
  const problem =
    fault.fault === "circle" ? "contain itself" : `nest groups more than ${MENU_LIMITS.depth} levels deep`;
  throw invalidField([member], `Group ${fault.groupId} would ${problem}.`);
}

const withChange = <T extends { readonly id: string }>(stored: readonly T[], changed: T | undefined): T[] => [
  ...stored.filter(({ id }) => id !== changed?.id),
  ...(changed === undefined ? [] : [changed]),
];
