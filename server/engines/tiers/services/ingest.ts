import { sha256Hex } from "../../../core/ids.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { events, memberId, members } from "../repository.ts";
import { foldLedger, isFolded } from "../rules/fold-ledger.ts";
import { eventKey, joinLedgers, ledgerOf, orderKey } from "../rules/ledger.ts";
import { localDateAt } from "../../../lib/local-time.ts";
import type { EventBody, EventFacts, EventOutcome } from "../schema/event.ts";
import { EMPTY_LEDGER } from "../schema/ledger.ts";
import type { Ledger } from "../schema/ledger.ts";
import { TIER_LIMITS } from "../schema/programme.ts";
import type { Rules } from "../schema/programme.ts";
import type { Member } from "../schema.ts";
import { judgeHistory, judgeMember, newMember, saveMember } from "./members.ts";
import type { EvaluationContext } from "./members.ts";
import { newResource } from "../../../lib/new-resource.ts";

/** Events per commit: three operations each, in addition to the member's own. */
export const EVENTS_PER_COMMIT = 20;

/**
 * Ingests events of one customer and evaluates the member once, in one commit: event, ledger, tier, moves and mails
 * are written atomically, so a crash leaves nothing to clean up. `backfill` imports history: see judgeHistory.
 */
export async function ingestEvents(
  tx: Tx,
  context: EvaluationContext & { readonly now: number },
  bodies: readonly EventBody[],
  { backfill = false }: { readonly backfill?: boolean } = {},
): Promise<EventOutcome[]> {
  const [first] = bodies;
  if (first === undefined) return [];
  const stored = await findMember(tx, first.customer.id);
  let member = stored?.value ?? newMember(memberId(first.customer.id), first.customer.id, context.nowAt);
  const outcomes: EventOutcome[] = [];
  for (const body of bodies) {
    const { member: next, outcome } = await takeOne(tx, context, member, body);
    member = next;
    outcomes.push(outcome);
  }
  if (!outcomes.some(({ status }) => status === "accepted")) return outcomes;
  const today = localDateAt(context.now, context.rules.timezone);
  member = { ...member, ledger: foldLedger(member.ledger, context.rules, today) };
  const judged = backfill
    ? await judgeHistory(tx, member, context, { asOf: today, before: stored?.value.ledger ?? EMPTY_LEDGER })
    : judgeMember(member, context, { asOf: today });
  await saveMember(tx, context, stored, judged);
  return outcomes;
}

/** The current member of a customer; merges are followed. */
export async function findMember(tx: Tx, customerId: string): Promise<Stored<Member> | null> {
  let member = await tx.get(members, memberId(customerId));
  for (let hops = 0; member?.value.merged_into != null && hops < MERGES_MAX; hops += 1) {
    member = await tx.get(members, member.value.merged_into);
  }
  return member;
}

/** Limit of consecutive merges of customers. */
const MERGES_MAX = 10;

async function takeOne(
  tx: Tx,
  { nowAt, rules }: EvaluationContext,
  member: Member,
  { customer, event: facts }: EventBody,
): Promise<{ member: Member; outcome: EventOutcome }> {
  const id = `tev_${eventKey(facts).slice(0, 40)}`;
  const digest = sha256Hex(JSON.stringify([customer.id, facts])).slice(0, 32);
  const ids = { id, customer_id: member.id };
  const stored = await tx.get(events, id);
  if (stored !== null) {
    const isSame = stored.value.digest === digest;
    const outcome = isSame
      ? ({ ...ids, status: "duplicate", reason: stored.value.reason } as const)
      : ({ ...ids, status: "ignored", reason: "contradicts" } as const);
    return { member, outcome };
  }
  const reason = refusal(member.ledger, facts, rules);
  const status = reason === null ? "accepted" : "ignored";
  const { type, source, external_id, source_version, occurred_at } = facts;
  tx.create(events, {
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

/** Why the ledger cannot accept an event; null if it can. */
function refusal(ledger: Ledger, facts: EventFacts, { currency }: Rules): EventOutcome["reason"] {
  if (facts.type !== "order" && facts.type !== "refund" && facts.type !== "cancel") {
    return Object.keys(ledger.marks).length >= TIER_LIMITS.marks ? "full" : null;
  }
  if (facts.type !== "cancel" && (facts.rate?.currency ?? facts.currency) !== currency) return "currency";
  const key = orderKey(facts.order_ref);
  if (isFolded(ledger, key)) return "archived";
  const entry = ledger.orders[key];
  if (entry === undefined && Object.keys(ledger.orders).length >= TIER_LIMITS.orders + ROOM) return "full";
  const refunds = Object.keys(entry?.refunds ?? {}).length;
  return facts.type === "refund" && refunds >= TIER_LIMITS.refundsPerOrder ? "full" : null;
}

/** Orders over the limit of recent orders in a ledger, which cannot be folded. */
const ROOM = 50;
