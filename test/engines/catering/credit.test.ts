import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  approvalNeeded,
  available,
  creditFault,
  fitsPattern,
  periodOf,
  poFault,
  rebook,
} from "../../../server/engines/catering/rules/credit.ts";
import type { Claim } from "../../../server/engines/catering/rules/credit.ts";
import type { Account } from "../../../server/engines/catering/schema/account.ts";
import { account } from "./make.ts";

const claim = (more: Partial<Claim> = {}): Claim => ({
  ref: "cor_1",
  kind: "order",
  exposure: 10_000,
  spend: 10_000,
  po_number: null,
  cost_centre: null,
  on: "2026-06-19",
  ...more,
});
const po = (more: Partial<Account["po"]> = {}): Account["po"] => ({
  required: false,
  pattern: null,
  open_pos: [{ number: "PO-1", limit: 15_000, used: 0, expires_on: "2026-06-30" }],
  ...more,
});
const centre = { code: "ENG", name: "Engineering", approver_email: "boss@office.example" };

describe("rebook", () => {
  it("puts one claim in the place of another", () => {
    const with1 = rebook(account({ po: po() }), null, claim({ po_number: "PO-1" }));
    expect(with1).toMatchObject({ exposure: 10_000, open_items: [{ ref: "cor_1", amount: 10_000 }] });
    expect(with1.po.open_pos[0]?.used).toBe(10_000);
    const less = rebook(
      with1,
      claim({ po_number: "PO-1" }),
      claim({ exposure: 4000, spend: 6000, po_number: "PO-1" }),
    );
    expect([less.exposure, less.po.open_pos[0]?.used]).toEqual([4000, 6000]);
    const none = rebook(less, claim({ exposure: 4000, spend: 6000, po_number: "PO-1" }), null);
    expect([none.exposure, none.open_items, none.po.open_pos[0]?.used]).toEqual([0, [], 0]);
  });

  it("keeps the spend of a budget by its period", () => {
    const books = account({ cost_centres: [{ ...centre, budget: { period: "quarter", amount: 1 } }] });
    const spent = rebook(books, null, claim({ cost_centre: "ENG" }));
    expect(spent.spend).toEqual([{ code: "ENG", period: "2026-Q2", amount: 10_000 }]);
    expect(rebook(spent, claim({ cost_centre: "ENG" }), null).spend).toEqual([]);
    expect([
      periodOf("2026-12-31", "month"),
      periodOf("2026-12-31", "quarter"),
      periodOf("2026-01-01", "year"),
    ]).toEqual(["2026-12", "2026-Q4", "2026"]);
  });

  it("never loses or invents money, whatever the order of claims", () => {
    const amounts = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 1_000_000 })),
      {
        maxLength: 40,
      },
    );
    fc.assert(
      fc.property(amounts, (steps) => {
        let books = account({ po: po() });
        const held = new Map<string, Claim>();
        for (const [at, amount] of steps) {
          const ref = `cor_${at}`;
          const next = claim({ ref, exposure: amount, spend: amount, po_number: "PO-1" });
          books = rebook(books, held.get(ref) ?? null, next);
          held.set(ref, next);
        }
        const all = [...held.values()].reduce((sum, { exposure }) => sum + exposure, 0);
        expect(books.exposure).toBe(all);
        expect(books.po.open_pos[0]?.used).toBe(all);
        expect(available(books)).toBe(100_000 - all);
      }),
    );
  });
});

describe("creditFault (C4)", () => {
  const codeOf = (books: Account, before: Claim | null, after: Claim) =>
    creditFault(books, before, after)?.code ?? null;

  it("allows up to the limit, and not a penny more", () => {
    expect(codeOf(account(), null, claim({ exposure: 100_000 }))).toBeNull();
    expect(codeOf(account(), null, claim({ exposure: 100_001 }))).toBe("over_credit_limit");
  });

  it("allows a smaller order to an account that is over its limit", () => {
    const over = rebook(account({ credit_limit: 5000 }), null, claim());
    expect(codeOf(over, claim(), claim({ exposure: 9000 }))).toBeNull();
    expect(codeOf(over, claim(), claim({ exposure: 10_001 }))).toBe("over_credit_limit");
  });

  it.each(["on_hold", "closed"] as const)("refuses an account that is %s", (status) =>
    expect(codeOf(account({ status }), null, claim({ exposure: 1 }))).toBe("account_not_active"),
  );

  it("refuses more open orders than the books hold", () => {
    const open_items = Array.from({ length: 500 }, (_, at) => ({
      ref: `cor_x${at}`,
      kind: "order" as const,
      amount: 1,
    }));
    expect(codeOf(account({ open_items, exposure: 500 }), null, claim())).toBe("too_many_open");
  });
});

