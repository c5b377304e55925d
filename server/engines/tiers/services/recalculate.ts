import type { Work } from "./member-book.ts";
import { DAY_MS, fromInstant, toInstant } from "../../../lib/instant.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { findJobRules, members, published, recalculations, rfmDocs } from "../repository.ts";
import { rfmFigures } from "../rules/aggregate.ts";
import { factsOf } from "../rules/facts.ts";
import { exceedsGuard } from "../rules/guard.ts";
import { rfmCuts } from "../rules/rfm.ts";
import type { RfmCuts, RfmFigures } from "../rules/rfm.ts";
import type { Recalculation } from "../schema/recalculation.ts";
import type { Rules } from "../schema/programme.ts";
import type { Member } from "../schema.ts";
import { judgeRows, readRows } from "./judge-members.ts";
import type { Judgement, Row } from "./judge-members.ts";
import { rollBackChunk } from "./roll-back.ts";

const PAGE = 200;

/**
 * Performs the next step of a recalculation: one page of members, in commits that each record the progress. After a
 * crash it continues at the last commit, and repeating a step changes nothing. Returns false if nothing is left to do.
 */
export async function stepRecalculation(work: Work, id: string): Promise<boolean> {
  const { job, rules, before } = await work.runTx(work.part, async (tx) => {
    const { value } = await tx.require(recalculations, id);
    const source = await findJobRules(tx, value);
    const replaced = source?.replaces == null ? null : await tx.get(published, source.replaces);
    return {
      job: value,
      rules: source?.rules ?? null,
      before: replaced?.value.rules ?? source?.rules ?? null,
    };
  });
  if (rules === null || before === null) return false;
  switch (job.status) {
    case "measuring":
      await measure(work, job, rules);
      return true;
    case "queued":
    case "judging":
    case "applying":
      await judgePage(work, job, { rules, before });
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

/**
 * What dry runs of this process have gathered for the score thresholds, by recalculation. Another process that finishes one
 * measures all members once more.
 */
const gathered = new Map<string, { members: number; readonly population: RfmFigures[] }>();
const GATHERED_MAX = 20;

/** Adds the members of a commit to those before them. A recalculation of one level evaluates too few. */
function gather({ id, progress: { done }, scope }: Recalculation, { count, figures }: Judgement): void {
  const before = done === 0 ? { members: 0, population: [] } : gathered.get(id);
  if (before?.members !== done || scope.level_id !== null) return;
  before.population.push(...figures);
  before.members += count;
  gathered.delete(id);
  gathered.set(id, before);
  const [oldest] = gathered.keys();
  if (gathered.size > GATHERED_MAX && oldest !== undefined) gathered.delete(oldest);
}

/** Ends a dry run with the score thresholds of the store. */
async function measure(work: Work, job: Recalculation, rules: Rules): Promise<void> {
  const own = gathered.get(job.id);
  const isComplete = own?.members === job.progress.done;
  const cuts = isComplete ? rfmCuts(own.population) : (await measureShop(work, rules, job.as_of)).cuts;
  gathered.delete(job.id);
  if (work.signal.aborted) return;
  await work.runTx(work.part, async (tx) => {
    const stored = await tx.require(recalculations, job.id);
    if (stored.value.status !== job.status) return;
    const { down, up, same } = job.counts;
    const guard = { down, members: up + down + same };
    tx.put(recalculations, stored, {
      ...stored.value,
      status: "ready",
      rfm: plainCuts(cuts),
      guard: { exceeded: exceedsGuard(guard, rules.guard), ...guard },
      progress: { ...job.progress, total: job.progress.done },
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

/** Evaluates one page of members: they are read and parsed once, and written in as few commits as hold them. */
async function judgePage(
  work: Work,
  job: Recalculation,
  { rules, before }: { readonly rules: Rules; readonly before: Rules },
): Promise<void> {
  const page = await readMembers(work, job.progress.cursor);
  const { programme_id, programme_version, rfm: cuts } = job;
  const world = { nowAt: work.nowAt, programme_id, programme_version, rules, cuts };
  const isLast = page.length < PAGE;
  const ids = page.map(({ id }) => id);
  const read = await work.runTx(work.part, (tx) => readRows(tx, job, page, ids));
  let done = 0;
  let { status } = job;
  do {
    let runs = 0;
    const taken = await work.runTx(work.part, async (tx) => {
      const stored = await tx.require(recalculations, job.id);
      const now = stored.value;
      const { cursor } = now.progress;
      const [first] = ids.slice(done);
      const isBehind = cursor !== null && first !== undefined && first <= cursor;
      if (now.status !== status || isBehind) return null;
      runs += 1;
      // What a lost race changed is read again.
      const rows = runs === 1 ? read.slice(done) : await readAgain(tx, job, ids.slice(done));
      const judged = await judgeRows({ tx, job: now, world, before }, rows);
      const { effect, count } = judged;
      const total = now.progress.done + count;
      const progress = {
        done: total,
        total: Math.max(total, now.progress.total),
        cursor: rows[count - 1]?.id ?? cursor,
      };
      const next = { ...now, ...effect, progress, updated_at: work.nowAt };
      const isEnd = isLast && count === rows.length;
      tx.put(recalculations, stored, await advanced(tx, work, next, isEnd));
      return { now, judged };
    });
    // The recalculation was ended, or another worker is ahead.
    if (taken === null) return;
    const { now, judged } = taken;
    status = now.status === "applying" ? now.status : "judging";
    if (now.status !== "applying") gather(now, judged);
    done += judged.count;
  } while (done < ids.length && !work.signal.aborted);
}

async function readAgain(tx: Tx, job: Recalculation, ids: readonly string[]): Promise<Row[]> {
  const found = await tx.getAll(members, ids);
  const current = found.map((member) => (member?.value.merged_into == null ? member : null));
  return readRows(tx, job, current, ids);
}

const ROLLBACK_MS = 30 * DAY_MS;

/** The recalculation after some members, or after the last. */
async function advanced(tx: Tx, work: Work, job: Recalculation, isEnd: boolean): Promise<Recalculation> {
  if (job.status !== "applying") return { ...job, status: isEnd ? "measuring" : "judging" };
  if (!isEnd) return job;
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
