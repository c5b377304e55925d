import { describe, expect, it } from "vitest";
import type { z } from "zod";

import { fromText } from "../../../server/core/collection.ts";
import { members } from "../../../server/engines/tiers/repository.ts";
import { demoTiers } from "../../../server/engines/tiers/demo.ts";
import { judgeMember } from "../../../server/engines/tiers/services/members.ts";
import { CustomerAggregate, Member, TierMove } from "../../../server/engines/tiers/schema.ts";
import { TierEvent } from "../../../server/engines/tiers/schema/event.ts";
import { Programme, Published } from "../../../server/engines/tiers/schema/programme.ts";
import { Recalculation } from "../../../server/engines/tiers/schema/recalculation.ts";

const INSTANTS = ["2026-06-01T09:00:00Z", "2026-12-31T23:30:00Z", "2028-02-29T12:00:00Z"];

describe.each(INSTANTS)("demoTiers at %s", (instant) => {
  const now = Date.parse(instant);
  const demo = demoTiers(now);

  it("is the same each time", () => expect(demoTiers(now)).toEqual(demo));

  it("fits the schemas, each id once", () => {
    const check = (schema: z.ZodType, documents: readonly { id: string }[]): void => {
      for (const document of documents) expect(schema.parse(document)).toEqual(document);
      expect(new Set(documents.map(({ id }) => id)).size).toBe(documents.length);
    };
    check(Programme, [demo.programme]);
    check(Published, [demo.published]);
    check(Member, demo.members);
    check(CustomerAggregate, demo.customers);
    check(TierEvent, demo.events);
    check(TierMove, demo.moves);
    check(Recalculation, [demo.recalculation]);
  });

  it("has a history: every level, several segments, moves of every usual kind, nothing in the future", () => {
    expect(new Set(demo.customers.map(({ tier }) => tier.name)).size).toBe(3);
    expect(new Set(demo.customers.map(({ rfm }) => rfm?.segment)).size).toBeGreaterThan(4);
    const kinds = new Set(demo.moves.map(({ kind }) => kind));
    for (const kind of ["joined", "upgraded", "renewed", "expiring", "downgraded"] as const) {
      expect(kinds).toContain(kind);
    }
    for (const { occurred_at: at } of demo.events) expect(Date.parse(at)).toBeLessThanOrEqual(now);
  });

  it("is what the rules say: judging it again changes nothing", async () => {
    const { rules, programme_id, programme_version } = demo.published;
    const world = {
      rules,
      programme_id,
      programme_version,
      nowAt: new Date(now).toISOString(),
      cuts: demo.cuts,
    };
    for (const member of demo.members) {
      const judged = await judgeMember({ part: "sto" }, member, world, {
        asOf: member.standing?.as_of ?? "",
      });
      expect(judged.moves).toEqual([]);
      expect(judged.member).toEqual(member);
      expect(demo.customers.find(({ id }) => id === member.id)).toMatchObject(judged.aggregate);
    }
  });
});

it("reads members as version 1 stored them", () => {
  const [member] = demoTiers(Date.parse("2026-06-01T09:00:00Z")).members;
  const old = { schema_version: 1, ...member, shown: "x", programme_id: "tpg_1", programme_version: 3 };
  expect(fromText(members, JSON.stringify(old))).toEqual(member);
});
