import { giveWay } from "../../../lib/slices.ts";
import { loadLanguage } from "../../../lib/text/language.ts";
import { indexAnswers } from "../rules/search-answers.ts";
import type { AnswerIndex } from "../rules/search-answers.ts";
import { questions } from "../repository.ts";
import { ANSWEROS_LIMITS } from "../schema.ts";
import type { Question } from "../schema/question.ts";
import type { Stored, Tx } from "../../../core/tx.ts";

/** The approved questions of a store and the index of one language. */
export interface Answers {
  readonly index: AnswerIndex;
  readonly byId: ReadonlyMap<string, Stored<Question>>;
}

/**
 * Cached indexes by the page of questions they were built from: the store returns the same page while nothing changes.
 */
const made = new WeakMap<object, Map<string, Promise<Answers>>>();

/** The search index of approved answers in the language of a locale (`en` for en-GB). */
export async function approvedAnswers(tx: Tx, locale: string): Promise<Answers> {
  const code = languageOf(locale);
  const page = await tx.peekPage(questions, {
    index: "by",
    value: "approved",
    limit: ANSWEROS_LIMITS.questions,
  });
  const kept = made.get(page.origin ?? page) ?? new Map<string, Promise<Answers>>();
  made.set(page.origin ?? page, kept);
  const answers = kept.get(code) ?? makeIndex(page.items, code, tx.part);
  kept.set(code, answers);
  return answers;
}

async function makeIndex(items: readonly Stored<Question>[], code: string, part: string): Promise<Answers> {
  const [{ default: MiniSearch }, language] = await Promise.all([import("minisearch"), loadLanguage(code)]);
  const own: Stored<Question>[] = [];
  for (const stored of items) {
    await giveWay(part);
    if (languageOf(stored.value.locale) === code) own.push(stored);
  }
  const entries = own.flatMap(({ id, value: { text, answer } }) =>
    answer === null ? [] : [{ id, text, answer: answer.text }],
  );
  return {
    index: await indexAnswers(entries, { language, Engine: MiniSearch, key: part }),
    byId: new Map(own.map((stored) => [stored.id, stored])),
  };
}

const languageOf = (locale: string): string => locale.split("-")[0]?.toLowerCase() ?? "en";
