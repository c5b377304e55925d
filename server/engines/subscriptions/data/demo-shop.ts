import type { z } from "zod";

import { DAY_MS, toInstant } from "../../../lib/instant.ts";
import { createNewId, derivedId } from "../../../core/ids.ts";
import { addDays, localDateAt } from "../../../lib/local-time.ts";
import type { Draft } from "../rules/new-contract.ts";
import type { Contract, Plan } from "../schema.ts";
import type { Gateway, PaymentMethod } from "../schema/payment.ts";
import { ContractDraft } from "../schema/requests.ts";
import { newResource } from "../../../lib/new-resource.ts";

export const TIME_ZONE = "Europe/London";

/** Randomness that is always the same. */
export const fixed = { next: () => 0.5, bytes: (count: number) => new Uint8Array(count) };

/** Ids of the demo documents: the same in every run, so that examples and documentation can refer to them. */
export const DEMO_IDS = makeIds();

function makeIds() {
  const newId = createNewId({ now: () => Date.UTC(2026, 0, 1) }, fixed);
  const ids = {
    gateway: newId("gw"),
    transfer: newId("gw"),
    policy: newId("dun"),
    monthly: newId("pln"),
    box: newId("pln"),
    declined: newId("pm"),
    method: newId("pm"),
    event: newId("evt"),
    order: newId("ord"),
    office: newId("sub"),
    ended: newId("sub"),
    trial: newId("sub"),
    resting: newId("sub"),
    behind: newId("sub"),
    weekly: newId("sub"),
    active: newId("sub"),
  };
  return { ...ids, charge: derivedId("chg", new Uint8Array(), [ids.active, "4", "recurring"]) };
}

export function demoGateways(nowAt: string): Gateway[] {
  const gateway = (id: string, rest: Pick<Gateway, "title" | "kind">): Gateway => ({
    ...newResource(id, nowAt),
    url: null,
    key_ttl_hours: 23,
    supports_lookup: true,
    timeout_seconds: 15,
    active: true,
    callback_url: `https://bakery.example/api/hooks/payments/demo.${id}`,
    webhook_id: null,
    ...rest,
  });
  return [
    gateway(DEMO_IDS.gateway, { title: "Test payments", kind: "test" }),
    gateway(DEMO_IDS.transfer, { title: "Bank transfer", kind: "manual" }),
  ];
}

export function demoMethods(nowAt: string): PaymentMethod[] {
  const method = (
    id: string,
    rest: Pick<PaymentMethod, "customer_id" | "token_ref" | "last4">,
  ): PaymentMethod => ({
    ...newResource(id, nowAt),
    gateway_id: DEMO_IDS.gateway,
    brand: "visa",
    expires: "2031-09",
    status: "usable",
    metadata: {},
    ...rest,
  });
  return [
    method(DEMO_IDS.declined, { customer_id: "ben", token_ref: "tok_insufficient", last4: "0341" }),
    method(DEMO_IDS.method, { customer_id: "ada", token_ref: "tok_ok", last4: "4242" }),
  ];
}

export function demoPlans(nowAt: string): Plan[] {
  const plan = (id: string, rest: Pick<Plan, "title" | "interval_unit"> & Partial<Plan>): Plan => ({
    ...newResource(id, nowAt),
    interval_count: 1,
    anchor: { type: "none" },
    cutoff_days: 0,
    first_period: "full",
    trial_days: 0,
    min_cycles: 0,
    max_cycles: null,
    price_adjustments: [],
    delivery_every: 1,
    eligible_products: [],
    renewal_notice_days: null,
    active: true,
    metadata: {},
    ...rest,
  });
  return [
    plan(DEMO_IDS.monthly, {
      title: "Coffee every month",
      interval_unit: "month",
      price_adjustments: [{ after_cycle: 12, kind: "percent", value: 1000 }],
      renewal_notice_days: 3,
    }),
    plan(DEMO_IDS.box, {
      title: "Vegetable box on Tuesdays",
      interval_unit: "week",
      anchor: { type: "weekday", day: 2 },
      first_period: "wait",
      cutoff_days: 2,
    }),
  ];
}

export interface DemoRefund {
  readonly cycle: number;
  readonly amount: number;
  readonly reason: string;
}

