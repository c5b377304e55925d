import { describe, expect, it } from "vitest";

import { DEFAULT_POLICY } from "../../../server/engines/subscriptions/data/default-policy.ts";
import { nextRetry, overdueStageAt } from "../../../server/engines/subscriptions/rules/next-retry.ts";
import type { RetryQuestion } from "../../../server/engines/subscriptions/rules/next-retry.ts";

const failedAt = Date.parse("2012-05-31T12:00:00Z");
const ask = (more: Partial<RetryQuestion>) =>
  nextRetry({
    policy: DEFAULT_POLICY,
    category: "soft",
    code: "do_not_honour",
    now: failedAt,
    firstFailedAt: failedAt,
    attemptsAt: [failedAt],
    systemRetries: 0,
    timezone: "UTC",
    ...more,
  });
const dateOf = (retry: ReturnType<typeof nextRetry>): string =>
  retry.kind === "retry" ? new Date(retry.at).toISOString().slice(0, 16) : retry.kind;

describe("dunning", () => {
  it("A12 a ladder of eight days counts from the first failure", () => {
    const policy = { ...DEFAULT_POLICY, retry_days: [8, 16, 24, 32, 40, 48], max_attempts: 15 };
    const dates: string[] = [];
    let now = failedAt;
    for (;;) {
      const retry = ask({ policy, now });
      if (retry.kind !== "retry") break;
      dates.push(new Date(retry.at).toISOString().slice(5, 10));
      now = retry.at;
    }
    expect(dates).toEqual(["06-08", "06-16", "06-24", "07-02", "07-10", "07-18"]);
  });

  it.each(["hard", "method"] as const)("never tries the same method again after %s", (category) => {
    const retry = ask({ category });
    expect(retry).toMatchObject({ kind: "wait", until: Date.parse("2012-06-14T09:00:00Z") });
    expect(retry.why).toContain("2012-06-14");
  });

  it("repeats faults of the gateway after 5, 30 and 120 minutes, then climbs the ladder", () => {
    const at = (systemRetries: number) => dateOf(ask({ category: "system", systemRetries }));
    expect([at(0), at(1), at(2), at(3)]).toEqual([
      "2012-05-31T12:05",
      "2012-05-31T12:30",
      "2012-05-31T14:00",
      "2012-06-01T09:00",
    ]);
  });

  it("climbs the ladder where the gateway has to be set up first", () =>
    expect(dateOf(ask({ category: "config" }))).toBe("2012-06-01T09:00"));

  it("waits a week for stock", () => expect(dateOf(ask({ category: "inventory" }))).toBe("2012-06-07T09:00"));

  it("does not make up for steps that passed while nothing ran", () =>
    expect(dateOf(ask({ now: Date.parse("2012-06-06T00:00:00Z") }))).toBe("2012-06-07T09:00"));

  it("I7 stops at the ceiling of the card schemes, whatever the policy", () => {
    const attemptsAt = Array.from({ length: 15 }, (_, n) => failedAt - n * 3_600_000);
    const retry = ask({ attemptsAt });
    expect([retry.kind, retry.why.includes("15 attempts")]).toEqual(["give_up", true]);
    const old = attemptsAt.map((at) => at - 40 * 86_400_000);
    expect(ask({ attemptsAt: old }).kind).toBe("retry");
  });

  it("moves a retry for want of funds to a payday within two days", () => {
    const policy = { ...DEFAULT_POLICY, payday_shift: true };
    const first = Date.parse("2026-06-22T12:00:00Z");
    const shifted = ask({ policy, code: "insufficient_funds", now: first, firstFailedAt: first });
    expect(dateOf(shifted)).toBe("2026-06-25T09:00");
    expect(shifted.why).toContain("moved from 2026-06-23");
    expect(dateOf(ask({ policy, now: first, firstFailedAt: first }))).toBe("2026-06-23T09:00");
  });

  it("gives up with a reason when the ladder is empty", () => {
    const retry = ask({ now: Date.parse("2012-06-14T09:00:00Z") });
    expect(retry).toEqual({ kind: "give_up", why: "All 6 retries have failed." });
  });

  it("names the stage of access that a debt has reached", () => {
    const stage = (days: number, name: string) => ({
      days,
      stage: name,
      block_changes: true,
      block_fulfilment: days > 10,
    });
    const policy = { overdue_stages: [stage(14, "od2"), stage(5, "od1")] };
    const at = (today: string) => overdueStageAt(policy, "2026-06-01", today)?.stage ?? null;
    expect([at("2026-06-05"), at("2026-06-06"), at("2026-06-15")]).toEqual([null, "od1", "od2"]);
  });
});
