import { sha256Hex } from "../../../core/ids.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { events, memberId, members } from "../repository.ts";
import { foldLedger, isFolded, isTooLarge } from "../rules/fold-ledger.ts";
import { eventKey, joinLedgers, ledgerOf, orderKey } from "../rules/ledger.ts";
import { localDateAt } from "../../../lib/local-time.ts";
import type { EventBody, EventFacts, EventOutcome, TierEvent } from "../schema/event.ts";
import { EMPTY_LEDGER } from "../schema/ledger.ts";
import type { Ledger } from "../schema/ledger.ts";
import { TIER_LIMITS } from "../schema/programme.ts";
import type { Rules } from "../schema/programme.ts";
import type { Member } from "../schema.ts";
import { historyOf, judgeHistory, judgeMember, newMember, saveMember } from "./members.ts";
import type { EvaluationContext } from "./members.ts";
import type { History, ReplayedHistory } from "./replay-tasks.ts";
import { newResource } from "../../../lib/new-resource.ts";

/** Events per commit: three operations each, in addition to the member's own. */
export const EVENTS_PER_COMMIT = 20;

type IngestContext = EvaluationContext & { readonly now: number };

/**
 * Ingests events of one customer and evaluates the member once, in one commit: event, ledger, tier, moves and mails
 * are written atomically, so a crash leaves nothing to clean up.
 */
export async function ingestEvents(
  tx: Tx,
  context: IngestContext,
  bodies: readonly EventBody[],
): Promise<EventOutcome[]> {
  const taken = await takeEvents(tx, context, bodies);
  stageEvents(tx, taken);
  if (!taken.isChanged) return taken.outcomes;
  const judged = await judgeMember(tx, taken.member, context, { asOf: taken.today });
  await saveMember(tx, context, taken.stored, judged);
  return taken.outcomes;
}

/** Levels of a history that were computed before the transaction. */
export interface PreparedHistory {
  readonly history: History;
  readonly replayed: ReplayedHistory;
}

/** The outcomes of events, or what to compute first. */
export type IngestedHistory = { readonly outcomes: EventOutcome[] } | { readonly missing: History };

/**
 * The same for an import of history: the member is evaluated on each of its days. Where `prepared` is not of this history, nothing is
 * staged, and it returns what to compute first: in a transaction that waits for a thread, other events of the customer would wait too.
 */
export async function ingestHistory(
  tx: Tx,
  context: IngestContext,
  bodies: readonly EventBody[],
  prepared: PreparedHistory | null,
): Promise<IngestedHistory> {
  const taken = await takeEvents(tx, context, bodies);
  const { stored, member, outcomes, today } = taken;
  if (taken.isChanged) {
    const before = stored?.value.ledger ?? EMPTY_LEDGER;
    const history = historyOf(member, context, { asOf: today, before });
    if (prepared === null || JSON.stringify(prepared.history) !== JSON.stringify(history))
      return { missing: history };
    await saveMember(tx, context, stored, judgeHistory(member, context, prepared.replayed));
  }
  stageEvents(tx, taken);
  return { outcomes };
}

interface Taken {
  readonly stored: Stored<Member> | null;
  readonly member: Member;
  readonly outcomes: EventOutcome[];
  /** Events to store, by id. */
  readonly created: ReadonlyMap<string, TierEvent>;
  /** Whether an event was accepted, so that the member has to be evaluated. */
  readonly isChanged: boolean;
  readonly today: string;
}

/** A member with events of its customer. Nothing is staged. */
async function takeEvents(tx: Tx, context: IngestContext, bodies: readonly EventBody[]): Promise<Taken> {
  const today = localDateAt(context.now, context.rules.timezone);
  const customerId = bodies[0]?.customer.id ?? "";
  const stored = await findMember(tx, customerId);
  let member = stored?.value ?? newMember(memberId(customerId), customerId, context.nowAt);
  const outcomes: EventOutcome[] = [];
  const created = new Map<string, TierEvent>();
  // Before, too: versions that folded by number alone left larger ones.
  member = { ...member, ledger: foldLedger(member.ledger, context.rules, today) };
  const isFull = isTooLarge(member.ledger);
  for (const body of bodies) {
    const { member: next, outcome } = await takeOne(tx, context, { member, created, isFull }, body);
    member = next;
    outcomes.push(outcome);
  }
  const isChanged = outcomes.some(({ status }) => status === "accepted");
  if (isChanged) member = { ...member, ledger: foldLedger(member.ledger, context.rules, today) };
  return { stored, member, outcomes, created, isChanged, today };
}

