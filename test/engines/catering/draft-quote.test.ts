import { describe, expect, it } from "vitest";

import { DEFAULT_TERMS } from "../../../server/engines/catering/data/default-policy.ts";
import {
  contentOf,
  defaultValidUntil,
  draftFault,
  endOf,
  fillDraft,
  linesFault,
  sendRefusal,
  tooManyDiets,
} from "../../../server/engines/catering/rules/draft-quote.ts";
import type { Quote } from "../../../server/engines/catering/schema.ts";
import { account, event, line, ms, NOW, quote } from "./make.ts";

const heads = { estimate: 30, min: 25, max: 40 };

describe("fillDraft", () => {
  const base = {
    lines: [line()],
    event,
    headcount: heads,
    tax_included: true,
    policy: DEFAULT_TERMS,
    deposits: null,
  };

  it("asks for the policy's deposits of who pays beforehand, and for none on credit", () => {
    expect(fillDraft({ ...base, account: null }).deposit_schedule).toMatchObject([{ amount: 19_425 }]);
    expect(fillDraft({ ...base, account: account() }).deposit_schedule).toEqual([]);
    const prepay = account({ terms: { kind: "prepay", days: 0 } });
    expect(fillDraft({ ...base, account: prepay }).deposit_schedule).toHaveLength(1);
  });

  it("takes the deposits that somebody wrote", () => {
    const deposits = [{ bps: 10_000, due: { kind: "days_before" as const, days: 7 } }];
    expect(fillDraft({ ...base, deposits, account: account() }).deposit_schedule).toMatchObject([
      { amount: 38_850, due_on: "2026-06-12" },
    ]);
  });
});

describe("draftFault", () => {
  it.each<[string, Parameters<typeof draftFault>, string | null]>([
    ["sound", [heads, [{ code: "vegan", count: 40 }], [line()]], null],
    ["min above the estimate", [{ ...heads, min: 31 }, [], []], "headcount.min"],
    ["max below the estimate", [{ ...heads, max: 29 }, [], []], "headcount.max"],
    ["C6 more diets than heads", [heads, [{ code: "vegan", count: 41 }], []], "dietary"],
    ["two lines of one id", [heads, [], [line(), line()]], "lines.1.id"],
    ["a rate on food", [heads, [], [line({ rate_bps: 100 })]], "lines.0.rate_bps"],
  ])("%s", (_, args, expected) => expect(draftFault(...args)?.path.join(".") ?? null).toBe(expected));

  it("counts each need once", () => {
    const needs = [
      { code: "vegan", count: 6 },
      { code: "halal", count: 5 },
    ];
    expect([tooManyDiets(needs, 11), tooManyDiets(needs, 10)?.detail]).toEqual([
      null,
      "The counts add up to more than 10 heads.",
    ]);
  });
});

describe("sendRefusal", () => {
  const codeOf = (more: Partial<Quote>): string | null => sendRefusal(quote(more), ms(NOW))?.code ?? null;

  it.each<[string, Partial<Quote>, string | null]>([
    ["sound", {}, null],
    ["without lines", { lines: [] }, "no_lines"],
    ["too close", { event: { ...event, date: "2026-06-02", start: "09:59" } }, "lead_time"],
    ["just far enough", { event: { ...event, date: "2026-06-02", start: "10:00" } }, null],
    ["too little", { policy: { ...DEFAULT_TERMS, min_spend: 38_851 } }, "below_min_spend"],
    ["just enough", { policy: { ...DEFAULT_TERMS, min_spend: 38_850 } }, null],
    ["too many", { policy: { ...DEFAULT_TERMS, capacity: 39 } }, "over_capacity"],
    ["already over", { valid_until: NOW }, "ends_in_the_past"],
  ])("%s", (_, more, expected) => expect(codeOf(more)).toBe(expected));
});

describe("the rest", () => {
  it("lets a quote stand for the policy's days, and never past the event", () => {
    expect(defaultValidUntil(event, DEFAULT_TERMS, ms(NOW))).toBe("2026-06-15T09:00:00.000Z");
    const soon = { ...event, date: "2026-06-05" };
    expect(defaultValidUntil(soon, DEFAULT_TERMS, ms(NOW))).toBe("2026-06-05T11:30:00.000Z");
  });

  it("ends a quote when its event begins, at the latest", () => {
    expect(endOf({ event, valid_until: "2026-06-10T09:00:00.000Z" })).toBe("2026-06-10T09:00:00.000Z");
    expect(endOf({ event, valid_until: "2027-01-01T09:00:00.000Z" })).toBe("2026-06-19T11:30:00.000Z");
  });

  it("names the line of a menu that has another one's id", () => {
    const path = ["menu_rotation", 0, "lines"];
    expect(linesFault([line(), line()], path)?.path).toEqual([...path, 1, "id"]);
    expect(linesFault([line()], path)).toBeNull();
  });

  it("freezes what a customer agrees to, and nothing of the state", () => {
    const content = contentOf(quote({ closed_reason: "x", status: "viewed" }));
    expect(contentOf(quote())).toEqual(content);
    expect(Object.keys(content)).not.toContain("status");
  });
});
