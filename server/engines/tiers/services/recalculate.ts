import type { Work } from "./member-book.ts";
import { DAY_MS, fromInstant, toInstant } from "../../../lib/instant.ts";
import { derivedId } from "../../../core/ids.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import {
  members,
  published,
  publishedId,
  recalculationMoves,
  recalculations,
  rfmDocs,
} from "../repository.ts";
import { rfmFigures } from "../rules/aggregate.ts";
import { factsOf } from "../rules/facts.ts";
import { exceedsGuard } from "../rules/guard.ts";
import { rfmCuts } from "../rules/rfm.ts";
import type { RfmCuts, RfmFigures } from "../rules/rfm.ts";
import type { Recalculation } from "../schema/recalculation.ts";
import type { Rules } from "../schema/programme.ts";
import type { Member } from "../schema.ts";
import { judgeMember, MOVES_KEPT, saveMember } from "./member-book.ts";
import type { Judged, World } from "./member-book.ts";
import { rollBackChunk } from "./roll-back.ts";

const PAGE = 200;
/**
 * Operations that the members of one commit may cost; the rest of a commit's 200 is reserved for the recalculation
 * itself.
 */
const OPS_MAX = 180;
const SAMPLE = 20;

/**
 * Performs the next step of a recalculation: one page of members, in commits that each record the progress. After a
 * crash it continues at the last commit, and repeating a step changes nothing. Returns false if nothing is left to do.
 */
export async function stepRecalculation(work: Work, id: string): Promise<boolean> {
  const { job, rules } = await work.runTx(work.part, async (tx) => {
    const { value } = await tx.require(recalculations, id);
    const source = await tx.get(published, publishedId(value.programme_id, value.programme_version));
    return { job: value, rules: source?.value.rules ?? null };
  });
  if (rules === null) return false;
  switch (job.status) {
    case "queued":
    case "measuring":
      await measure(work, job, rules);
      return true;
    case "judging":
    case "applying":
      await judgePage(work, job, rules);
      return true;
    case "rolling_back":
      await rollBackChunk(work, job, rules);
      return true;
    case "ready":
    case "applied":
    case "rolled_back":
    case "cancelled":
      return false;
  }
}

/** Processes all members once and computes the score thresholds of the store; restarts after an interruption. */
async function measure(work: Work, job: Recalculation, rules: Rules): Promise<void> {
  const { cuts, total } = await measureShop(work, rules, job.as_of);
  await work.runTx(work.part, async (tx) => {
    const stored = await tx.require(recalculations, job.id);
    if (stored.value.status !== job.status) return;
    const progress = { done: 0, total, cursor: null };
    tx.put(recalculations, stored, {
      ...stored.value,
      status: "judging",
      rfm: plainCuts(cuts),
      progress,
      updated_at: work.nowAt,
    });
  });
}

/** Thresholds of RFM and the number of members. */
export async function measureShop(
  work: Work,
  rules: Rules,
  day: string,
): Promise<{ cuts: RfmCuts; total: number }> {
  const population: RfmFigures[] = [];
  let total = 0;
  let cursor: string | null = null;
  do {
    const page: readonly Stored<Member>[] = await readMembers(work, cursor);
    for (const { value } of page) {
      const figures = rfmFigures(factsOf(value.ledger, rules), day);
      if (figures !== null) population.push(figures);
    }
    total += page.length;
    cursor = page.length < PAGE ? null : (page.at(-1)?.id ?? null);
  } while (cursor !== null && !work.signal.aborted);
  return { cuts: rfmCuts(population), total };
}

/** The members after one, by id. All ids have the same length, so `~~` sorts right after an entry. */
async function readMembers({ runTx, part }: Work, after: string | null): Promise<readonly Stored<Member>[]> {
  const from = after === null ? undefined : `${after}~~`;
  const page = await runTx(part, (tx) => tx.peekPage(members, { index: "all", limit: PAGE, from }));
  return page.items;
}