function stageEvents(tx: Tx, { created }: Taken): void {
  for (const event of created.values()) tx.create(events, event);
}

/** The current member of a customer; merges are followed. */
export async function findMember(tx: Tx, customerId: string): Promise<Stored<Member> | null> {
  let member = await tx.get(members, memberId(customerId));
  // It ends: only a customer that is not merged itself takes another one in.
  while (member?.value.merged_into != null) member = await tx.get(members, member.value.merged_into);
  return member;
}

interface TakeInput {
  readonly member: Member;
  readonly created: Map<string, TierEvent>;
  /** Whether nothing fits into the ledger any more. */
  readonly isFull: boolean;
}

async function takeOne(
  tx: Tx,
  { nowAt, rules }: EvaluationContext,
  { member, created, isFull }: TakeInput,
  { customer, event: facts }: EventBody,
): Promise<{ member: Member; outcome: EventOutcome }> {
  const id = `tev_${eventKey(facts).slice(0, 40)}`;
  const digest = sha256Hex(JSON.stringify([customer.id, facts])).slice(0, 32);
  const ids = { id, customer_id: member.id };
  const known = created.get(id) ?? (await tx.get(events, id))?.value;
  if (known !== undefined) {
    const isSame = known.digest === digest;
    const outcome = isSame
      ? ({ ...ids, status: "duplicate", reason: known.reason } as const)
      : ({ ...ids, status: "ignored", reason: "contradicts" } as const);
    return { member, outcome };
  }
  const reason = refusal(member.ledger, facts, rules) ?? (isFull ? "full" : null);
  const status = reason === null ? "accepted" : "ignored";
  const { type, source, external_id, source_version, occurred_at } = facts;
  created.set(id, {
    ...newResource(id, nowAt),
    customer_id: member.id,
    type,
    source,
    external_id,
    source_version: source_version ?? 0,
    occurred_at,
    order_ref: "order_ref" in facts ? facts.order_ref : null,
    amount: "amount" in facts ? facts.amount : null,
    currency: "currency" in facts ? facts.currency : null,
    status,
    reason,
    digest,
  });
  const outcome = { ...ids, status, reason } as const;
  if (reason !== null) return { member, outcome };
  const next = {
    ...member,
    email: customer.email ?? member.email,
    name: customer.name ?? member.name,
    ledger: joinLedgers(member.ledger, ledgerOf(facts)),
  };
  return { member: next, outcome };
}

/** Why the ledger cannot accept an event; null if it can. A later revision takes the place of the one before. */
function refusal(ledger: Ledger, facts: EventFacts, { currency }: Rules): EventOutcome["reason"] {
  const own = ledgerOf(facts);
  if (facts.type !== "order" && facts.type !== "refund" && facts.type !== "cancel") {
    if (Object.keys(own.marks).some((key) => isFolded(ledger, key))) return "archived";
    return exceeds(ledger.marks, own.marks, TIER_LIMITS.marks + ROOM) ? "full" : null;
  }
  if (facts.type !== "cancel" && (facts.rate?.currency ?? facts.currency) !== currency) return "currency";
  const key = orderKey(facts.order_ref);
  if (isFolded(ledger, key)) return "archived";
  return exceeds(ledger.orders, own.orders, TIER_LIMITS.orders + ROOM) ? "full" : null;
}

const exceeds = (held: object, more: object, max: number): boolean =>
  Object.keys(held).length >= max && Object.keys(more).some((key) => !Object.hasOwn(held, key));

/** Orders and marks over the limit of recent ones in a ledger, which cannot be folded. */
const ROOM = 50;
