import { sendDoc } from "../../../core/plan-tx.ts";
import type { SentDoc } from "../../../core/plan-tx.ts";
import { shops } from "../../../core/shop.ts";
import type { Work, EvaluationContext } from "./members.ts";
import { giveWay, runInSlices } from "../../../lib/slices.ts";
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
import { planMembers } from "./plan-members.ts";
import type { PlannedMembers, SentRow } from "./plan-members.ts";
import { rollBack } from "./roll-back.ts";

const PAGE = 200;
const PAGES_PER_STEP = 50;
/** Members that are in memory at once while all of them are measured: each can be as large as a document may be. */
const MEASURED_PAGE = 25;

/**
 * Performs the next step of a recalculation: some pages of members, in commits that each record the progress. After a
 * crash it continues at the last commit, and repeating a step changes nothing. Returns false if nothing is left to do.
 */
export async function stepRecalculation(work: Work, id: string): Promise<boolean> {
  const { stored, rules, before } = await work.runTx(work.part, async (tx) => {
    const stored = await tx.require(recalculations, id);
    const source = await findJobRules(tx, stored.value);
    const replaced = source?.replaces == null ? null : await tx.get(published, source.replaces);
    return {
      stored,
      rules: source?.rules ?? null,
      before: replaced?.value.rules ?? source?.rules ?? null,
    };
  });
  if (rules === null || before === null) return false;
  const job = stored.value;
  switch (job.status) {
    case "measuring":
      await measure(work, job, rules);
      return true;
    case "queued":
    case "judging":
    case "applying":
      await judgePages(work, stored, { rules, before });
      return true;
    case "rolling_back":
      await rollBack(work, job, rules);
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
    const page: readonly Stored<Member>[] = await readMembers(work, cursor, MEASURED_PAGE);
    for (const { value } of page) {
      await giveWay(work.part);
      const figures = rfmFigures(factsOf(value.ledger, rules), day);
      if (figures !== null) population.push(figures);
    }
    total += page.length;
    cursor = page.length < MEASURED_PAGE ? null : (page.at(-1)?.id ?? null);
  } while (cursor !== null && !work.signal.aborted);
  return { cuts: rfmCuts(population), total };
}

/** The members after one, by id. All ids have the same length, so `~~` sorts right after an entry. */
async function readMembers(
  { runTx, part }: Work,
  after: string | null,
  limit = PAGE,
): Promise<readonly Stored<Member>[]> {
  const from = after === null ? undefined : `${after}~~`;
  const page = await runTx(part, (tx) => tx.peekPage(members, { index: "all", limit, from }));
  return page.items;
}

type RulesPair = { readonly rules: Rules; readonly before: Rules };

/** A page of members with the documents that their application changes, as it is sent to a thread. */
interface ReadPage {
  readonly ids: readonly string[];
  readonly rows: readonly SentRow[];
  readonly shop: SentDoc | null;
  readonly isLast: boolean;
}

interface PlannedPage extends Pick<ReadPage, "ids" | "isLast"> {
  readonly commits: readonly PlannedMembers[];
}

async function readPage(work: Work, job: Recalculation, after: string | null): Promise<ReadPage> {
  const page = await readMembers(work, after);
  const ids = page.map(({ id }) => id);
  return work.runTx(work.part, async (tx) => {
    const rows = await readRows(tx, job, page, ids);
    const shop = await tx.get(shops, "shop");
    return {
      ids,
      rows: rows.map(sendRow),
      shop: shop === null ? null : sendDoc(shop),
      isLast: page.length < PAGE,
    };
  });
}

/** Evaluates the page that follows a state of the recalculation. Nothing is stored. */
async function planPage(
  work: Work,
  job: Recalculation,
  { page, pair }: { readonly page: ReadPage; readonly pair: RulesPair },
): Promise<PlannedPage> {
  const { ids, rows, shop, isLast } = page;
  const { part } = work;
  const context = worldOf(work, job, pair.rules);
  const commits = await planMembers(part, { part, job, context, before: pair.before, rows, shop });
  return { ids, commits, isLast };
}

const worldOf = (
  { nowAt }: Work,
  { programme_id, programme_version, rfm: cuts }: Recalculation,
  rules: Rules,
): EvaluationContext => ({ nowAt, programme_id, programme_version, rules, cuts });