interface Candidate {
  readonly id: string;
  readonly judged: Judged | null;
}

async function judgePage(work: Work, job: Recalculation, rules: Rules): Promise<void> {
  const page = await readMembers(work, job.progress.cursor);
  const world = worldOf(work, job, rules);
  const candidates = page.map(({ id, value }): Candidate => ({ id, judged: judgeIn(job, world, value) }));
  const isLast = page.length < PAGE;
  const chunks = toChunks(candidates, job.status === "applying");
  for (const [at, chunk] of chunks.entries()) {
    if (work.signal.aborted) return;
    const isEnd = isLast && at === chunks.length - 1;
    if (!(await commitChunk(work, job, { world, chunk, isEnd }))) return;
  }
}

const worldOf = ({ nowAt }: Work, job: Recalculation, rules: Rules): World => ({
  nowAt,
  programme_id: job.programme_id,
  programme_version: job.programme_version,
  rules,
  cuts: job.rfm,
});

/** The effect on a member; null if the recalculation does not include it. */
function judgeIn(job: Recalculation, world: World, member: Member): Judged | null {
  const { level_id: level } = job.scope;
  if (level !== null && member.standing?.level_id !== level) return null;
  return judgeMember(member, world, { asOf: job.as_of, placement: job.placement });
}

/** Chunks of members whose writes fit into a commit. Only changes have a cost; the last chunk may be empty. */
function toChunks(candidates: readonly Candidate[], isApplied: boolean): Candidate[][] {
  const chunks: Candidate[][] = [[]];
  let ops = 0;
  for (const candidate of candidates) {
    const cost = costOf(candidate, isApplied);
    if (ops + cost > OPS_MAX) {
      chunks.push([]);
      ops = 0;
    }
    chunks.at(-1)?.push(candidate);
    ops += cost;
  }
  return chunks;
}

/** Maximum of documents and index entries of a member with its aggregate, of a move with its event, and of a mail. */
const MEMBER_OPS = 21;
const MOVE_OPS = 5;
const MAIL_OPS = 4;
const DIFF_OPS = 5;

function costOf({ judged }: Candidate, isApplied: boolean): number {
  if (judged === null || !judged.isChanged) return 0;
  if (!isApplied) return isMoved(judged) ? DIFF_OPS : 0;
  return MEMBER_OPS + MOVE_OPS * Math.min(judged.moves.length, MOVES_KEPT) + MAIL_OPS + DIFF_OPS;
}

const isMoved = ({ moves }: Judged): boolean => moves.some(({ kind }) => kind !== "expiring");

interface Chunk {
  readonly world: World;
  readonly chunk: readonly Candidate[];
  /** The last of all. */
  readonly isEnd: boolean;
}

/** One commit; false if the recalculation was ended or another worker is ahead. */
function commitChunk(work: Work, job: Recalculation, { world, chunk, isEnd }: Chunk): Promise<boolean> {
  return work.runTx(work.part, async (tx) => {
    const stored = await tx.require(recalculations, job.id);
    const now = stored.value;
    const [first] = chunk;
    const isBehind = now.progress.cursor !== null && first !== undefined && first.id <= now.progress.cursor;
    if (now.status !== job.status || isBehind) return false;
    const counts = { ...now.counts };
    const sample = [...now.moves_sample];
    for (const { id, judged } of chunk) {
      if (judged === null) continue;
      const done = judged.isChanged && job.status === "applying" ? await applyTo(tx, now, world, id) : judged;
      const direction = done === null ? "same" : directionOf(done);
      counts[direction] += 1;
      if (done === null || !done.isChanged) continue;
      if (job.status === "applying") counts.written += 1;
      if (!isMoved(done)) continue;
      if (job.status === "judging") stageDiff(tx, now, done, direction);
      const last = done.moves.at(-1);
      if (last !== undefined && direction !== "same" && sample.length < SAMPLE) {
        sample.push({ customer_id: id, from: done.moves[0]?.from ?? null, to: last.to, kind: last.kind });
      }
    }
    const cursor = chunk.at(-1)?.id ?? now.progress.cursor;
    const progress = { ...now.progress, done: now.progress.done + chunk.length, cursor };
    const next = { ...now, counts, moves_sample: sample, progress, updated_at: work.nowAt };
    tx.put(recalculations, stored, isEnd ? await ended(tx, work, world, next) : next);
    return true;
  });
}

