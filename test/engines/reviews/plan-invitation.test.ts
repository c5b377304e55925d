import { describe, expect, it } from "vitest";

import { DEFAULT_SETTINGS } from "../../../server/engines/reviews/data/defaults.ts";
import type { InvitationState } from "../../../server/engines/reviews/rules/plan-invitation.ts";
import {
  isLate,
  nextStep,
  offeredIn,
  reminderAt,
  sendAt,
} from "../../../server/engines/reviews/rules/plan-invitation.ts";
import { makeOrder } from "./make.ts";

const [item = makeOrder().items[0]!] = makeOrder().items;
const terms = {
  ...DEFAULT_SETTINGS,
  invitations: { ...DEFAULT_SETTINGS.invitations, category_delays: { cheese: 30, bread: 3 } },
};

describe("when an invitation goes out", () => {
  it.each([
    ["two weeks later", [null], "2026-06-01T10:00:00.000Z", "2026-06-15T10:00:00.000Z"],
    ["by its category", ["bread"], "2026-06-01T10:00:00.000Z", "2026-06-04T10:00:00.000Z"],
    ["after the longest delay", ["bread", "cheese"], "2026-06-01T10:00:00.000Z", "2026-07-01T10:00:00.000Z"],
    ["never at night", [null], "2026-06-01T22:00:00.000Z", "2026-06-16T07:00:00.000Z"],
  ])("%s", (_, categories, delivered, expected) => {
    const items = categories.map((category) => ({ ...item, category }));
    expect(sendAt(delivered, items, terms)).toBe(expected);
  });

  it("has one reminder after a week, or none", () => {
    const now = Date.parse("2026-06-01T10:00:00.000Z");
    expect(reminderAt(now, terms)).toBe("2026-06-08T10:00:00.000Z");
    const never = { ...terms, invitations: { ...terms.invitations, remind_after_days: null } };
    expect(reminderAt(now, never)).toBeNull();
  });
});

it("is late when its link would have expired", () => {
  const due = "2026-06-01T10:00:00.000Z";
  expect(isLate(due, Date.parse("2026-07-31T09:59:59.999Z"))).toBe(false);
  expect(isLate(due, Date.parse("2026-07-31T10:00:00.000Z"))).toBe(true);
});

it("has the incentive that its mails offered, else the one that is offered now", () => {
  const [coupon, points] = [
    { type: "coupon", note: "" },
    { type: "points", note: "" },
  ] as const;
  const now = { invitations: { ...DEFAULT_SETTINGS.invitations, incentive: points } };
  expect(offeredIn({ incentive: coupon }, now)).toBe(coupon);
  expect(offeredIn({}, now)).toBe(points);
});

describe("what is done about a mail that is due", () => {
  const now = Date.parse("2026-06-15T10:00:00.000Z");
  const moment: InvitationState = {
    invitation: {
      id: "rvi_1",
      created_at: "2026-06-01T10:00:00.000Z",
      updated_at: "2026-06-01T10:00:00.000Z",
      order_id: "1",
      customer: { id: null, email: "a@b.example", name: "" },
      items: [item, { ...item, target: { type: "product", id: "other" } }],
      reviewed: [],
      locale: "en",
      fulfilled_at: "2026-06-01T10:00:00.000Z",
      send_at: "2026-06-15T10:00:00.000Z",
      sent_at: null,
      status: "scheduled",
      reason: null,
      reminders: [],
      expires_at: null,
      legal_basis: "consent",
      next_action_at: "2026-06-15T10:00:00.000Z",
    },
    is_suppressed: false,
    is_refunded: false,
    reviewed: [],
    mailed_at: null,
    enabled: true,
    terms: DEFAULT_SETTINGS,
    now,
  };

  it.each<[string, Partial<InvitationState>, object]>([
    ["it is sent", {}, { step: "send" }],
    ["one of two items was reviewed", { reviewed: [0] }, { step: "send" }],
    ["all were", { reviewed: [0, 1] }, { step: "end", status: "submitted", reason: "reviewed" }],
    [
      "the address wants none",
      { is_suppressed: true },
      { step: "end", status: "suppressed", reason: "unsubscribed" },
    ],
    ["the money went back", { is_refunded: true }, { step: "end", status: "cancelled", reason: "refunded" }],
    ["invitations are off", { enabled: false }, { step: "end", status: "cancelled", reason: "switched_off" }],
    [
      "a mail went six days ago",
      { mailed_at: "2026-06-09T10:00:00.000Z" },
      { step: "wait", until: "2026-06-16T10:00:00.000Z" },
    ],
    ["a mail went seven days ago", { mailed_at: "2026-06-08T10:00:00.000Z" }, { step: "send" }],
    [
      "it is night",
      { now: Date.parse("2026-06-15T22:00:00.000Z") },
      { step: "wait", until: "2026-06-16T07:00:00.000Z" },
    ],
  ])("%s", (_, more, expected) => expect(nextStep({ ...moment, ...more })).toEqual(expected));
});
