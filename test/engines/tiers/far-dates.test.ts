import { afterAll, beforeAll, expect, it } from "vitest";

import type { Answer } from "../../harness.ts";
import { createClub } from "./club.ts";
import type { Club } from "./club.ts";
import { level, rulesOf, spends } from "./fixture.ts";

// Windows begin years before a day and terms end years after it: all of them must be dates.

let club: Club;
beforeAll(async () => {
  club = await createClub();
});
afterAll(() => club.harness.close());

const order = (more: object = {}) => ({
  type: "order",
  external_id: "x1",
  order_ref: "r1",
  currency: "GBP",
  amount: 6_000_000,
  occurred_at: "2026-05-01T10:00:00.000Z",
  ...more,
});
const anniversary = {
  timezone: "America/New_York",
  levels: [level(0, "Base"), level(1, "Silver", spends(50_000, { type: "anniversary" }))],
};
const pointersOf = (answer: Answer): string[] =>
  (answer.json.error?.errors ?? []).map(({ pointer }: { pointer: string }) => pointer);

it.each([
  ["#/as_of", {}, { as_of: "9999-06-01", events: [order({ occurred_at: "9999-05-01T10:00:00.000Z" })] }],
  ["#/as_of", {}, { as_of: "0000-06-01" }],
  ["#/events/0/occurred_at", anniversary, { events: [order({ occurred_at: "0000-01-01T00:00:00.000Z" })] }],
])("refuses %s", async (pointer, rules, body) => {
  const answer = await club.call("POST", "/evaluations", { programme: rulesOf(rules), ...body });
  expect([answer.status, pointersOf(answer)]).toEqual([422, [pointer]]);
});

it("simulates a level that never expires", async () => {
  const current = { level_id: "lvl_silver", since: "2026-01-01", expires_on: "9999-12-31" };
  const answer = await club.call("POST", "/evaluations", { programme: rulesOf(), current });
  expect(answer.status, answer.text).toBe(200);
});
