import { expect, it } from "vitest";

import { newMember } from "../../../server/engines/tiers/services/members.ts";
import { rfmFigures, toAggregate } from "../../../server/engines/tiers/rules/aggregate.ts";
import { factsOf } from "../../../server/engines/tiers/rules/facts.ts";
import { replay } from "../../../server/engines/tiers/rules/replay.ts";
import { CustomerAggregate } from "../../../server/engines/tiers/schema.ts";
import { cancelOf, order, refundOf, rulesOf } from "./fixture.ts";

const rules = rulesOf();
const bought = [order("2025-01-10", 40_000), order("2026-02-01", 60_000), order("2026-03-01", 9000)] as const;
const events = [...bought, refundOf(bought[1], "2026-02-05", 2000), cancelOf(bought[2], "2026-03-02")];
const { ledger, standing } = replay(rules, events, { asOf: "2026-06-01" });
const facts = factsOf(ledger, rules);
const member = {
  ...newMember("tcu_1", "ada", "2026-06-01T09:00:00.000Z"),
  email: "Ada@Shop.example",
  programme_id: "tpg_1",
  programme_version: 1,
};
const aggregate = toAggregate({ member, standing, facts, rules, cuts: null });

it("sums what stands, and says what the next level takes", () => {
  expect(aggregate).toMatchObject({
    customer_id: "ada",
    tier: { name: "Silver", since: "2026-02-01", expires_on: "2027-02-01", state: "held" },
    totals: { orders: 2, spend: 98_000, refunds: 11_000, aov: 49_000 },
    recency_days: 120,
    first_order_at: "2025-01-10T10:00:00.000Z",
    next_level: {
      name: "Gold",
      progress_bps: 5800,
      missing: [{ metric: "spend", have: 58_000, need: 100_000, gap: 42_000 }],
    },
    retain: { by: "2027-02-01", missing: [] },
    rfm: null,
  });
  expect(aggregate.windows).toMatchObject([{ metric: "spend", value: 58_000, from: "2025-06-02" }]);
});

it("shows no address, only its hash, alike for every spelling of case", () => {
  expect(JSON.stringify(aggregate)).not.toMatch(/shop\.example/i);
  const lower = toAggregate({
    member: { ...member, email: "ada@shop.example" },
    standing,
    facts,
    rules,
    cuts: null,
  });
  expect(aggregate.email_hash).toMatch(/^[0-9a-f]{64}$/);
  expect(lower.email_hash).toBe(aggregate.email_hash);
});

it("fits its schema", () => {
  const at = "2026-06-01T09:00:00.000Z";
  const whole = { ...aggregate, programme_id: "tpg_1", programme_version: 1, updated_at: at, as_of: at };
  expect(CustomerAggregate.parse(whole)).toEqual(whole);
});

it("compares by the last two years, and not who bought nothing in them", () => {
  expect(rfmFigures(facts, "2026-06-01")).toEqual({ recency: 120, frequency: 2, monetary: 98_000 });
  expect(rfmFigures(facts, "2027-06-01")).toMatchObject({ frequency: 1 });
  expect(rfmFigures(facts, "2029-06-01")).toBeNull();
});
