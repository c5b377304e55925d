import { storeFace } from "../../../core/face.ts";
import { toInstant } from "../../../lib/instant.ts";
import { startOfDay } from "../../../lib/local-time.ts";
import { runInSlices } from "../../../lib/slices.ts";
import { derivedId } from "../../../core/ids.ts";
import { stageStoreMail } from "../../../core/store-mail.ts";
import type { RunTx, Stored, Tx } from "../../../core/tx.ts";
import { customers, members, moves } from "../repository.ts";
import type { RunningRules } from "../repository.ts";
import { toAggregate } from "../rules/aggregate.ts";
import { evaluateSteps } from "../rules/evaluate.ts";
import { HISTORY_MOVES, moveText } from "../rules/replay.ts";
import type { Question } from "../rules/evaluate.ts";
import { factsOf } from "../rules/facts.ts";
import type { Facts } from "../rules/facts.ts";
import type { History, ReplayedHistory } from "./replay-tasks.ts";
import { activeOverride } from "../rules/override.ts";
import { nextCheck } from "../rules/next-check.ts";
import type { RfmCuts } from "../rules/rfm.ts";
import { EMPTY_LEDGER } from "../schema/ledger.ts";
import type { Ledger } from "../schema/ledger.ts";
import { Standing } from "../schema/standing.ts";
import type { Move } from "../schema/standing.ts";
import type { CustomerAggregate, Member } from "../schema.ts";
import { mailOf } from "./mails.ts";
import { newResource } from "../../../lib/new-resource.ts";

/** What an evaluation needs in addition to the member. */
export interface EvaluationContext extends RunningRules {
  readonly nowAt: string;
  readonly cuts: RfmCuts | null;
}

export interface Judged {
  /** The member's level before. */
  readonly before: Standing | null;
  readonly member: Member;
  readonly aggregate: Omit<CustomerAggregate, "as_of" | "updated_at">;
  readonly moves: readonly Move[];
  /**
   * Imported history: the moves are logged on their own days, without mail and webhooks. Those that an earlier part of the
   * import led to and that did not happen after all are removed.
   */
  readonly superseded?: ReadonlySet<string>;
}

/** A customer without data. */
export const newMember = (id: string, customerId: string, nowAt: string): Member => ({
  ...newResource(id, nowAt),
  customer_id: customerId,
  email: null,
  name: "",
  ledger: EMPTY_LEDGER,
  standing: null,
  overrides: [],
  moves: 0,
  next_check_on: null,
  merged_into: null,
  merged_from: [],
});

/** The level of a member on a day, without what is shown of it. */
export interface Evaluated {
  readonly standing: Standing;
  readonly facts: Facts;
  readonly moves: readonly Move[];
}

type How = Pick<Question, "asOf" | "placement">;

/** Evaluates a member on a day, one term that ended since the last time in each step. */
export function* evaluateMemberSteps(
  member: Member,
  { rules }: Pick<EvaluationContext, "rules">,
  how: How,
): Generator<undefined, Evaluated> {
  const facts = factsOf(member.ledger, rules);
  yield;
  const current = member.standing;
  const { standing, moves } = yield* evaluateSteps({ facts, rules, current, ...how });
  const ended = endedOverride(member, current?.as_of ?? null, standing);
  return { standing, facts, moves: ended.length === 0 ? moves : [...moves, ...ended] };
}

/** Evaluates a member on a day, with pauses between terms that ended since the last time. Nothing is stored. */
export async function judgeMember(
  { part }: Pick<Tx, "part">,
  member: Member,
  context: EvaluationContext,
  how: How,
): Promise<Judged> {
  const evaluated = await runInSlices(evaluateMemberSteps(member, context, how), part);
  return showMember(member, context, evaluated);
}

/** The history of a member; `before` is the ledger before an import, whose moves are logged already. */
export function historyOf(
  { ledger, standing }: Member,
  { rules }: EvaluationContext,
  { asOf, before }: { readonly asOf: string; readonly before: Ledger },
): History {
  return {
    rules,
    asOf,
    facts: factsOf(ledger, rules),
    before: standing === null ? null : factsOf(before, rules),
  };
}

/** A member that was evaluated on each day of its history. */
export function judgeHistory(
  member: Member,
  context: EvaluationContext,
  { news, standing, superseded }: ReplayedHistory,
): Judged {
  const facts = factsOf(member.ledger, context.rules);
  const shown = showMember(member, context, { standing, facts, moves: news });
  return { ...shown, superseded: new Set(superseded) };
}

async function removeSuperseded(tx: Tx, memberId: string, superseded: ReadonlySet<string>): Promise<void> {
  if (superseded.size === 0) return;
  const { items } = await tx.peekPage(moves, { index: "by", value: memberId, limit: 100 });
  const gone = items.filter(({ value }) => superseded.has(moveText(value)));
  for (const move of gone.slice(0, HISTORY_MOVES)) tx.remove(moves, move);
}

/** Places a member where no rule placed it: back to its standing before a recalculation. */
export function restoreStanding(member: Member, context: EvaluationContext, standing: Standing): Judged {
  const facts = factsOf(member.ledger, context.rules);
  const move: Move = {
    kind: "rolled_back",
    from: member.standing?.level_id ?? null,
    to: standing.level_id,
    on: standing.as_of,
    cause: "rollback",
    evidence: [],
  };
  return showMember(member, context, { standing, facts, moves: [move] });
}

