import { loadLanguage } from "../../../lib/text/language.ts";
import type { AnswerTools } from "../rules/read-answer.ts";
import type { ReadRobots } from "../rules/robots-access.ts";
import { sha256Hex } from "../../../core/ids.ts";
import type { Tx } from "../../../core/tx.ts";
import { answerPrints } from "../repository.ts";

// Readers that load slow dependencies, on first use.

/** Splits sentences in a language, and computes sentiment by AFINN, which supports English only. */
export async function answerTools(locale: string): Promise<AnswerTools> {
  const [{ default: Sentiment }, language] = await Promise.all([import("sentiment"), loadLanguage(locale)]);
  const sentiment = new Sentiment();
  return {
    sentences: (text) => language.sentences(text),
    sentiment: (text) => (language.code === "en" ? sentiment.analyze(text).score : 0),
  };
}

/** The parser of robots.txt. */
export async function robotsReader(): Promise<ReadRobots> {
  const { default: read } = await import("robots-parser");
  // The package is CommonJS but its types declare an ES module: the import is the function itself.
  return read as unknown as ReadRobots;
}

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
