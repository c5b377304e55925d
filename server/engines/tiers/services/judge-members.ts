import { derivedId } from "../../../core/ids.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { customers, members, recalculationMoves } from "../repository.ts";
import { rfmFigures } from "../rules/aggregate.ts";
import { countLevels, discountCost, discountOf } from "../rules/effect.ts";
import type { Effect } from "../rules/effect.ts";
import type { RfmFigures } from "../rules/rfm.ts";
import type { Rules } from "../schema/programme.ts";
import type { Recalculation, RecalculationMove } from "../schema/recalculation.ts";
import type { CustomerAggregate, Member } from "../schema.ts";
import { evaluateMemberSteps, MOVES_KEPT, saveChanges, showMember } from "./members.ts";
import type { Evaluated, EvaluationContext } from "./members.ts";
import { newResource } from "../../../lib/new-resource.ts";

/** A member of a page with the documents that its application changes. */
export interface Row {
  readonly id: string;
  /** Null if it was erased meanwhile. */
  readonly member: Stored<Member> | null;
  readonly shown: Stored<CustomerAggregate> | null;
  readonly diff: Stored<RecalculationMove> | null;
}

/** Reads all documents of some members; a dry run needs the members alone. */
export async function readRows(
  tx: Tx,
  job: Recalculation,
  page: readonly (Stored<Member> | null)[],
  ids: readonly string[],
): Promise<Row[]> {
  const isDry = job.status !== "applying";
  const shown = isDry ? [] : await tx.getAll(customers, ids);
  const diffIds = ids.map((id) => diffId(job.id, id));
  const diffs = isDry ? [] : await tx.getAll(recalculationMoves, diffIds);
  return ids.map((id, index) => ({
    id,
    member: page[index] ?? null,
    shown: shown[index] ?? null,
    diff: diffs[index] ?? null,
  }));
}

export interface JudgeInput {
  readonly tx: Tx;
  readonly job: Recalculation;
  readonly context: EvaluationContext;
  /** The rules that the recalculation replaces: levels before are theirs. */
  readonly before: Rules;
  /** Runs the evaluation of a member: with pauses on the event loop, at once in a thread. */
  readonly run: <T>(steps: Generator<undefined, T>) => T | Promise<T>;
}

const SAMPLE = 20;
/** Operations reserved for the recalculation itself and for a batch of events. */
const RESERVED_OPS = 12;
/** The most that a member can cost: both documents with all index entries, a mail and the diff; then each of its moves. */
const MEMBER_OPS = 34;
const MOVE_OPS = 3;
/** Characters of documents of one commit, well below its limit of bytes. */
const CHARS_MAX = 500_000;

export interface Judgement {
  /** Of all members so far. */
  readonly effect: Effect;
  /** Number of members that were taken. */
  readonly count: number;
  /** Those of them with orders, for the score thresholds; an application has them already. */
  readonly figures: readonly RfmFigures[];
}

/** Evaluates members and stages what changes until the commit is full. */
export async function judgeRows(input: JudgeInput, rows: readonly Row[]): Promise<Judgement> {
  const { tx, job } = input;
  const effect = {
    counts: { ...job.counts },
    moves_sample: [...job.moves_sample],
    levels: job.levels,
    discounts: job.discounts,
  };
  const figures: RfmFigures[] = [];
  let count = 0;
  let chars = 0;
  for (const row of rows) {
    chars += (row.member?.members.length ?? 0) + (row.shown?.members.length ?? 0);
    const isFull = tx.room() < RESERVED_OPS + MEMBER_OPS || chars > CHARS_MAX;
    if (isFull && count > 0) break;
    const done = await evaluateIn(input, row);
    if (done !== null) {
      const cost = MEMBER_OPS + MOVE_OPS * Math.min(done.moves.length, MOVES_KEPT);
      if (count > 0 && tx.room() < RESERVED_OPS + cost) break;
    }
    count += 1;
    if (row.member === null) effect.counts.same += 1;
    if (row.member === null || done === null) {
      if (job.status === "applying") dropDiff(tx, row);
      continue;
    }
    const isWritten =
      job.status === "applying" ? await applyTo(input, row, done) : stageDiff(input, row, done);
    const own = job.status === "applying" ? null : rfmFigures(done.facts, job.as_of);
    if (own !== null) figures.push(own);
    countOne(effect, input, { row, done, isWritten });
  }
  return { effect, count, figures };
}