/** An evaluated member with what is shown of it. */
export function showMember(
  member: Member,
  { rules, programme_id, programme_version, cuts }: EvaluationContext,
  { standing, facts, moves }: Evaluated,
): Judged {
  const kept = {
    ...member,
    standing,
    moves: member.moves + Math.min(moves.length, MOVES_KEPT),
    next_check_on: nextCheck(standing, facts, { overrides: member.overrides, rules }),
  };
  const shown = toAggregate({ member: kept, standing, facts, rules, cuts });
  return {
    before: member.standing,
    member: kept,
    aggregate: { ...shown, programme_id, programme_version },
    moves,
  };
}

/** After a long outage a member may have more moves than one commit allows: the last ones are stored. */
export const MOVES_KEPT = 30;

/** A later day alone is no reason to write, unless it was the member's due date. */
function sameStanding(before: Member, after: Member): boolean {
  const [old, next] = [before.standing, after.standing];
  if (old === null || next === null || before.next_check_on !== after.next_check_on) return false;
  return FIELDS.every((name) => old[name] === next[name] || isEqual(old[name], next[name]));
}

const FIELDS = Standing.keyof().options.filter((name) => name !== "as_of");
const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Whether a stored aggregate has all that is shown now; `updated_at` and `as_of` are its last members. */
const isShown = ({ value, members: text }: Stored<CustomerAggregate>, now: Judged["aggregate"]): boolean =>
  value.programme_version === now.programme_version &&
  text.startsWith(`${JSON.stringify(now).slice(1, -1)},"updated_at"`);

function endedOverride(
  { overrides }: Member,
  since: string | null,
  { as_of: today, level_id: to }: { readonly as_of: string; readonly level_id: string },
): Move[] {
  if (since === null) return [];
  const before = activeOverride(overrides, since);
  if (before === null || activeOverride(overrides, today) !== null) return [];
  return [
    {
      kind: "override_ended",
      from: before.level_id,
      to,
      on: before.until ?? today,
      cause: "manual",
      evidence: [],
    },
  ];
}

/**
 * Stages what an evaluation changed, if anything: mostly only what is shown. The private document, with the whole ledger, is
 * written again where the standing or the due date changed. False if nothing did.
 */
export async function saveChanges(
  tx: Tx,
  context: EvaluationContext,
  stored: Stored<Member>,
  judged: Judged,
): Promise<boolean> {
  if (judged.moves.length > 0 || !sameStanding(stored.value, judged.member)) {
    await saveMember(tx, context, stored, judged);
    return true;
  }
  const shown = await tx.get(customers, stored.id);
  if (shown !== null && isShown(shown, judged.aggregate)) return false;
  tx.save(customers, shown, { ...judged.aggregate, updated_at: context.nowAt, as_of: context.nowAt });
  return true;
}

/**
 * Stages an evaluated member: the private document, the aggregate, the moves and their mails, in the commit of their
 * cause. `stored` is null for a new member.
 */
export async function saveMember(
  tx: Tx,
  context: EvaluationContext,
  stored: Stored<Member> | null,
  judged: Judged,
): Promise<Stored<CustomerAggregate>> {
  const { nowAt } = context;
  const member = { ...judged.member, updated_at: nowAt };
  tx.save(members, stored, member);
  const kept = judged.moves.slice(-MOVES_KEPT);
  const isHistory = judged.superseded !== undefined;
  if (isHistory) await removeSuperseded(tx, member.id, judged.superseded);
  for (const [at, move] of kept.entries()) {
    const seq = member.moves - kept.length + at + 1;
    const id = derivedId("tmv", new Uint8Array(), [member.id, member.created_at, String(seq)]);
    const log = { customer_id: member.id, seq, programme_version: context.programme_version };
    const loggedAt = isHistory ? toInstant(startOfDay(move.on, context.rules.timezone)) : nowAt;
    tx.create(moves, { id, created_at: loggedAt, updated_at: nowAt, ...log, ...move });
    if (isHistory) continue;
    const { kind, from, to, on, cause } = move;
    const data = { move_id: id, member_id: member.id, from, to, on, cause };
    tx.emit({
      id: derivedId("evt", new Uint8Array(), [tx.part, id]),
      type: `tiers.member.${kind}`,
      at: nowAt,
      data,
    });
    if (member.email === null) continue;
    const storeMail = mailOf(move, { ...judged, rules: context.rules, words: await storeFace(tx) });
    const isNewest = !kept.slice(at + 1).some(({ kind }) => kind === move.kind);
    if (storeMail !== null && isNewest) {
      await stageStoreMail(tx, {
        id: derivedId("ltr", new Uint8Array(), [tx.part, id]),
        ...storeMail,
        created_at: nowAt,
      });
    }
  }
  const aggregate = { ...judged.aggregate, updated_at: nowAt, as_of: nowAt };
  const shown = await tx.get(customers, member.id);
  return tx.save(customers, shown, aggregate);
}

export interface Work {
  readonly part: string;
  readonly nowAt: string;
  readonly runTx: RunTx;
  readonly signal: AbortSignal;
}