const sendRow = ({ id, member, shown, diff }: Row): SentRow => ({
  id,
  member: member === null ? null : sendDoc(member),
  shown: shown === null ? null : sendDoc(shown),
  diff: diff === null ? null : sendDoc(diff),
});

/** Reads the pages of a step; each is read while the one before it is evaluated. */
async function* readAhead(work: Work, job: Recalculation): AsyncGenerator<ReadPage, void> {
  let next: Promise<ReadPage> | null = readPage(work, job, job.progress.cursor);
  for (let pages = 1; next !== null; pages += 1) {
    const page: ReadPage = await next;
    const isEnd = page.isLast || pages === PAGES_PER_STEP;
    next = isEnd ? null : readPage(work, job, page.ids.at(-1) ?? null);
    // It is awaited only if the step goes on.
    next?.catch(() => {});
    yield page;
  }
}

/** Evaluates some pages of members: while one is stored, the next is evaluated in a thread, and the one after it read. */
async function judgePages(work: Work, first: Stored<Recalculation>, pair: RulesPair): Promise<void> {
  const pages = readAhead(work, first.value);
  const plan = async (job: Recalculation): Promise<PlannedPage | null> => {
    const { value: page } = await pages.next();
    return page ? planPage(work, job, { page, pair }) : null;
  };
  let job: Stored<Recalculation> | null = first;
  let planned: PlannedPage | null = await plan(job.value);
  while (planned !== null && job !== null && !work.signal.aborted) {
    const next = plan(stateAfter(job.value, planned));
    [job, planned] = await Promise.all([savePage(work, job, planned, pair), next]);
  }
}

function stateAfter(job: Recalculation, { ids, commits }: PlannedPage): Recalculation {
  const status = job.status === "applying" ? job.status : "judging";
  return { ...job, ...commits.at(-1)?.effect, status, progress: progressed(job, ids) };
}

function progressed({ progress }: Recalculation, ids: readonly string[]): Recalculation["progress"] {
  const done = progress.done + ids.length;
  return { done, total: Math.max(done, progress.total), cursor: ids.at(-1) ?? progress.cursor };
}

/**
 * Stores an evaluated page, in as few commits as hold it, each with the progress up to it. Null if the recalculation was ended or
 * changed, or if a member changed meanwhile, which is evaluated again: the rest of the page is left to the next step.
 */
async function savePage(
  work: Work,
  first: Stored<Recalculation>,
  page: PlannedPage,
  pair: RulesPair,
): Promise<Stored<Recalculation> | null> {
  let job = first;
  let done = 0;
  for (const commit of page.commits) {
    if (work.signal.aborted) return null;
    const ids = page.ids.slice(done, done + commit.count);
    done += commit.count;
    const isEnd = page.isLast && done === page.ids.length;
    let runs = 0;
    const before = job;
    const saved = await work.runTx(work.part, async (tx) => {
      const stored = await tx.require(recalculations, before.id);
      if (stored.version !== before.version) return null;
      runs += 1;
      const judged =
        runs === 1 ? stagePlanned(tx, commit) : await judgeAgain(work, tx, before.value, { ids, pair });
      const some = ids.slice(0, judged.count);
      const next = { ...before.value, ...judged.effect, progress: progressed(before.value, some) };
      const isWhole = some.length === ids.length;
      const value = await advanced(tx, work, { ...next, updated_at: work.nowAt }, isEnd && isWhole);
      return { job: tx.put(recalculations, stored, value), judged };
    });
    if (saved === null) return null;
    if (before.value.status !== "applying") gather(before.value, saved.judged);
    if (runs > 1) return null;
    ({ job } = saved);
  }
  return job;
}

function stagePlanned(tx: Tx, { ops, checks, events, ...judged }: PlannedMembers): Judgement {
  tx.stage(ops, checks);
  for (const event of events) tx.emit(event);
  return judged;
}

/** Evaluates members in the transaction that stores them: one of them was changed meanwhile. */
async function judgeAgain(
  work: Work,
  tx: Tx,
  job: Recalculation,
  { ids, pair }: { readonly ids: readonly string[]; readonly pair: RulesPair },
): Promise<Judgement> {
  const context = worldOf(work, job, pair.rules);
  const run = <T>(steps: Generator<undefined, T>) => runInSlices(steps, work.part);
  return judgeRows({ tx, job, context, before: pair.before, run }, await readAgain(tx, job, ids));
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
