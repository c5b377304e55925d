import type { Level, Rules } from "../schema/programme.ts";
import type { Move, Standing } from "../schema/standing.ts";
import { judge } from "./criteria.ts";
import type { Verdict } from "./criteria.ts";
import { countedFor, markUsed } from "./evidence.ts";
import type { Used } from "./evidence.ts";
import { expiryOf, termAfter } from "./expiry.ts";
import type { Facts } from "./facts.ts";
import { addDays, daysBetween } from "../../../lib/local-time.ts";
import { runAtOnce } from "../../../lib/slices.ts";

export interface Question {
  readonly facts: Facts;
  readonly rules: Rules;
  /** Local date of the evaluation. */
  readonly asOf: string;
  readonly current: Standing | null;
  /** `requalify` moves all members to the level they qualify for, whatever their current term. */
  readonly placement?: Placement;
}
type Placement = "hold" | "requalify";

export interface Evaluation {
  readonly standing: Standing;
  readonly moves: readonly Move[];
}

/**
 * The standing of a member on a day, computed from the ledger, the rules and the previous standing. Terms that ended
 * in between are evaluated one by one in order, each by the day before it ended, and the member is placed again on the
 * day it ended: a late worker gets the same result as one that ran on each of those days. Evaluating the same day
 * twice changes nothing.
 */
export const evaluate = (question: Question): Evaluation => runAtOnce(evaluateSteps(question));

/**
 * The same, in steps of one level at most: a test clock can end a thousand terms at once, and twelve levels of as many criteria as they
 * can have take 100 ms of a member with a full ledger.
 */
export function* evaluateSteps(question: Question): Generator<undefined, Evaluation> {
  const { facts, rules, current } = question;
  const asOf = current !== null && current.as_of > question.asOf ? current.as_of : question.asOf;
  const context: Context = {
    facts,
    rules,
    levels: [...rules.levels].sort((a, b) => a.rank - b.rank),
    joinedOn: facts.joinedOn ?? asOf,
    moves: [],
  };
  let standing = fitted(context, current ?? newcomer(context), asOf);
  if (current === null)
    note(context, { kind: "joined", from: null, to: standing, on: standing.since, cause: "activity" });
  for (let turn = 0; turn < TERMS_MAX; turn += 1) {
    const deadline = standing.until ?? standing.expires_on;
    if (deadline === null || deadline > asOf) break;
    standing = yield* settled(context, yield* atDeadline(context, standing, deadline), deadline, "hold");
    yield;
  }
  standing = yield* settled(context, standing, asOf, question.placement ?? "hold");
  standing = noticed(context, standing, asOf);
  return { standing: { ...standing, as_of: asOf }, moves: context.moves };
}

/** Monthly terms for longer than any store exists: a bound for the loop. */
const TERMS_MAX = 1_200;

interface Context {
  readonly facts: Facts;
  readonly rules: Rules;
  /** By rank, ascending. */
  readonly levels: readonly Level[];
  readonly joinedOn: string;
  readonly moves: Move[];
}

/** What an evaluation needs of a standing, or of the one before an upgrade. */
type Held = Pick<Standing, "level_id" | "rank" | "since" | "renewals" | "used">;

const newcomer = ({ levels, joinedOn }: Context): Standing => ({
  level_id: levels[0]?.id ?? "",
  rank: 0,
  since: joinedOn,
  renewals: 0,
  expires_on: null,
  state: "held",
  until: null,
  before: null,
  noticed: null,
  as_of: joinedOn,
});

/** A level that no longer exists in the rules becomes the highest one at or below its rank. */
function fitted(context: Context, standing: Standing, asOf: string): Standing {
  const own = context.levels.find(({ id }) => id === standing.level_id);
  if (own !== undefined) return withTerm(context, { ...standing, rank: own.rank }, asOf);
  const next = context.levels.findLast(({ rank }) => rank <= standing.rank) ?? context.levels[0];
  if (next === undefined) return standing;
  const kept = { ...standing, level_id: next.id, rank: next.rank, before: null };
  const result = withTerm(context, kept, asOf);
  note(context, {
    kind: next.rank < standing.rank ? "downgraded" : "replaced",
    from: standing.level_id,
    to: result,
    on: asOf,
    cause: "recalculation",
  });
  return result;
}

