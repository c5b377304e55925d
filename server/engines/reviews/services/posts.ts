import { conflict } from "../../../lib/errors.ts";
import type { Collection } from "../../../core/collection.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { answers, questions } from "../repository.ts";
import { eraseAnswer, eraseQuestion } from "../rules/erase.ts";
import type { PostAction } from "../rules/transitions.ts";
import { nextPostStatus } from "../rules/transitions.ts";
import type { RejectionReason } from "../schema/parts.ts";
import type { Answer, Question } from "../schema/question.ts";
import type { ReviewWork } from "./work.ts";

/** An action on a question or an answer, and its reason. */
export interface Move {
  readonly action: PostAction;
  readonly reason?: RejectionReason | undefined;
  readonly note?: string;
}

type Post = Pick<Answer, "id" | "status" | "moderation" | "published_at" | "updated_at">;

/** The fields that an action changes, for questions and answers; 409 if the status does not allow it. */
function moved(work: ReviewWork, post: Post, { action, reason, note = "" }: Move) {
  const status = nextPostStatus(post.status, action);
  if (status === null) {
    throw conflict(
      "invalid_transition",
      `An entry with status \`${post.status}\` does not allow the action ${action}.`,
    );
  }
  const isDecision = status === "rejected" || status === "spam";
  return {
    status,
    published_at: status === "published" ? work.nowAt : null,
    updated_at: work.nowAt,
    moderation: {
      ...post.moderation,
      reason: isDecision ? (reason ?? ("spam" as const)) : null,
      note,
      by: work.by,
      at: status === "pending" ? null : work.nowAt,
    },
  };
}

export function moveQuestion(
  tx: Tx,
  work: ReviewWork,
  stored: Stored<Question>,
  move: Move,
): Stored<Question> {
  const change = moved(work, stored.value, move);
  const base = move.action === "erase" ? eraseQuestion(stored.value) : stored.value;
  return tx.put(questions, stored, { ...base, ...change });
}

/** Changes the status of an answer, and the number of published answers of its question. */
export async function moveAnswer(
  tx: Tx,
  work: ReviewWork,
  stored: Stored<Answer>,
  move: Move,
): Promise<Stored<Answer>> {
  const change = moved(work, stored.value, move);
  const was = stored.value.status === "published" ? 1 : 0;
  const is = change.status === "published" ? 1 : 0;
  const base =
    move.action === "erase" ? { ...eraseAnswer(stored.value), body: "", erase_asked: false } : stored.value;
  const next = { ...base, ...change, accepted: is === 1 && stored.value.accepted };
  await changeQuestion(tx, work, stored.value, (question) => ({
    answers_count: question.answers_count + is - was,
    accepted_answer_id:
      question.accepted_answer_id === stored.id && is === 0 ? null : question.accepted_answer_id,
  }));
  if (is > was) emitPublished(tx, work, next);
  return tx.put(answers, stored, next);
}

const emitPublished = (tx: Tx, work: ReviewWork, { id, question_id: question }: Answer): void =>
  tx.emit({
    id: work.newId("evt"),
    type: "reviews.answer.published",
    at: work.nowAt,
    data: { answer_id: id, question_id: question },
  });

/** Stores a new answer; those of the store are published immediately. */
export async function addAnswer(tx: Tx, work: ReviewWork, answer: Answer): Promise<Stored<Answer>> {
  if (answer.status === "published") {
    await changeQuestion(tx, work, answer, ({ answers_count: count }) => ({ answers_count: count + 1 }));
    emitPublished(tx, work, answer);
  }
  return tx.create(answers, answer);
}

/** Accepts one answer of a question, replacing the previous one. */
export async function acceptAnswer(
  tx: Tx,
  work: ReviewWork,
  stored: Stored<Answer>,
): Promise<Stored<Answer>> {
  if (stored.value.status !== "published") {
    throw conflict("invalid_transition", "Only a published answer can be accepted.");
  }
  const question = await tx.require(questions, stored.value.question_id);
  const before = question.value.accepted_answer_id;
  const other = before === null || before === stored.id ? null : await tx.get(answers, before);
  if (other !== null) tx.put(answers, other, { ...other.value, accepted: false, updated_at: work.nowAt });
  tx.put(questions, question, { ...question.value, accepted_answer_id: stored.id, updated_at: work.nowAt });
  return tx.put(answers, stored, { ...stored.value, accepted: true, updated_at: work.nowAt });
}

async function changeQuestion(
  tx: Tx,
  work: ReviewWork,
  { question_id: id }: Answer,
  change: (question: Question) => Partial<Question>,
): Promise<void> {
  const question = await tx.get(questions, id);
  if (question === null) return;
  tx.put(questions, question, { ...question.value, ...change(question.value), updated_at: work.nowAt });
}

/** Counts a vote into a post. */
export const withVotes = <T extends { id: string; votes: { up: number; down: number } }>(
  tx: Tx,
  collection: Collection<T>,
  stored: Stored<T>,
  votes: T["votes"] | null,
): Stored<T> => (votes === null ? stored : tx.put(collection, stored, { ...stored.value, votes }));
