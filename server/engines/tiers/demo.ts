import { DEMO_SHOP } from "../../core/shop.ts";
import { DAY_MS, toInstant } from "../../lib/instant.ts";
import { derivedId, sha256Hex } from "../../core/ids.ts";
import { DEMO_PROGRAMME_ID, demoHabits, demoProgramme } from "./data/demo-club.ts";
import type { Habit } from "./data/demo-club.ts";
import { newMember } from "./services/members.ts";
import { memberId, publishedId } from "./repository.ts";
import { rfmFigures, toAggregate } from "./rules/aggregate.ts";
import { factsOf } from "./rules/facts.ts";
import { eventKey } from "./rules/ledger.ts";
import { localDateAt } from "../../lib/local-time.ts";
import { nextCheck } from "./rules/next-check.ts";
import { replay } from "./rules/replay.ts";
import { rfmCuts } from "./rules/rfm.ts";
import type { RfmCuts } from "./rules/rfm.ts";
import { EventFacts } from "./schema/event.ts";
import type { TierEvent } from "./schema/event.ts";
import { draftRules, ProgrammeDraft } from "./schema/programme.ts";
import type { Rules } from "./schema/programme.ts";
import type { Recalculation } from "./schema/recalculation.ts";
import type { Standing } from "./schema/standing.ts";
import type { Member, TierMove } from "./schema.ts";
import { newResource } from "../../lib/new-resource.ts";

/** Days for which the demo shop has single events: the ledgers have all of them. */
const LOGGED_DAYS = 60;

/** The demo programme at an instant (epoch milliseconds), evaluated by the same rules as real members. */
export function demoTiers(now: number) {
  const nowAt = toInstant(now);
  const rules = draftRules(ProgrammeDraft.parse(demoProgramme), DEMO_SHOP);
  const startedAt = toInstant(now - 730 * DAY_MS);
  const today = localDateAt(now, rules.timezone);
  const histories = demoHabits.map((habit) => {
    const events = eventsOf(habit, now);
    return { habit, events, ...replay(rules, events, { asOf: today }) };
  });
  const figures = histories.map(({ ledger }) => rfmFigures(factsOf(ledger, rules), today));
  const cuts = rfmCuts(figures.filter((one) => one !== null));
  const context = { rules, today, nowAt, cuts };
  const people = histories.map((history) => memberOf(history, context));
  return {
    programme: {
      ...newResource(DEMO_PROGRAMME_ID, startedAt),
      ...rules,
      status: "active" as const,
      published_version: 1,
      published_at: startedAt,
    },
    published: {
      id: publishedId(DEMO_PROGRAMME_ID, 1),
      programme_id: DEMO_PROGRAMME_ID,
      programme_version: 1,
      rules,
    },
    members: people.map(({ member }) => member),
    customers: people.map(({ customer }) => customer),
    events: people
      .flatMap(({ events }) => events)
      .filter(({ created_at: at }) => at >= toInstant(now - LOGGED_DAYS * DAY_MS)),
    moves: people.flatMap(({ moves }) => moves),
    cuts,
    recalculation: yesterdaysDryRun(
      now,
      { today, standings: histories.map(({ standing }) => standing) },
      rules,
    ),
  };
}

/** Orders and refunds of a buying pattern. Amounts and hours vary deterministically. */
function eventsOf(habit: Habit, now: number): EventFacts[] {
  const customer = idOf(habit);
  const events: EventFacts[] = [];
  for (let age = habit.from, count = 1; age >= habit.to; age -= habit.every, count += 1) {
    const vary = Number.parseInt(sha256Hex(`${customer} ${count}`).slice(0, 6), 16);
    const order_ref = `${customer}-${count}`;
    const at = now - age * DAY_MS - (vary % 36_000) * 1000;
    const amount = Math.round((habit.amount * (80 + (vary % 41))) / 100 / 5) * 5;
    const money = { currency: "GBP", order_ref, source: "shop" };
    const more = { channel: habit.channel ?? "web", shipping: 295, external_id: `order-${order_ref}` };
    events.push(EventFacts.parse({ type: "order", occurred_at: toInstant(at), amount, ...money, ...more }));
    if (habit.refunds !== undefined && count % habit.refunds === 0) {
      const refund = { type: "refund", external_id: `refund-${order_ref}`, amount: Math.round(amount / 3) };
      const occurred_at = toInstant(Math.min(now, at + 3 * DAY_MS));
      events.push(EventFacts.parse({ ...refund, occurred_at, ...money }));
    }
  }
  return events;
}

