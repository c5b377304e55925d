import { describe, expect, it } from "vitest";

import { closedBy, closesAt, judgeSlot } from "../../../server/engines/delivery/rules/slot-status.ts";
import type { SlotFacts } from "../../../server/engines/delivery/rules/slot-status.ts";
import { ms } from "./fixture.ts";

const times = {
  startsAt: ms("2026-03-29T08:00:00Z"),
  endsAt: ms("2026-03-29T11:00:00Z"),
  cutOffAt: ms("2026-03-28T18:00:00Z"),
};
const open: SlotFacts = { times, block: null, inHorizon: true, leadMinutes: 0, remaining: 5 };
const judge = (more: Partial<SlotFacts>, at: string, quantity = 1): string => {
  const { status, reason } = judgeSlot({ ...open, ...more }, ms(at), { quantity });
  return reason === null ? status : `${status} ${reason.code}`;
};
const noCutOff = { ...times, cutOffAt: null };

describe("closesAt", () => {
  it.each([
    ["its cut-off", {}, "2026-03-28T18:00:00.000Z"],
    ["its start", { times: noCutOff }, "2026-03-29T08:00:00.000Z"],
    ["its lead time", { times: noCutOff, leadMinutes: 90 }, "2026-03-29T06:30:00.001Z"],
    ["its lead time before its cut-off", { leadMinutes: 1440 }, "2026-03-28T08:00:00.001Z"],
  ])("is the first instant at which %s closes a slot", (_, more, expected) => {
    const facts = { ...open, ...more };
    const at = closesAt(facts);
    expect(new Date(at).toISOString()).toBe(expected);
    expect(closedBy(facts, at - 1)).toBeNull();
    expect(closedBy(facts, at)).not.toBeNull();
  });
});

describe("judgeSlot", () => {
  it.each([
    ["before everything", {}, "2026-03-28T12:00:00Z", "open"],
    ["one millisecond before the cut-off", {}, "2026-03-28T17:59:59.999Z", "open"],
    ["at the cut-off", {}, "2026-03-28T18:00:00Z", "closed cutoff_passed"],
    // DA21: 24 real hours before 09:00 BST.
    ["DA21 at the last instant", { times: noCutOff, leadMinutes: 1440 }, "2026-03-28T08:00:00Z", "open"],
    [
      "DA21 after it",
      { times: noCutOff, leadMinutes: 1440 },
      "2026-03-28T08:00:00.001Z",
      "closed lead_time_too_short",
    ],
    ["just before it begins", { times: noCutOff }, "2026-03-29T07:59:59.999Z", "open"],
    ["when it begins", { times: noCutOff }, "2026-03-29T08:00:00Z", "closed slot_closed"],
    ["beyond the horizon", { inHorizon: false }, "2026-03-28T12:00:00Z", "closed outside_horizon"],
    ["without capacity", { remaining: 0 }, "2026-03-28T12:00:00Z", "full slot_full"],
    ["blocked", { block: "stocktaking" }, "2026-03-28T12:00:00Z", "blocked date_blocked"],
    // Which reason is told when several apply.
    ["blocked and past", { block: "x", remaining: 0 }, "2026-03-30T12:00:00Z", "blocked date_blocked"],
    ["cut off and full", { remaining: 0 }, "2026-03-28T19:00:00Z", "closed cutoff_passed"],
  ])("%s", (_, facts, at, expected) => expect(judge(facts, at)).toBe(expected));

  it("asks for the whole quantity", () => {
    expect(judge({ remaining: 5 }, "2026-03-28T12:00:00Z", 5)).toBe("open");
    expect(judge({ remaining: 5 }, "2026-03-28T12:00:00Z", 6)).toBe("full slot_full");
  });

  it("closes where the items need longer than the slot", () => {
    const at = (itemMinutes: number, leadMinutes: number): string | undefined =>
      judgeSlot({ ...open, times: noCutOff, leadMinutes }, ms("2026-03-29T07:00:00Z"), { itemMinutes }).reason
        ?.code;
    expect([at(60, 0), at(61, 0), at(0, 61), at(30, 60)]).toEqual([
      undefined,
      "lead_time_too_short",
      "lead_time_too_short",
      undefined,
    ]);
  });

  it("says why in words", () => {
    const detail = (facts: Partial<SlotFacts>, quantity = 1): string | undefined =>
      judgeSlot({ ...open, ...facts }, ms("2026-03-28T12:00:00Z"), { quantity }).reason?.detail;
    expect(detail({ block: "Boxing Day" })).toBe("The day is blocked: Boxing Day.");
    expect(detail({ block: "" })).toBe("The day is blocked.");
    expect(detail({ remaining: 2 }, 3)).toBe("Only 2 left.");
    expect(detail({ remaining: 0 })).toBe("No capacity is left.");
  });
});
