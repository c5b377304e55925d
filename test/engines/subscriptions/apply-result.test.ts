import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { DEFAULT_POLICY } from "../../../server/engines/subscriptions/data/default-policy.ts";
import {
  applyAnswer,
  applyRefusal,
  lookupAt,
  takeBack,
} from "../../../server/engines/subscriptions/rules/apply-result.ts";
import type { Failure } from "../../../server/engines/subscriptions/schema/parts.ts";
import type { Applied } from "../../../server/engines/subscriptions/rules/apply-result.ts";
import type { LookupAnswer } from "../../../server/core/payments.ts";
import { attemptOf, chargeOf, NOW } from "./fixture.ts";

const by = { now: NOW, policy: DEFAULT_POLICY, timezone: "Europe/London", expiresAt: null };
const failure: Failure = { category: "soft", code: "insufficient_funds", message: "No." };
const succeeded: LookupAnswer = { status: "succeeded", ref: "r" };
const failed: LookupAnswer = { status: "failed", ref: "r", failure };
const action: LookupAnswer = { status: "requires_action", ref: "r", action_url: null };
const pending: LookupAnswer = { status: "pending", ref: "r" };
const unknown: LookupAnswer = { status: "unknown", detail: "time-out" };
const notFound: LookupAnswer = { status: "not_found" };
const unsupported: LookupAnswer = { status: "unsupported" };

const apply = (answers: readonly LookupAnswer[]): Applied[] => {
  let charge = chargeOf();
  return answers.map((answer) => {
    const applied = applyAnswer(charge, 1, answer, by);
    charge = applied.charge;
    return applied;
  });
};

describe("takeBack", () => {
  const claim = { n: 1, leaseUntil: attemptOf().lease_until };
  const until = NOW + 3_600_000;

  it("makes an attempt that was never sent later, as if it had not been claimed", () => {
    const charge = chargeOf();
    const dunning = { ...charge.dunning, next_retry_at: "2026-06-01T10:00:00.000Z" };
    expect(takeBack(charge, claim, until)).toEqual({ ...charge, attempts: [], dunning });
  });

  it("leaves what another worker asks about, and what is decided", () => {
    const taken = { n: 1, leaseUntil: "2026-06-01T09:00:30.000Z" };
    expect(takeBack(chargeOf(), taken, until)).toEqual(chargeOf());
    expect(takeBack(chargeOf(), { ...claim, n: 2 }, until)).toEqual(chargeOf());
    const unknownYet = chargeOf({ status: "unknown", attempts: [attemptOf({ state: "unknown" })] });
    expect(takeBack(unknownYet, claim, until)).toBe(unknownYet);
    const none = chargeOf({ attempts: [] });
    expect(takeBack(none, claim, until)).toBe(none);
  });

  it("attempts nothing more where the charge was settled meanwhile", () => {
    const charge = chargeOf({ status: "voided" });
    expect(takeBack(charge, claim, until)).toEqual({ ...charge, attempts: [] });
  });
});

describe("applyAnswer", () => {
  it.each([
    ["succeeded", succeeded, "paid", "succeeded", "succeeded"],
    ["failed", failed, "failed", "retrying", "failed"],
    ["requires_action", action, "action", "requires_action", "requires_action"],
    ["pending", pending, "waiting", "processing", "pending"],
    ["unknown", unknown, "waiting", "unknown", "unknown"],
    ["not_found", notFound, "needs_review", "unknown", "unknown"],
    ["unsupported", unsupported, "needs_review", "unknown", "unknown"],
  ] as const)("%s", (...[, answer, effect, status, state]) => {
    const [applied] = apply([answer]);
    expect([applied?.effect, applied?.charge.status, applied?.charge.attempts[0]?.state]).toEqual([
      effect,
      status,
      state,
    ]);
  });

  it("in any order and number: success wins, it is paid once, and nothing definite moves back", () => {
    const answer = fc.constantFrom(succeeded, failed, action, pending, unknown, notFound, unsupported);
    fc.assert(
      fc.property(fc.array(answer, { minLength: 1, maxLength: 8 }), (answers) => {
        const applied = apply(answers);
        const last = applied.at(-1)?.charge;
        expect(applied.filter(({ effect }) => effect === "paid").length).toBe(
          answers.includes(succeeded) ? 1 : 0,
        );
        expect(last?.status === "succeeded").toBe(answers.includes(succeeded));
        // One failure of one attempt is counted once.
        expect(last?.dunning.stage).toBeLessThanOrEqual(1);
        const states = applied.map(({ charge }) => charge.attempts[0]?.state);
        for (const [at, state] of states.entries()) {
          const next = states[at + 1];
          if (state === "succeeded" && next !== undefined) expect(next).toBe("succeeded");
          if (state === "failed" && next !== undefined) expect(["failed", "succeeded"]).toContain(next);
        }
      }),
    );
  });

  it("money that comes twice, or for what was let go, is told to a person", () => {
    const paid = chargeOf({
      status: "succeeded",
      paid_at: "2026-06-01T09:00:00.000Z",
      attempts: [attemptOf({ state: "failed" }), attemptOf({ id: "chg_1-2", n: 2, state: "succeeded" })],
    });
    const applied = applyAnswer(paid, 1, succeeded, by);
    expect([applied.effect, applied.charge.status, applied.charge.review?.reason]).toEqual([
      "paid_twice",
      "succeeded",
      "double_payment",
    ]);
    expect(applyAnswer(chargeOf({ status: "voided" }), 1, succeeded, by).effect).toBe("paid_twice");
  });

  it("a failure after the charge was settled in another way changes nothing but the attempt", () => {
    const { effect, charge } = applyAnswer(chargeOf({ status: "voided" }), 1, failed, by);
    expect([effect, charge.status, charge.attempts[0]?.state]).toEqual(["none", "voided", "failed"]);
  });

  it("an attempt that is not there changes nothing", () => {
    expect(applyAnswer(chargeOf(), 9, succeeded, by).effect).toBe("none");
  });

  it("asks after 1, 5 and 30 minutes, then every hour", () => {
    const minutes = [0, 1, 2, 3, 4].map((lookups) => (Date.parse(lookupAt({ lookups }, NOW)) - NOW) / 60_000);
    expect(minutes).toEqual([1, 5, 30, 60, 60]);
  });
});

describe("applyRefusal", () => {
  it("a first payment is tried again before its contract expires, and otherwise waits for the customer", () => {
    const first = { ...by, expiresAt: NOW + 23 * 3_600_000 };
    const retryOf = (more: Partial<typeof failure>, at = NOW) => {
      const { charge } = applyRefusal(chargeOf(), { ...failure, ...more }, { ...first, now: at });
      return [charge.status, charge.dunning.next_retry_at, charge.dunning.give_up_at];
    };
    expect(retryOf({})).toEqual(["retrying", "2026-06-02T07:00:00.000Z", null]);
    expect(retryOf({}, NOW + 22 * 3_600_000)).toEqual(["retrying", null, null]);
    expect(retryOf({ category: "hard" })).toEqual(["retrying", null, null]);
    expect(retryOf({ category: "action" })).toEqual(["retrying", null, null]);
    expect(retryOf({ category: "system" })).toEqual(["retrying", "2026-06-01T09:05:00.000Z", null]);
  });

  it("says why each time", () => {
    const { charge } = applyRefusal(chargeOf(), failure, by);
    expect(charge.decisions).toEqual([
      {
        at: "2026-06-01T09:00:00.000Z",
        why: "insufficient_funds: Step 1 of 6: 1 days after the first failure.",
      },
    ]);
  });
});
