import { describe, expect, it } from "vitest";
import type { z } from "zod";

import { demoCarts } from "../../../server/engines/cart/demo.ts";
import { evaluate } from "../../../server/engines/cart/rules/evaluate.ts";
import { Bundle, EngineEvent, Settings } from "../../../server/engines/cart/schema.ts";
import { Cart, Mailbox, RecoveryFlow, Suppression } from "../../../server/engines/cart/schema/cart.ts";
import { Offer, OfferCode, Redemption, UseCounter } from "../../../server/engines/cart/schema/offer.ts";
import { Upsell } from "../../../server/engines/cart/schema/upsell.ts";
import { add, lineOf, questionOf } from "./make.ts";

describe.each([
  "2026-06-01T09:00:00Z",
  "2026-12-31T23:30:00Z",
  "2027-03-28T00:30:00Z",
  "2028-02-29T12:00:00Z",
])("demoCarts at %s", (instant) => {
  const now = Date.parse(instant);
  const demo = demoCarts(now);

  it("is the same each time", () => expect(demoCarts(now)).toEqual(demo));

  it("fits the schemas", () => {
    const check = (schema: z.ZodType, documents: readonly unknown[]): void => {
      for (const document of documents) expect(schema.parse(document)).toEqual(document);
    };
    check(Settings, [demo.settings]);
    check(Bundle, demo.bundles);
    check(Offer, demo.offers);
    check(OfferCode, demo.codes);
    check(Redemption, demo.redemptions);
    check(UseCounter, demo.counters);
    check(Upsell, demo.upsells);
    check(RecoveryFlow, demo.flows);
    check(Cart, demo.carts);
    check(Mailbox, demo.mailboxes);
    check(Suppression, demo.suppressions);
    check(EngineEvent, demo.events);
  });

  it("shows what carts come to, and nothing of it lies in the future", () => {
    expect(new Set(demo.carts.map(({ status }) => status))).toEqual(
      new Set(["active", "abandoned", "converted", "lost"]),
    );
    expect(new Set(demo.carts.map(({ attribution }) => attribution))).toEqual(
      new Set([null, "recovered", "assisted"]),
    );
    for (const { created_at: at } of demo.events) expect(Date.parse(at)).toBeLessThanOrEqual(now);
    expect(new Set(demo.events.map(({ id }) => id)).size).toBe(demo.events.length);
    expect(add(demo.counters.map(({ uses }) => uses))).toBe(demo.redemptions.length);
  });

  it("has offers that make a difference", () => {
    const lines = [
      lineOf("1", 250, { ref: "croissant", quantity: 3 }),
      lineOf("2", 350, { ref: "sandwich" }),
      lineOf("3", 120, { ref: "lemonade" }),
      lineOf("4", 180, { ref: "crisps" }),
    ];
    const live = demo.offers.filter(({ status, trigger }) => status === "active" && trigger === "automatic");
    const { priced } = evaluate(questionOf(lines, { bundles: demo.bundles, offers: live }));
    expect(priced.total).toBe(500 + 500);
  });
});
