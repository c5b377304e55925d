import { describe, expect, it } from "vitest";

import { DEFAULT_POLICY } from "../../../server/engines/subscriptions/data/default-policy.ts";
import {
  agendaOf,
  firstDue,
  isEnding,
  mayCollect,
  nextDueAt,
  openAttempt,
} from "../../../server/engines/subscriptions/rules/agenda.ts";
import type { Contract } from "../../../server/engines/subscriptions/schema.ts";
import type { Charge } from "../../../server/engines/subscriptions/schema/charge.ts";
import { attemptOf, chargeOf, contractOf, ms, NOW } from "./fixture.ts";

const kinds = (contract: Contract, charges: readonly Charge[] = [], now = NOW): string[] =>
  agendaOf(contract, charges, DEFAULT_POLICY, now).map(({ action }) => action.kind);
const due = (contract: Contract, charges: readonly Charge[], now: number) =>
  firstDue(agendaOf(contract, charges, DEFAULT_POLICY, now), now)?.kind ?? null;
const FAR = ms("2030-01-01T00:00:00Z");

describe("agenda", () => {
  it("a contract that began today is billed at once, later ones at their time", () => {
    const contract = contractOf();
    expect(nextDueAt(agendaOf(contract, [], DEFAULT_POLICY, NOW))).toBe(NOW);
    const later = nextDueAt(agendaOf({ ...contract, next_cycle: 1 }, [], DEFAULT_POLICY, NOW)) ?? 0;
    expect(new Date(later).toISOString()).toMatch(/^2026-07-01T(09|10)/);
  });

  it("I5 nothing new while an attempt is not decided", () => {
    for (const state of ["claimed", "pending", "unknown", "requires_action"] as const) {
      const charge = chargeOf({
        attempts: [attemptOf({ state, next_lookup_at: "2026-06-01T09:01:00.000Z" })],
      });
      expect(kinds(contractOf({}, { next_cycle: 1 }), [charge])).not.toContain("attempt");
      expect(openAttempt(charge)?.state).toBe(state);
    }
  });

  it("I3 no attempt for a contract that is paused, on trial or ended", () => {
    const charge = chargeOf({ attempts: [] });
    const statuses = [
      "pending",
      "active",
      "past_due",
      "unpaid",
      "paused",
      "trialing",
      "cancelled",
      "expired",
    ] as const;
    const collecting = statuses.filter((status) =>
      kinds(contractOf({}, { status }), [charge]).includes("attempt"),
    );
    expect(collecting).toEqual(["pending", "active", "past_due", "unpaid"]);
    expect(statuses.filter((status) => mayCollect({ status }))).toEqual(collecting);
  });

  it("a first payment that was not sent yet is attempted before its contract expires", () => {
    const pending = contractOf({}, { status: "pending", next_cycle: 1 });
    const charge = chargeOf({ attempts: [] });
    const dunning = { ...charge.dunning, next_retry_at: "2026-06-02T08:00:00.000Z" };
    const expiry = ms("2026-06-02T08:00:00Z");
    expect(due(pending, [charge], expiry)).toBe("expire");
    const unsent = { ...charge, dunning };
    expect(due(pending, [unsent], expiry - 1)).toBeNull();
    expect(due(pending, [unsent], expiry)).toBe("attempt");
  });

  it("does what is known before what is new", () => {
    const cancellation = {
      requested_at: "2026-06-01T09:00:00.000Z",
      effective_on: "2026-07-01",
      reason_code: "other" as const,
      comment: "",
      by: "customer" as const,
      refund: "none" as const,
    };
    const contract = contractOf({}, { cancellation, next_cycle: 1 });
    expect(due(contract, [chargeOf()], FAR)).toBe("ask");
    expect(due(contract, [], FAR)).toBe("cancel");
    expect(due({ ...contract, cancellation: null }, [chargeOf({ attempts: [] })], FAR)).toBe("open_charge");
    expect(due(contract, [], NOW)).toBeNull();
  });

  it("waits with the end of an unpaid start while an attempt is under way", () => {
    const contract = contractOf({}, { status: "pending", next_cycle: 1 });
    expect(kinds(contract, [chargeOf()])).not.toContain("expire");
    expect(
      kinds(contract, [chargeOf({ status: "retrying", attempts: [attemptOf({ state: "failed" })] })]),
    ).toContain("expire");
  });

  it("an ended contract has nothing to do but to finish what was begun", () => {
    const ended = contractOf({}, { status: "cancelled" });
    expect(nextDueAt(agendaOf(ended, [], DEFAULT_POLICY, NOW))).toBeNull();
    expect(kinds(ended, [chargeOf()])).toEqual(["ask"]);
  });

  it("what was owed when a contract was cancelled is voided", () => {
    const ended = contractOf({}, { status: "cancelled", ended_at: "2026-06-02T09:00:00.000Z" });
    const owed = chargeOf({ status: "pending_manual", attempts: [] });
    expect(kinds(ended, [owed])).toEqual(["drop"]);
    const failed = chargeOf({ status: "retrying", attempts: [attemptOf({ state: "failed" })] });
    expect(kinds(ended, [failed])).toEqual(["drop"]);
    expect(kinds(ended, [{ ...owed, created_at: "2026-06-03T10:00:00.000Z" }])).toEqual([]);
    expect(kinds(ended, [{ ...owed, status: "exhausted" }])).toEqual([]);
    expect(kinds({ ...ended, status: "expired" }, [owed])).toEqual([]);
  });

  it("a charge whose last retry has failed comes before all that is tried, and before the next cycle", () => {
    const failedAt = "2026-06-01T09:00:00.000Z";
    const attempts = [attemptOf({ state: "failed" })];
    const dunning = { ...chargeOf().dunning, first_failed_at: failedAt };
    const ending = chargeOf({ status: "retrying", attempts, dunning: { ...dunning, give_up_at: failedAt } });
    const failed = chargeOf({
      status: "retrying",
      attempts,
      dunning: { ...dunning, next_retry_at: failedAt },
    });
    expect([isEnding(ending), isEnding(failed)]).toEqual([true, false]);
    expect(due(contractOf(), [failed, ending], FAR)).toBe("end_ladder");
    const waiting = { ...ending, dunning: { ...dunning, give_up_at: "2026-06-15T08:00:00.000Z" } };
    expect(due(contractOf({}, { next_cycle: 1 }), [waiting], ms("2026-06-16T00:00:00Z"))).toBe("give_up");
  });
});