/** The effect on a member; null if the recalculation does not include it. */
async function evaluateIn({ job, context, run }: JudgeInput, { member }: Row): Promise<Evaluated | null> {
  const { level_id: level } = job.scope;
  if (member === null || (level !== null && member.value.standing?.level_id !== level)) return null;
  return run(evaluateMemberSteps(member.value, context, { asOf: job.as_of, placement: job.placement }));
}

interface Outcome {
  readonly row: Row;
  readonly done: Evaluated;
  readonly isWritten: boolean;
}

function countOne(
  effect: { -readonly [K in keyof Effect]: Effect[K] },
  { job, context, before: rulesBefore }: JudgeInput,
  { row, done, isWritten }: Outcome,
): void {
  const { standing, facts, moves } = done;
  const before = row.member?.value.standing ?? null;
  const direction = directionOf(before, standing);
  effect.counts[direction] += 1;
  if (isWritten && job.status === "applying") effect.counts.written += 1;
  effect.levels = countLevels(effect.levels, before?.level_id ?? null, standing.level_id);
  const cost = (rules: Rules, level: string | null): number =>
    discountCost(facts, discountOf(rules, level), job.as_of);
  effect.discounts = {
    ...effect.discounts,
    before: effect.discounts.before + cost(rulesBefore, before?.level_id ?? null),
    after: effect.discounts.after + cost(context.rules, standing.level_id),
  };
  const last = moves.at(-1);
  if (last !== undefined && isMoved(done) && direction !== "same" && effect.moves_sample.length < SAMPLE) {
    const sample = { customer_id: row.id, from: moves[0]?.from ?? null, to: last.to, kind: last.kind };
    effect.moves_sample = [...effect.moves_sample, sample];
  }
}

const isMoved = ({ moves }: Evaluated): boolean => moves.some(({ kind }) => kind !== "expiring");

/** Stages the result for a member; false if nothing changes. */
async function applyTo(input: JudgeInput, row: Row, done: Evaluated): Promise<boolean> {
  const { tx, context } = input;
  const { member, shown } = row;
  if (member === null) return false;
  tx.adopt(members, member);
  if (shown !== null) tx.adopt(customers, shown);
  const isWritten = await saveChanges(tx, context, member, showMember(member.value, context, done));
  if (isMoved(done)) stageDiff(input, row, done);
  else dropDiff(tx, row);
  return isWritten;
}

/** A rollback undoes what was done, not what the dry run predicted: the member has moved by itself since. */
function dropDiff(tx: Tx, { diff }: Row): void {
  if (diff !== null) tx.remove(recalculationMoves, diff);
}

/** Id of the effect of a recalculation on a member. */
export const diffId = (jobId: string, customerId: string): string =>
  derivedId("tdm", new Uint8Array(), [jobId, customerId]);

const DIFF_MOVES = 10;

/** Stages the effect on a member, if it moves. */
function stageDiff({ tx, job }: JudgeInput, { id, member, diff }: Row, done: Evaluated): boolean {
  if (!isMoved(done)) return false;
  const before = member?.value.standing ?? null;
  const { standing: after, moves } = done;
  const value: RecalculationMove = {
    ...newResource(diffId(job.id, id), job.created_at),
    recalculation_id: job.id,
    customer_id: id,
    direction: directionOf(before, after),
    from: before?.level_id ?? null,
    to: after.level_id,
    moves: moves.slice(-DIFF_MOVES),
    before,
    after,
  };
  // Mostly what the dry run predicted.
  if (diff === null || diff.members !== JSON.stringify(value).slice(1))
    tx.save(recalculationMoves, diff, value);
  return true;
}

function directionOf(
  before: { readonly rank: number } | null,
  after: { readonly rank: number },
): "up" | "down" | "same" {
  const was = before?.rank ?? 0;
  return after.rank > was ? "up" : after.rank < was ? "down" : "same";
}