/** Rules that changed can give a level a term that it had not, which ends after today, or take away the one that it had. */
function withTerm({ rules }: Context, standing: Standing, asOf: string): Standing {
  const { rank, since, renewals, expires_on: expiresOn } = standing;
  const hasTerm = rank > 0 && expiryOf(rules, since, renewals) !== null;
  if (hasTerm === (expiresOn !== null)) return standing;
  return hasTerm
    ? { ...standing, ...termAfter(rules, standing, asOf) }
    : { ...standing, expires_on: null, until: null, state: "held" };
}

interface MoveInput extends Omit<Move, "from" | "to" | "evidence"> {
  readonly from: string | null;
  readonly to: Pick<Standing, "level_id">;
  readonly verdict?: Verdict;
}

function note({ moves }: Context, { to, verdict, ...move }: MoveInput): void {
  moves.push({ ...move, to: to.level_id, evidence: [...(verdict?.findings ?? [])] });
}

type Judging = Pick<Context, "facts" | "rules" | "joinedOn">;

/** Whether a member with a standing meets the entry criteria of a level on a day. */
export function entryOf({ facts, rules, joinedOn }: Judging, level: Level, day: string, from: Held): Verdict {
  const anchors = { joinedOn, since: from.since, startDate: rules.start_date };
  return judge(level.entry, countedFor(level, facts, rules, from), day, anchors);
}

/** Whether a member may retain the level, evaluated on a day. */
export function retention({ facts, rules, joinedOn }: Judging, standing: Held, day: string): Verdict {
  const level = rules.levels.find(({ id }) => id === standing.level_id);
  if (level === undefined) return judge({ all: [] }, facts, day, NO_ANCHORS);
  const entry = level.retain ?? level.entry;
  return entryOf({ facts, rules, joinedOn }, { ...level, entry }, day, standing);
}

const NO_ANCHORS = { joinedOn: "", since: "", startDate: "" };

interface Qualified {
  readonly level: Level;
  readonly verdict: Verdict;
}

/** A result that takes several steps. */
type Steps<T> = Generator<undefined, T>;

/** The highest level whose entry criteria are met on a day; all members have the base level. */
function* qualified(context: Context, day: string, from: Held): Steps<Qualified> {
  for (const level of context.levels.toReversed()) {
    const verdict = entryOf(context, level, day, from);
    if (verdict.met || level.rank === 0) return { level, verdict };
    yield;
  }
  throw new Error("The programme has no base level.");
}

/** The standing after the day on which its term, protection or grace period ends. */
function* atDeadline(context: Context, standing: Standing, deadline: string): Steps<Standing> {
  const { rules } = context;
  const day = addDays(deadline, -1);
  const verdict = retention(context, standing, day);
  if (verdict.met) return renewed(context, standing, deadline, { verdict });
  const protectedUntil = addDays(standing.since, rules.protection_days);
  if (standing.state === "held" && protectedUntil > deadline) {
    note(context, {
      kind: "protected",
      from: standing.level_id,
      to: standing,
      on: deadline,
      cause: "term_end",
      verdict,
    });
    return { ...standing, state: "protected", until: protectedUntil };
  }
  if (standing.state !== "grace" && rules.grace_days > 0) {
    note(context, {
      kind: "grace_started",
      from: standing.level_id,
      to: standing,
      on: deadline,
      cause: "term_end",
      verdict,
    });
    return { ...standing, state: "grace", until: addDays(deadline, rules.grace_days) };
  }
  return yield* dropped(context, standing, deadline, verdict);
}