describe("poFault (C5)", () => {
  const codeOf = (books: Account, after: Claim, before: Claim | null = null) =>
    poFault(books, before, after)?.code ?? null;

  it.each<[string, Partial<Account>, Partial<Claim>, string | null]>([
    ["none asked for", {}, {}, null],
    ["one required", { po: po({ required: true }) }, {}, "po_required"],
    ["one that is open", { po: po({ required: true }) }, { po_number: "PO-1" }, null],
    ["one that nobody knows", { po: po() }, { po_number: "PO-2" }, "po_unknown"],
    ["any, where none are listed", { po: po({ open_pos: [] }) }, { po_number: "PO-2" }, null],
    ["one that ended", { po: po() }, { po_number: "PO-1", on: "2026-07-01" }, "po_expired"],
    ["one on its last day", { po: po() }, { po_number: "PO-1", on: "2026-06-30" }, null],
    ["one with too little left", { po: po() }, { po_number: "PO-1", spend: 15_001 }, "po_exhausted"],
    ["one with just enough", { po: po() }, { po_number: "PO-1", spend: 15_000 }, null],
    ["a wrong shape", { po: po({ pattern: "PO-####" }) }, { po_number: "PO-1" }, "po_malformed"],
    ["an unknown cost centre", {}, { cost_centre: "ENG" }, "cost_centre_unknown"],
  ])("%s", (_, books, after, expected) => expect(codeOf(account(books), claim(after))).toBe(expected));

  it("does not count the same order twice", () => {
    const first = claim({ po_number: "PO-1", spend: 10_000 });
    const books = rebook(account({ po: po() }), null, first);
    expect(codeOf(books, { ...first, spend: 15_000 }, first)).toBeNull();
    expect(codeOf(books, { ...first, ref: "cor_2", spend: 5001 })).toBe("po_exhausted");
  });

  it.each([
    ["PO-1234", "PO-####", true],
    ["po-1234", "PO-####", true],
    ["PO-12a4", "PO-####", false],
    ["AB12", "@@##", true],
    ["(a+)+$", "(a+)+$", true],
    ["", "#", false],
  ])("%s has the shape %s: %s", (number, pattern, expected) =>
    expect(fitsPattern(number, pattern)).toBe(expected),
  );
});

describe("approvalNeeded (rule 12)", () => {
  const books = account({
    approval: { above_amount: 50_000, approver_email: "cfo@office.example" },
    cost_centres: [{ ...centre, budget: { period: "month", amount: 15_000 } }],
  });

  it("is needed above the amount, not at it", () => {
    expect(approvalNeeded(books, claim({ spend: 50_000 }))).toBeNull();
    expect(approvalNeeded(books, claim({ spend: 50_001 }))).toEqual({
      reason: "above_amount",
      approver_email: "cfo@office.example",
    });
  });

  it("is needed when the budget of the period is passed, from the cost centre's own approver", () => {
    const spent = rebook(books, null, claim({ cost_centre: "ENG" }));
    expect(approvalNeeded(spent, claim({ ref: "cor_2", cost_centre: "ENG", spend: 5000 }))).toBeNull();
    expect(approvalNeeded(spent, claim({ ref: "cor_2", cost_centre: "ENG", spend: 5001 }))).toEqual({
      reason: "over_budget",
      approver_email: "boss@office.example",
    });
    expect(approvalNeeded(spent, claim({ ref: "cor_2", cost_centre: "ENG", on: "2026-07-01" }))).toBeNull();
  });
});
