import { sha256Hex } from "../../../core/ids.ts";
import type { Tx } from "../../../core/tx.ts";
import { answerPrints } from "../repository.ts";

/** Answers of one page that are compared with those of others. */
const COMPARED_MAX = 20;
/** Pages recorded per answer: three are already too many. */
const PAGES_MAX = 20;

/**
 * Records which answers a page contains, removes former ones, and returns the largest number
 * of pages with one of them. For a deleted page all are removed.
 */
export async function countRepeats(tx: Tx, pageId: string, answers: readonly string[]): Promise<number> {
  const ids = new Set([...new Set(answers)].slice(0, COMPARED_MAX).map(printId));
  const noted = await tx.peekPage(answerPrints, { index: "page", value: pageId, limit: COMPARED_MAX * 2 });
  for (const { id } of noted.items) {
    const before = ids.has(id) ? null : await tx.get(answerPrints, id);
    if (before === null) continue;
    const left = before.value.page_ids.filter((other) => other !== pageId);
    if (left.length === 0) tx.remove(answerPrints, before);
    else tx.put(answerPrints, before, { id, page_ids: left });
  }
  let most = 0;
  for (const id of ids) {
    const before = await tx.get(answerPrints, id);
    const others = before?.value.page_ids.filter((other) => other !== pageId) ?? [];
    const page_ids = [...others, pageId].slice(-PAGES_MAX);
    if (before === null) tx.create(answerPrints, { id, page_ids });
    else if (!before.value.page_ids.includes(pageId)) tx.put(answerPrints, before, { id, page_ids });
    most = Math.max(most, page_ids.length);
  }
  return most;
}

const printId = (answer: string): string => `ans_${sha256Hex(answer).slice(0, 32)}`;