const idOf = ({ name }: Habit): string => name.toLowerCase().replaceAll(" ", "-");

interface DemoContext {
  readonly rules: Rules;
  readonly today: string;
  readonly nowAt: string;
  readonly cuts: RfmCuts;
}

type History = ReturnType<typeof replay> & { readonly habit: Habit; readonly events: EventFacts[] };

function memberOf({ habit, events, ledger, standing, moves }: History, { rules, nowAt, cuts }: DemoContext) {
  const customerId = idOf(habit);
  const id = memberId(customerId);
  const joinedAt = events[0]?.occurred_at ?? nowAt;
  const facts = factsOf(ledger, rules);
  const plain: Member = {
    ...newMember(id, customerId, joinedAt),
    updated_at: nowAt,
    email: `${customerId}@bakery.example`,
    name: habit.name,
    ledger,
    standing,
    moves: moves.length,
    next_check_on: nextCheck(standing, facts, { overrides: [], rules }),
  };
  const aggregate = toAggregate({ member: plain, standing, facts, rules, cuts });
  const times = (at: string) => ({ created_at: at, updated_at: at });
  return {
    member: plain,
    customer: {
      ...aggregate,
      programme_id: DEMO_PROGRAMME_ID,
      programme_version: 1,
      updated_at: nowAt,
      as_of: nowAt,
    },
    moves: moves.map((move, at): TierMove => {
      const seq = at + 1;
      const moveId = derivedId("tmv", new Uint8Array(), [id, joinedAt, String(seq)]);
      const log = { customer_id: id, seq, programme_version: 1 };
      return { id: moveId, ...times(`${move.on}T12:00:00.000Z`), ...log, ...move };
    }),
    events: events.map((event): TierEvent => {
      const { type, source, external_id, source_version, occurred_at } = event;
      return {
        id: `tev_${eventKey(event).slice(0, 40)}`,
        ...times(occurred_at),
        customer_id: id,
        type,
        source,
        external_id,
        source_version: source_version ?? 0,
        occurred_at,
        order_ref: "order_ref" in event ? event.order_ref : null,
        amount: "amount" in event ? event.amount : null,
        currency: "currency" in event ? event.currency : null,
        status: "accepted",
        reason: null,
        digest: sha256Hex(JSON.stringify([customerId, event])).slice(0, 32),
      };
    }),
  };
}

/** A dry run without moves: every member is already on the level that the rules require. */
function yesterdaysDryRun(
  now: number,
  { today, standings }: { readonly today: string; readonly standings: readonly Standing[] },
  { levels, currency }: Rules,
): Recalculation {
  const at = toInstant(now - DAY_MS);
  const members = standings.length;
  return {
    ...newResource("trc_0DEM0BAKERYC1VB00000000001", at),
    status: "ready",
    mode: "dry_run",
    as_of: today,
    scope: { level_id: null },
    placement: "hold",
    programme_id: DEMO_PROGRAMME_ID,
    programme_version: 1,
    draft: false,
    levels: levels.map(({ id }) => {
      const count = standings.filter(({ level_id: level }) => level === id).length;
      return { level_id: id, before: count, after: count };
    }),
    discounts: { currency, before: 0, after: 0 },
    progress: { done: members, total: members, cursor: null },
    counts: { up: 0, down: 0, same: members, errors: 0, written: 0, skipped: 0 },
    moves_sample: [],
    guard: { exceeded: false, down: 0, members },
    rfm: null,
    applied_at: null,
    rollback_until: null,
  };
}