/** The next term, counted from the upgrade: the first that ends after the deadline. */
function renewed(
  context: Context,
  standing: Standing,
  deadline: string,
  { verdict, through = addDays(deadline, -1) }: { readonly verdict: Verdict; readonly through?: string },
): Standing {
  const { since, renewals } = standing;
  const term = termAfter(context.rules, { since, renewals: renewals + 1 }, deadline);
  note(context, {
    kind: standing.state === "held" ? "renewed" : "recovered",
    from: standing.level_id,
    to: standing,
    on: deadline,
    cause: "term_end",
    verdict,
  });
  const still = { ...standing, state: "held" as const, until: null, before: null, noticed: null };
  const used = markUsed(context.rules, standing.used, standing.rank, through);
  return { ...still, ...term, ...used };
}

function* dropped(context: Context, standing: Standing, deadline: string, verdict: Verdict): Steps<Standing> {
  const { level: earned } = yield* qualified(context, addDays(deadline, -1), standing);
  const rank = targetRank(context.rules.downgrade, standing.rank, earned.rank);
  // Entry may be met where retain is not: no member drops below what a new customer would get immediately.
  if (rank >= standing.rank) return renewed(context, standing, deadline, { verdict });
  const next = levelAt(context, rank);
  const requalified = held(context, next, deadline, standing.used, addDays(deadline, -1));
  note(context, {
    kind: "downgraded",
    from: standing.level_id,
    to: requalified,
    on: deadline,
    cause: "term_end",
    verdict,
  });
  return requalified;
}

function targetRank(policy: Rules["downgrade"], rank: number, earned: number): number {
  if (policy === "to_qualified") return earned;
  if (policy === "to_base") return 0;
  return Math.max(rank - 1, earned);
}

const levelAt = ({ levels }: Context, rank: number): Level => {
  const level = levels.findLast((one) => one.rank <= rank) ?? levels[0];
  if (level === undefined) throw new Error("The programme has no levels.");
  return level;
};

const held = (
  { rules }: Context,
  level: Level,
  since: string,
  ...[before, through]: UsedBefore
): Standing => ({
  level_id: level.id,
  rank: level.rank,
  since,
  renewals: 0,
  expires_on: level.rank === 0 ? null : expiryOf(rules, since, 0),
  state: "held",
  until: null,
  before: null,
  noticed: null,
  as_of: since,
  ...markUsed(rules, before, level.rank, through),
});

/** What earlier levels were reached with, and the last day whose evidence goes into this one. */
type UsedBefore = [before: Used | undefined, through: string];

/** Effects of a day on a standing other than the end of a term. */
function* settled(context: Context, standing: Standing, day: string, placement: Placement): Steps<Standing> {
  const left = yield* afterRefund(context, standing, day);
  return inGrace(context, yield* placed(context, left, day, placement), day);
}

/**
 * A refund or cancellation undoes an upgrade that is recent enough and depends on the refunded amount. The previous
 * level is restored with its term, unless the remaining amount qualifies for a higher one.
 */
function* afterRefund(context: Context, standing: Standing, asOf: string): Steps<Standing> {
  const { rules, facts } = context;
  const { before } = standing;
  if (rules.on_refund !== "immediate" || before === null || before.rank >= standing.rank) return standing;
  if (daysBetween(standing.since, asOf) > rules.refund_reversal_days) return standing;
  const own = context.levels.find(({ id }) => id === standing.level_id);
  if (own === undefined) return standing;
  const verdict = entryOf(context, own, asOf, before);
  if (verdict.met) return standing;
  const kept = { ...facts, facts: facts.facts.filter(({ isReversal }) => !isReversal) };
  if (!entryOf({ ...context, facts: kept }, own, asOf, before).met) return standing;
  const { level: earned } = yield* qualified(context, asOf, before);
  const isRunning = before.expires_on === null || before.expires_on > asOf;
  const stillThere = context.levels.some(({ id }) => id === before.level_id);
  const next: Standing =
    isRunning && stillThere && before.rank >= earned.rank
      ? restored(before, asOf)
      : held(context, earned, asOf, before.used, asOf);
  note(context, {
    kind: "downgraded",
    from: standing.level_id,
    to: next,
    on: asOf,
    cause: "refund",
    verdict,
  });
  // The level before may depend on what was refunded as well.
  return yield* afterRefund(context, next, asOf);
}

