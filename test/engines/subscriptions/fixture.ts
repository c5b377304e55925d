import { toContract } from "../../../server/engines/subscriptions/rules/new-contract.ts";
import { cycleCharge } from "../../../server/engines/subscriptions/rules/open-charge.ts";
import { DEFAULT_SETTINGS } from "../../../server/engines/subscriptions/repository.ts";
import type { Contract } from "../../../server/engines/subscriptions/schema.ts";
import type { Attempt, Charge } from "../../../server/engines/subscriptions/schema/charge.ts";
import { ContractDraft } from "../../../server/engines/subscriptions/schema/requests.ts";

export const ms = (instant: string): number => Date.parse(instant);

/** Monday 1 June 2026, 10:00 in London. */
export const NOW = ms("2026-06-01T09:00:00Z");

export const draftOf = (more: object = {}) =>
  ContractDraft.parse({
    customer: { id: "ada", email: "ada@shop.example", name: "Ada" },
    lines: [{ product_ref: "coffee", title: "Coffee", quantity: 1, unit_price: 1000 }],
    interval: { unit: "month", count: 1 },
    ...more,
  });

/** An active contract of 10.00 a month from 1 June 2026; `terms` as a caller writes them, `more` as they are stored. */
export const contractOf = (terms: object = {}, more: Partial<Contract> = {}): Contract => ({
  ...toContract(draftOf(terms), { id: "sub_1", now: NOW, plan: null, settings: DEFAULT_SETTINGS }),
  status: "active",
  ...more,
});

export const attemptOf = (more: Partial<Attempt> = {}): Attempt => ({
  id: "chg_1-1",
  n: 1,
  gateway_id: "gw_1",
  payment_method_id: "pm_1",
  amount: 1000,
  state: "claimed",
  gateway_ref: null,
  failure: null,
  action_url: null,
  claimed_at: "2026-06-01T09:00:00.000Z",
  lease_until: "2026-06-01T09:01:15.000Z",
  resolved_at: null,
  lookups: 0,
  next_lookup_at: null,
  params_hash: "",
  ...more,
});

/** The charge of the first cycle, claimed. */
export const chargeOf = (more: Partial<Charge> = {}): Charge => ({
  ...cycleCharge(contractOf(), 0, { now: NOW }),
  status: "processing",
  attempts: [attemptOf()],
  ...more,
});
