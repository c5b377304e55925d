import type { Ctx } from "../../../core/route.ts";
import { refuse } from "../formats/check-draft.ts";
import type { MissingRef } from "../formats/check-draft.ts";
import type { Draft } from "../formats/draft.ts";
import type { Losses } from "../formats/losses.ts";
import type { Names } from "../formats/names.ts";
import { pruneDraft } from "../formats/plan-draft.ts";
import { readGroupGraph } from "../repository.ts";
import { graphFaultSteps } from "../rules/group-graph.ts";
import { giveWay, runInSlices } from "../../../lib/slices.ts";
import { MENU_LIMITS } from "../schema/limits.ts";
import type { StoredKind } from "./transfer-refs.ts";

/** What the checks of references need of an import. */
interface Work {
  readonly ctx: Pick<Ctx, "tx">;
  readonly stagers: Readonly<Record<StoredKind, { readonly read: (id: string) => Promise<unknown> }>>;
  readonly world: Names;
}

/** Leaves out references to what is neither in the document nor stored: it may be on another page. */
export async function withoutMissing(
  { ctx, stagers, world }: Work,
  draft: Draft,
  missing: readonly MissingRef[],
  losses: Losses,
): Promise<Draft> {
  const { part } = ctx.tx;
  const gone = new Set<string>();
  for (const { kind, ref, path } of missing) {
    if (kind === "variation" || kind === "schedule") continue;
    await giveWay(part);
    if ((await stagers[kind].read(world.id(kind, ref))) !== null) continue;
    gone.add(`${kind} ${ref}`);
    const priced = kind === "group" || kind === "modifier";
    losses.add(
      path,
      `The ${kind} ${ref} is neither in the document nor imported before. Import it, then this document again.`,
      priced ? "money" : "availability",
    );
  }
  return gone.size === 0 ? draft : pruneDraft(draft, (kind, ref) => !gone.has(`${kind} ${ref}`));
}

/** Groups of the document together with the store's groups nested in them. */
export async function refuseDeepGroups(
  { ctx, world }: Pick<Work, "ctx" | "world">,
  draft: Draft,
): Promise<void> {
  if (!draft.modifiers.some(({ groups }) => groups.length > 0)) return;
  const graph = await readGroupGraph(ctx.tx);
  const groups = new Map(graph.groups.map(({ id, modifier_ids: ids }) => [id, ids]));
  const nested = new Map(graph.modifiers.map(({ id, nested_group_ids: ids }) => [id, ids]));
  for (const { ref, modifiers: refs } of draft.groups) {
    groups.set(
      world.id("group", ref),
      refs.map((each) => world.id("modifier", each)),
    );
  }
  for (const { ref, groups: refs } of draft.modifiers) {
    nested.set(
      world.id("modifier", ref),
      refs.map((each) => world.id("group", each)),
    );
  }
  const merged = {
    groups: [...groups].map(([id, ids]) => ({ id, modifier_ids: ids })),
    modifiers: [...nested].map(([id, ids]) => ({ id, nested_group_ids: ids })),
  };
  const fault = await runInSlices(graphFaultSteps(merged, MENU_LIMITS.depth), ctx.tx.part);
  if (fault === null) return;
  const path = draft.groups.find(({ ref }) => world.id("group", ref) === fault.groupId)?.path ?? [];
  throw refuse([
    {
      path,
      detail:
        "Together with the store's existing groups, groups would be nested too deep or contain themselves.",
    },
  ]);
}