/** Evaluates the member in its current state and stages the result. */
async function applyTo(tx: Tx, job: Recalculation, world: World, id: string): Promise<Judged | null> {
  const stored = await tx.get(members, id);
  if (stored === null || stored.value.merged_into !== null) return null;
  const judged = judgeIn(job, world, stored.value);
  if (judged === null || !judged.isChanged) return judged;
  await saveMember(tx, world, stored, judged);
  const diff = await tx.get(recalculationMoves, diffId(job.id, id));
  const { standing } = judged.member;
  // A rollback undoes what was done, not what the dry run predicted.
  if (isMoved(judged) && standing !== null) {
    const direction = directionOf(judged);
    if (diff === null) stageDiff(tx, job, judged, direction);
    else {
      const value = {
        ...diff.value,
        before: stored.value.standing,
        after: standing,
        moves: diffMoves(judged),
      };
      tx.put(recalculationMoves, diff, { ...value, direction, to: standing.level_id });
    }
  } else if (diff !== null) tx.remove(recalculationMoves, diff);
  return judged;
}

const diffId = (jobId: string, customerId: string): string =>
  derivedId("tdm", new Uint8Array(), [jobId, customerId]);

const DIFF_MOVES = 10;
const diffMoves = ({ moves }: Judged) => moves.slice(-DIFF_MOVES);

function stageDiff(tx: Tx, job: Recalculation, judged: Judged, direction: "up" | "down" | "same"): void {
  const { id: customerId, standing: after } = judged.member;
  if (after === null) return;
  tx.create(recalculationMoves, {
    id: diffId(job.id, customerId),
    created_at: job.created_at,
    updated_at: job.created_at,
    recalculation_id: job.id,
    customer_id: customerId,
    direction,
    from: judged.before?.level_id ?? null,
    to: after.level_id,
    moves: diffMoves(judged),
    before: judged.before,
    after,
  });
}

function directionOf({ before, member }: Judged): "up" | "down" | "same" {
  const [was, is] = [before?.rank ?? 0, member.standing?.rank ?? 0];
  return is > was ? "up" : is < was ? "down" : "same";
}

const ROLLBACK_MS = 30 * DAY_MS;

/** The recalculation after its last member. */
async function ended(tx: Tx, work: Work, world: World, job: Recalculation): Promise<Recalculation> {
  const { down, up, same } = job.counts;
  if (job.status === "judging") {
    const guard = { down, members: up + down + same };
    const exceeded = exceedsGuard(guard, world.rules.guard);
    return { ...job, status: "ready", guard: { exceeded, ...guard } };
  }
  const cuts = job.rfm;
  if (cuts !== null) await saveCuts(tx, cuts, work.nowAt);
  const rollbackUntil = toInstant(fromInstant(work.nowAt) + ROLLBACK_MS);
  return { ...job, status: "applied", applied_at: work.nowAt, rollback_until: rollbackUntil };
}

export async function saveCuts(tx: Tx, cuts: RfmCuts, nowAt: string): Promise<void> {
  const before = await tx.get(rfmDocs, "rfm");
  const value = { id: "rfm" as const, cuts: plainCuts(cuts), measured_at: nowAt };
  tx.save(rfmDocs, before, value);
}

const plainCuts = ({ members: count, recency, frequency, monetary }: RfmCuts) => ({
  members: count,
  recency: [...recency],
  frequency: [...frequency],
  monetary: [...monetary],
});
