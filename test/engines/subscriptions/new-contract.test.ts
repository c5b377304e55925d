import { describe, expect, it } from "vitest";

import { DEFAULT_SETTINGS } from "../../../server/engines/subscriptions/repository.ts";
import { faultOf, toContract, withIds } from "../../../server/engines/subscriptions/rules/new-contract.ts";
import type { Plan } from "../../../server/engines/subscriptions/schema.ts";
import { demoSubscriptions } from "../../../server/engines/subscriptions/demo.ts";
import { draftOf, NOW } from "./fixture.ts";

const [monthly] = demoSubscriptions(NOW).plans;
const plan: Plan = { ...(monthly as Plan), trial_days: 7, min_cycles: 3, eligible_products: ["coffee"] };
const make = (more: object = {}, from: Plan | null = null) =>
  toContract(draftOf(more), { id: "sub_1", now: NOW, plan: from, settings: DEFAULT_SETTINGS });

describe("toContract", () => {
  it("takes what the draft leaves out from the plan, then from the settings", () => {
    const contract = make({ min_cycles: 1 }, plan);
    expect(contract).toMatchObject({
      min_cycles: 1,
      trial_ends_on: "2026-06-08",
      currency: "GBP",
      timezone: "Europe/London",
    });
  });

  it.each([
    ["pending when it is to be paid today", {}, "pending"],
    ["active when it begins later", { start_date: "2026-07-01" }, "active"],
    ["active when it is paid by invoice", { collection: "send_invoice" }, "active"],
    ["trialing with a trial", { trial_days: 3 }, "trialing"],
  ])("is %s", (_, more, status) => expect(make(more).status).toBe(status));

  it("bills from the end of the trial", () =>
    expect(make({ trial_days: 14 }).billing.anchor_date).toBe("2026-06-15"));
});

describe("faultOf", () => {
  it.each([
    [
      "a product that the plan does not cover",
      { lines: [{ product_ref: "tea", title: "Tea", quantity: 1, unit_price: 1 }] },
      plan,
      "lines.0.product_ref",
    ],
    ["a plan that is not offered", {}, { ...plan, active: false }, "plan_id"],
    ["no interval", { interval: undefined }, null, "interval"],
    [
      "a day of the month in a week",
      { interval: { unit: "week", count: 1 }, anchor: { type: "monthday", day: 3 } },
      null,
      "anchor.type",
    ],
  ])("%s", (_, more, from, path) => expect(faultOf(draftOf(more), from)?.path.join(".")).toBe(path));
  it("nothing", () => expect(faultOf(draftOf(), plan)).toBeNull());
});

describe("withIds", () => {
  it("keeps ids and gives free ones", () => {
    const [line] = draftOf().lines;
    if (line === undefined) throw new Error("no line");
    const tea = { id: "lin_2", product_ref: "tea", variant_ref: null };
    const ids = withIds([line, { ...line, id: "lin_1" }, line], [tea]).map(({ id }) => id);
    expect(ids).toEqual(["lin_3", "lin_1", "lin_4"]);
  });
});
