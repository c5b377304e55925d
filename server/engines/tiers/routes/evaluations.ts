import { readShop } from "../../../core/shop.ts";
import { z } from "zod";

import { conflictWhen, invalidField } from "../../../lib/errors.ts";
import { ok } from "../../../core/reply.ts";
import { defineRoute, missing } from "../../../core/route.ts";
import { Id, LocalDate } from "../../../core/schema.ts";
import { newMember } from "../services/members.ts";
import { programmes } from "../repository.ts";
import { toAggregate } from "../rules/aggregate.ts";
import { factsOf } from "../rules/facts.ts";
import { localDateAt } from "../../../lib/local-time.ts";
import { nextCheck } from "../rules/next-check.ts";
import { replayEvents, SIMULATED_MOVES } from "../services/replay-tasks.ts";
import { EventFacts } from "../schema/event.ts";
import { draftRules, LevelId, ProgrammeDraft, TIER_LIMITS } from "../schema/programme.ts";
import type { Rules } from "../schema/programme.ts";
import { Move } from "../schema/standing.ts";
import type { Standing } from "../schema/standing.ts";
import { CustomerAggregate } from "../schema.ts";
import { openEvaluation } from "./env.ts";
import { checkedRules, exampleLevels } from "./programmes.ts";

const shown = CustomerAggregate.shape;

const Current = z.strictObject({
  level_id: LevelId,
  since: LocalDate,
  expires_on: LocalDate.nullable(),
});

const Body = z.strictObject({
  programme: ProgrammeDraft.optional(),
  programme_id: Id.optional().meta({ description: "Its current draft, published or not" }),
  events: z.array(EventFacts).max(TIER_LIMITS.eventsPerEvaluation).default([]),
  as_of: LocalDate.optional().meta({ description: "Default: today" }),
  current: Current.optional().meta({ description: "The customer's tier before the events" }),
});

const evaluate = defineRoute({
  id: "tiers.evaluations.create",
  cost: 5,
  method: "POST",
  path: "/evaluations",
  scope: "read",
  summary: "Simulate the tier of a customer with these events",
  description:
    "Uses a draft programme in the request, a programme of the store, or the published one. Events are applied one " +
    "after the other and evaluated on their day by the same function as real ones. Nothing is stored.",
  body: Body,
  data: z.object({
    as_of: LocalDate,
    tier: shown.tier,
    benefits: shown.benefits,
    totals: shown.totals,
    windows: shown.windows,
    next_level: shown.next_level,
    retain: shown.retain,
    next_check_on: LocalDate.nullable().meta({ description: "When the tier next changes without an event" }),
    moves: z.array(Move).meta({ description: `The last ${SIMULATED_MOVES}` }),
  }),
  errors: [missing, conflictWhen("no_programme", "No programme is specified and none is published")],
  example: {
    body: {
      programme: {
        name: "Bakery Club",
        levels: exampleLevels,
      },
      events: [
        {
          type: "order",
          external_id: "shop-4711",
          order_ref: "4711",
          currency: "GBP",
          amount: 61_250,
          occurred_at: "2026-02-01T10:00:00.000Z",
        },
      ],
      as_of: "2026-06-01",
    },
  },
  async handle({ body }, ctx) {
    refuseFarDates(body);
    const rules = await rulesFor(ctx, body);
    const asOf = body.as_of ?? localDateAt(ctx.now, rules.timezone);
    const current = body.current === undefined ? null : standingFrom(rules, body.current, asOf);
    const { ledger, standing, moves } = await replayEvents(ctx.tx, {
      rules,
      events: body.events,
      asOf,
      current,
    });
    const facts = factsOf(ledger, rules);
    const member = { ...newMember("tcu_draft", "draft", ctx.nowAt), standing };
    const { tier, benefits, totals, windows, next_level, retain } = toAggregate({
      member,
      standing,
      facts,
      rules,
      cuts: null,
    });
    const nextOn = nextCheck(standing, facts, { overrides: [], rules });
    const view = { tier, benefits, totals, windows, next_level, retain };
    return ok({ as_of: asOf, ...view, next_check_on: nextOn, moves: [...moves] });
  },
});

/** First and last day of a simulation: windows begin years earlier and terms end years later, and these are dates, too. */
const DATES = { first: "1900-01-01", last: "9900-12-31" } as const;

function refuseFarDates({ as_of: asOf = DATES.first, events }: z.output<typeof Body>): void {
  const places = events.map(({ occurred_at: at }, index) => ({ path: ["events", index, "occurred_at"], at }));
  for (const { path, at } of [{ path: ["as_of"], at: asOf }, ...places]) {
    const day = at.slice(0, DATES.first.length);
    if (day < DATES.first || day > DATES.last)
      throw invalidField(path, `Send a date from ${DATES.first} to ${DATES.last}.`);
  }
}

async function rulesFor(
  ctx: Parameters<typeof openEvaluation>[0],
  {
    programme,
    programme_id: id,
  }: { programme?: z.output<typeof ProgrammeDraft> | undefined; programme_id?: string | undefined },
): Promise<Rules> {
  if (programme !== undefined && id !== undefined) {
    throw invalidField(["programme_id"], "Specify either programme or programme_id, not both.");
  }
  if (programme !== undefined) return checkedRules(draftRules(programme, await readShop(ctx.tx)));
  if (id === undefined) return (await openEvaluation(ctx)).rules;
  return (await ctx.tx.require(programmes, id)).value;
}

function standingFrom(rules: Rules, current: z.output<typeof Current>, asOf: string): Standing {
  const level = rules.levels.find(({ id }) => id === current.level_id);
  if (level === undefined)
    throw invalidField(["current", "level_id"], "The programme has no level with this id.");
  if (current.since > asOf) throw invalidField(["current", "since"], "Must not be later than `as_of`.");
  if (current.expires_on !== null && current.expires_on <= current.since) {
    throw invalidField(["current", "expires_on"], "`expires_on` must be later than `since`.");
  }
  return {
    ...current,
    rank: level.rank,
    renewals: 0,
    state: "held",
    until: null,
    before: null,
    noticed: null,
    as_of: current.since,
  };
}

export const evaluationRoutes = [evaluate];
