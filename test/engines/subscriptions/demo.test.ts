import { describe, expect, it } from "vitest";
import type { z } from "zod";

import { demoSubscriptions } from "../../../server/engines/subscriptions/demo.ts";
import { cycleCharge } from "../../../server/engines/subscriptions/rules/open-charge.ts";
import { Contract, Plan, Settings } from "../../../server/engines/subscriptions/schema.ts";
import { Charge } from "../../../server/engines/subscriptions/schema/charge.ts";
import { Invoice } from "../../../server/engines/subscriptions/schema/invoice.ts";
import { EngineEvent } from "../../../server/engines/subscriptions/schema/event.ts";
import {
  Gateway,
  GatewayCall,
  PaymentMethod,
  TestPayment,
} from "../../../server/engines/subscriptions/schema/payment.ts";
import { ms } from "./fixture.ts";

const INSTANTS = [
  "2026-06-01T09:00:00Z",
  "2026-12-31T23:30:00Z",
  "2027-03-28T00:30:00Z",
  "2028-02-29T12:00:00Z",
];

describe.each(INSTANTS)("demoSubscriptions at %s", (instant) => {
  const now = ms(instant);
  const demo = demoSubscriptions(now);

  it("is the same each time", () => expect(demoSubscriptions(now)).toEqual(demo));

  it("fits the schemas", () => {
    const check = (schema: z.ZodType, documents: readonly unknown[]): void => {
      for (const document of documents) expect(schema.parse(document)).toEqual(document);
    };
    check(Settings, [demo.settings]);
    check(Plan, demo.plans);
    check(Contract, demo.contracts);
    check(Charge, demo.charges);
    check(Invoice, demo.invoices);
    check(EngineEvent, demo.events);
    check(Gateway, demo.gateways);
    check(PaymentMethod, demo.methods);
    check(TestPayment, demo.payments);
    check(GatewayCall, demo.calls);
  });

  it("shows every state a shop meets, with a history behind it", () => {
    const statuses = demo.contracts.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set(["active", "past_due", "paused", "trialing", "cancelled"]));
    expect(demo.charges.length).toBeGreaterThan(15);
    expect(new Set(demo.charges.map(({ status }) => status))).toEqual(
      new Set(["succeeded", "partially_refunded", "skipped", "retrying", "pending_manual"]),
    );
    const ids = [...demo.contracts, ...demo.charges, ...demo.events, ...demo.calls].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("has an invoice of every paid charge and a credit note of every refund, and continues their numbers", () => {
    const paid = demo.charges.filter(({ paid_at: at, status }) => at !== null || status === "pending_manual");
    const [issued, notes] = [
      demo.invoices.filter(({ kind }) => kind === "invoice"),
      demo.invoices.filter(({ kind }) => kind === "credit_note"),
    ];
    expect(new Map(issued.map(({ charge_id: id, total }) => [id, total]))).toEqual(
      new Map(paid.map(({ amount_due: due, id }) => [id, due])),
    );
    expect(notes.map(({ total }) => total)).toEqual([-1400]);
    expect(demo.counters).toEqual([
      { id: "invoice", last: paid.length },
      { id: "credit_note", last: 1 },
    ]);
    const byIssue = issued.toSorted((a, b) => Number(a.number.slice(2)) - Number(b.number.slice(2)));
    expect(byIssue.map(({ created_at: at }) => at)).toEqual(
      byIssue.map(({ created_at: at }) => at).toSorted(),
    );
    for (const { created_at: at } of demo.invoices) expect(ms(at)).toBeLessThanOrEqual(now);
  });

  it("is what the rules would have billed, and nothing of it lies in the future", () => {
    for (const charge of demo.charges) {
      expect(ms(charge.due_at)).toBeLessThanOrEqual(now);
      const contract = demo.contracts.find(({ id }) => id === charge.contract_id);
      if (contract === undefined) throw new Error(charge.contract_id);
      expect(cycleCharge(contract, charge.cycle_index, { now }).total).toBe(charge.total);
    }
    for (const contract of demo.contracts) {
      const next = contract.next_action_at;
      if (contract.status !== "cancelled") expect(ms(next ?? "")).toBeGreaterThan(now - 86_400_000);
    }
  });
});
