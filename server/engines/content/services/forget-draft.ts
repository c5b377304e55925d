import type { Collection } from "../../../core/collection.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { drafts, removals, revisions, scores, slugHolds } from "../repository.ts";
import type { Draft } from "../schema/draft.ts";
import { forget } from "./keyphrases.ts";

/** Documents of each kind deleted per commit; the job deletes the rest. */
const AT_ONCE = 20;

/** Stages the deletion of a draft. Its data is found by its id, and deleted immediately or by the job. */
export async function forgetDraft(tx: Tx, before: Stored<Draft>, nowAt: string): Promise<void> {
  tx.remove(drafts, before);
  await forget(tx, before.id);
  if (!(await forgetSome(tx, before.id))) tx.create(removals, { id: before.id, created_at: nowAt });
}

/** Deletes some of a deleted draft's data; true if nothing is left. */
export async function forgetSome(tx: Tx, draftId: string): Promise<boolean> {
  const left = [
    await clear(tx, revisions, draftId),
    await clear(tx, scores, draftId),
    await clear(tx, slugHolds, draftId),
  ];
  return left.every((isDone) => isDone);
}

async function clear<T extends { id: string }>(
  tx: Tx,
  collection: Collection<T>,
  draftId: string,
): Promise<boolean> {
  const page = await tx.peekPage(collection, { index: "draft", value: draftId, limit: AT_ONCE });
  for (const { id } of page.items) {
    const stored = await tx.get(collection, id);
    if (stored !== null) tx.remove(collection, stored);
  }
  return page.next === null;
}
