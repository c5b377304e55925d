import { describe, expect, it } from "vitest";

import {
  firstCompliance,
  isCoolingOff,
  planNotices,
  renewedCompliance,
} from "../../../server/engines/subscriptions/rules/compliance.ts";
import { addDays } from "../../../server/lib/local-time.ts";
import { contractOf } from "./fixture.ts";

const uk = (terms: object = {}) => contractOf({ compliance_profile: "uk_dmcc", ...terms });
const told = ({ notices }: ReturnType<typeof planNotices>): string[] =>
  notices.map(({ kind, due_on: dueOn }) => `${kind} ${dueOn}`);

describe("uk_dmcc", () => {
  it("cooling-off of fourteen days, its last day included", () => {
    const contract = uk();
    expect(contract.compliance.cooling_off).toEqual([
      { from: "2026-06-01", to: "2026-06-15", kind: "initial" },
    ]);
    expect(["2026-06-01", "2026-06-14", "2026-06-15"].map((day) => isCoolingOff(contract, day))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("a trial opens a second one at its end", () =>
    expect(firstCompliance(uk({ trial_days: 10 })).cooling_off.map(({ from }) => from)).toEqual([
      "2026-06-01",
      "2026-06-11",
    ]));

  it("a renewal for a year is announced, and may be stepped back from", () => {
    const yearly = uk({ interval: { unit: "year", count: 1 } });
    const renewed = renewedCompliance({ ...yearly, next_cycle: 2 }, 1, "2027-06-01");
    expect(renewed.cooling_off.at(-1)).toEqual({ from: "2027-06-01", to: "2027-06-15", kind: "renewal" });
    expect(told(planNotices({ ...yearly, next_cycle: 1 }))).toContain("renewal 2027-05-18");
  });

  it("others are reminded every six months, one reminder at a time", () => {
    const contract = uk();
    expect(told(contract.compliance).filter((notice) => notice.startsWith("reminder"))).toEqual([
      "reminder 2026-12-01",
    ]);
    const sent = {
      ...contract,
      next_cycle: 7,
      compliance: {
        ...contract.compliance,
        notices: contract.compliance.notices.map((notice) => ({
          ...notice,
          sent_at: "2026-12-01T09:00:00.000Z",
        })),
      },
    };
    expect(told(planNotices(sent)).filter((notice) => notice.startsWith("reminder"))).toEqual([
      "reminder 2026-12-01",
      "reminder 2027-06-01",
    ]);
    expect(planNotices({ ...sent, compliance: planNotices(sent) })).toEqual(planNotices(sent));
  });

  it("a weekly one with notices of each renewal is reminded every six months for three years, each time once", () => {
    let contract = uk({ interval: { unit: "week", count: 1 }, renewal_notice_days: 2 });
    const reminded: string[] = [];
    for (let week = 0; week < 155; week += 1) {
      const today = addDays("2026-06-01", 7 * week);
      contract = { ...contract, next_cycle: week + 1 };
      contract = { ...contract, compliance: renewedCompliance(contract, week, today) };
      // As the worker does: each notice that is due is sent, after which the next ones are planned.
      for (;;) {
        const { notices } = contract.compliance;
        const due = notices.find(({ due_on: on, sent_at: at }) => at === null && on <= today);
        if (due === undefined) break;
        if (due.kind === "reminder") reminded.push(due.due_on);
        const sent = notices.map((one) =>
          one === due ? { ...due, sent_at: `${today}T09:00:00.000Z` } : one,
        );
        const compliance = { ...contract.compliance, notices: sent };
        contract = { ...contract, compliance: planNotices({ ...contract, compliance }) };
      }
      expect(contract.compliance.notices.length).toBeLessThanOrEqual(41);
    }
    expect(reminded).toEqual(
      ["2026-12", "2027-06", "2027-12", "2028-06", "2028-12"].map((month) => `${month}-01`),
    );
  });
});

describe("without a profile", () => {
  it("nothing but what the plan asks for", () => {
    expect(told(planNotices(contractOf()))).toEqual([]);
    expect(told(planNotices(contractOf({ renewal_notice_days: 3 }, { next_cycle: 1 })))).toEqual([
      "renewal 2026-06-28",
    ]);
  });
});
