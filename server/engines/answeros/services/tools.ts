import { giveWay } from "../../../lib/slices.ts";
import { loadLanguage } from "../../../lib/text/language.ts";
import { indexAnswers } from "../rules/search-answers.ts";
import type { AnswerIndex } from "../rules/search-answers.ts";
import { questions } from "../repository.ts";
import { ANSWEROS_LIMITS } from "../schema.ts";
import type { Question } from "../schema/question.ts";
import { sha256Hex } from "../../../core/ids.ts";
import type { Stored, Tx } from "../../../core/tx.ts";

/** The approved questions of a store and the index of one language. */
export interface Answers {
  readonly index: AnswerIndex;
  readonly byId: ReadonlyMap<string, Stored<Question>>;
}

/** An index, and the questions in their versions that it was built from. */
interface Made {
  readonly hash: string;
  readonly answers: Promise<Answers>;
  /** Characters of its documents; 0 until it is built. */
  chars: number;
  /** Share of them that are searched: what it takes to build it again, for its size. */
  share: number;
  /** That share, and `droppedWorth` when it was used last. */
  worth: number;
}

/** Indexes by partition and language, the one that was used last at the end. */
const made = new Map<string, Made>();
/** Worth of the last one that was dropped: what is used from then on is worth more than what is not. */
let droppedWorth = 0;
/** Characters of the documents of all indexes; an index takes several times as much memory. */
const CHARS_MAX = 16_000_000;
/** Memory of an index apart from its documents, and time that it takes to build apart from its texts, in characters. */
const OVERHEAD_CHARS = 1_000;
const OVERHEAD_TEXT = 100;

/** Larger pages are not kept by every driver, and would be transferred for each request. */
const PAGE = 500;

/**
 * The search index of approved answers in the language of a locale (`en` for en-GB). One index serves as long as no answer changes: not
 * every driver returns the same page object then, so it is compared by the versions of its documents.
 */
export async function approvedAnswers(tx: Tx, locale: string): Promise<Answers> {
  const code = languageOf(locale);
  const items = await readApproved(tx);
  const hash = sha256Hex(items.map(({ id, version }) => `${id} ${version}`).join("\n"));
  const name = `${tx.part} ${code}`;
  const before = made.get(name);
  const own =
    before?.hash === hash
      ? before
      : { hash, answers: makeIndex(items, code, tx.part), chars: 0, share: Infinity, worth: Infinity };
  own.worth = droppedWorth + own.share;
  made.delete(name);
  made.set(name, own);
  if (own === before) return own.answers;
  try {
    const answers = await own.answers;
    own.chars = OVERHEAD_CHARS;
    let searched = OVERHEAD_TEXT;
    for (const { members, value } of answers.byId.values()) {
      own.chars += members.length;
      searched += value.text.length + (value.answer?.text.length ?? 0);
    }
    own.share = searched / own.chars;
    own.worth = droppedWorth + own.share;
    dropSome();
    return answers;
  } catch (error) {
    // It is built again by the next request.
    if (made.get(name) === own) made.delete(name);
    throw error;
  }
}

async function readApproved(tx: Tx): Promise<Stored<Question>[]> {
  const items: Stored<Question>[] = [];
  let cursor: string | undefined;
  do {
    const page = await tx.peekPage(questions, { index: "by", value: "approved", limit: PAGE, cursor });
    items.push(...page.items);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined && items.length < ANSWEROS_LIMITS.questions);
  return items;
}

/**
 * Of indexes that are too large together, those go that are worth least (GreedyDual-Size), the oldest of them first; the last one stays. A
 * store with much that is not searched would otherwise have those of others built again for each of their searches, and so would what
 * no one uses any more.
 */
function dropSome(): void {
  let all = 0;
  for (const { chars } of made.values()) all += chars;
  while (all > CHARS_MAX && made.size > 1) {
    const [name, least] = [...made].reduce((one, other) => (other[1].worth < one[1].worth ? other : one));
    made.delete(name);
    all -= least.chars;
    droppedWorth = least.worth;
  }
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