type Before = NonNullable<Standing["before"]>;
type Earlier = NonNullable<Before["earlier"]>;

function restored({ earlier = [], ...own }: Before, asOf: string): Standing {
  const [last, ...others] = earlier;
  const before = last === undefined ? null : withEarlier(last, others);
  return { ...own, state: "held", until: null, before, noticed: null, as_of: asOf };
}

const withEarlier = (own: Earlier[number], earlier: Earlier): Before =>
  earlier.length === 0 ? own : { ...own, earlier };

/** The standings before one whose own upgrade a refund can still undo. */
function reversible({ rules }: Context, { before, since }: Standing, asOf: string): Earlier {
  if (before === null || daysBetween(since, asOf) > rules.refund_reversal_days) return [];
  const { earlier = [], ...own } = before;
  return [own, ...earlier];
}

/** Upgrades are immediate; downgrades only happen without a term. */
function* placed(context: Context, standing: Standing, asOf: string, placement: Placement): Steps<Standing> {
  const isFree = context.rules.term.type === "immediate" || placement === "requalify";
  // Without terms there is nothing to renew: everything in a window counts.
  const judging = isFree ? { ...context, rules: { ...context.rules, evidence: "window" as const } } : context;
  const { level, verdict } = yield* qualified(judging, asOf, standing);
  if (level.rank === standing.rank || (level.rank < standing.rank && !isFree)) return standing;
  const isUp = level.rank > standing.rank;
  const { level_id, rank, since, renewals, expires_on, used } = standing;
  const own = { level_id, rank, since, renewals, expires_on, ...(used === undefined ? {} : { used }) };
  const before = isUp ? withEarlier(own, reversible(context, standing, asOf)) : null;
  const next: Standing = { ...held(context, level, asOf, used, asOf), before };
  const cause = placement === "requalify" ? "recalculation" : "activity";
  note(context, {
    kind: isUp ? "upgraded" : "downgraded",
    from: level_id,
    to: next,
    on: asOf,
    cause,
    verdict,
  });
  return next;
}

/** A member that meets the level's criteria again during the grace period keeps it for another term. */
function inGrace(context: Context, standing: Standing, asOf: string): Standing {
  if (standing.state !== "grace" || standing.until === null) return standing;
  const verdict = retention(context, standing, asOf);
  if (!verdict.met) return standing;
  const back = renewed(context, standing, standing.until, { verdict, through: asOf });
  const last = context.moves.at(-1);
  // It happened today, although the term counts from the end of the grace period.
  if (last !== undefined) context.moves[context.moves.length - 1] = { ...last, on: asOf, cause: "activity" };
  return back;
}

/** Notifies members about to lose the level; after an outage only the latest notice is sent. */
function noticed(context: Context, standing: Standing, asOf: string): Standing {
  const { expires_on: expiresOn } = standing;
  if (standing.state !== "held" || expiresOn === null) return standing;
  const left = daysBetween(asOf, expiresOn);
  const days = [...context.rules.notice_days].sort((a, b) => a - b).find((notice) => left <= notice);
  if (days === undefined || (standing.noticed !== null && standing.noticed <= days)) return standing;
  const verdict = retention(context, standing, asOf);
  if (verdict.met) return standing;
  note(context, {
    kind: "expiring",
    from: standing.level_id,
    to: standing,
    on: asOf,
    cause: "term_end",
    verdict,
  });
  return { ...standing, noticed: days };
}