export interface Story {
  readonly id: string;
  /** Days ago on which it began. */
  readonly age: number;
  readonly draft: Draft;
  /** Token of the payments; they are by hand without one. */
  readonly token: string | null;
  /** Cycles that were left out. */
  readonly skipped?: readonly number[];
  readonly refund?: DemoRefund;
  /** What became of it in the end. */
  readonly ending?: (contract: Contract, now: number) => Contract;
}

const coffee = {
  product_ref: "coffee-1kg",
  title: "Coffee, 1 kg",
  quantity: 1,
  unit_price: 1800,
  tax_rate_bps: 0,
};
const box = {
  product_ref: "veg-box",
  title: "Vegetable box, medium",
  quantity: 1,
  unit_price: 1650,
  tax_rate_bps: 0,
};
const cake = {
  product_ref: "cake-weekly",
  title: "Cake of the week",
  quantity: 2,
  unit_price: 1400,
  tax_rate_bps: 2000,
};

export function demoDrafts(now: number): Story[] {
  const today = localDateAt(now, TIME_ZONE);
  const story = (
    id: string,
    age: number,
    customer: readonly [string, string],
    rest: Omit<Story, "id" | "age" | "draft"> & {
      readonly terms: Partial<z.input<typeof ContractDraft>> & Pick<z.input<typeof ContractDraft>, "lines">;
    },
  ): Story => {
    const [name, person] = customer;
    const { terms, ...more } = rest;
    const draft = ContractDraft.parse({
      customer: { id: name, email: `${name}@bakery.example`, name: person },
      timezone: TIME_ZONE,
      start_date: addDays(today, -age),
      interval: { unit: "month", count: 1 },
      ...terms,
    });
    return { id, age, draft, ...more };
  };
  const withCard = { payment_method_id: DEMO_IDS.method };
  return [
    story(DEMO_IDS.office, 40, ["office", "Ink & Paper Ltd"], {
      token: null,
      terms: { lines: [cake], collection: "send_invoice", consumer: false, tax_included: false },
    }),
    story(DEMO_IDS.ended, 100, ["ada", "Ada Byron"], {
      token: "tok_ok",
      terms: { lines: [cake], ...withCard },
      refund: { cycle: 1, amount: 1400, reason: "One cake arrived damaged" },
      ending: endedThreeWeeksAgo,
    }),
    story(DEMO_IDS.trial, 5, ["ada", "Ada Byron"], {
      token: "tok_ok",
      terms: { lines: [coffee], trial_days: 14, compliance_profile: "uk_dmcc", ...withCard },
    }),
    story(DEMO_IDS.resting, 80, ["ada", "Ada Byron"], {
      token: "tok_ok",
      terms: { lines: [box], plan_id: DEMO_IDS.box, interval: { unit: "week", count: 2 }, ...withCard },
      ending: paused,
    }),
    story(DEMO_IDS.behind, 61, ["ben", "Ben Okri"], {
      token: "tok_insufficient",
      terms: {
        lines: [coffee],
        interval: { unit: "day", count: 30 },
        shipping_price: 300,
        payment_method_id: DEMO_IDS.declined,
      },
    }),
    story(DEMO_IDS.weekly, 45, ["ada", "Ada Byron"], {
      token: "tok_ok",
      skipped: [3],
      terms: { lines: [box], plan_id: DEMO_IDS.box, interval: { unit: "week", count: 1 }, ...withCard },
    }),
    story(DEMO_IDS.active, 135, ["ada", "Ada Byron"], {
      token: "tok_ok",
      terms: { lines: [coffee], plan_id: DEMO_IDS.monthly, shipping_price: 300, ...withCard },
    }),
  ];
}

export const paused = (contract: Contract, now: number): Contract => ({
  ...contract,
  status: "paused",
  pause: {
    since: toInstant(now - 3 * DAY_MS),
    resume_on: addDays(localDateAt(now, TIME_ZONE), 25),
    mode: "keep_calendar",
    reason: "requested",
    was: "active",
  },
});

export function endedThreeWeeksAgo(contract: Contract, now: number): Contract {
  const endedAt = now - 21 * DAY_MS;
  return {
    ...contract,
    status: "cancelled",
    ended_at: toInstant(endedAt),
    cancellation: {
      requested_at: toInstant(endedAt),
      effective_on: localDateAt(endedAt, TIME_ZONE),
      reason_code: "moving",
      comment: "Moving abroad",
      by: "customer",
      refund: "none",
    },
  };
}
