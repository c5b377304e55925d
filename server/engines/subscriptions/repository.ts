import { defineSettings, PRICE_INHERITS, PRICE_SETTINGS } from "../../core/settings.ts";
import { z } from "zod";

import { defineCollection, newestFirst, timeOrder, eventIndexes, timeIndex } from "../../core/collection.ts";
import { sha256Hex } from "../../core/ids.ts";
import { Id, Instant, LocalDate } from "../../core/schema.ts";
import type { Tx } from "../../core/tx.ts";
import { personalCharge, personalContract, personalEvent, personalMethod } from "./schema/personal.ts";
import { openAttempt } from "./rules/agenda.ts";
import { isOwed } from "./rules/charge-state.ts";
import { DEFAULT_POLICY } from "./data/default-policy.ts";
import { Charge } from "./schema/charge.ts";
import { erasingIndex, retainedUntil } from "../../core/retention.ts";
import { Invoice, personalInvoice } from "./schema/invoice.ts";
import { Contract, Plan, Settings } from "./schema.ts";
import { DunningPolicy } from "./schema/policy.ts";
import { EngineEvent } from "./schema/event.ts";
import { Gateway, GatewayCall, PaymentMethod, TestPayment } from "./schema/payment.ts";

/** A name of another system as a value of an index: user text never enters a key. */
export const filed = (kind: "customer" | "product", text: string): string =>
  `${kind}.${sha256Hex(text).slice(0, 32)}`;

export const contracts = defineCollection({
  name: "subscriptions.contracts",
  // 2: `rounding`, and `refund` of a cancellation.
  schemaVersion: 2,
  personal: personalContract,
  schema: Contract,
  indexes: {
    /** Newest first by what a list can be asked for; `live` are those that have not ended. */
    by: {
      values: ({ status, customer, lines, overdue }) => [
        `status.${status}`,
        filed("customer", customer.id),
        ...new Set(lines.map((line) => filed("product", line.product_ref))),
        ...(overdue === null ? [] : ["dunning"]),
        ...(status === "cancelled" || status === "expired" ? [] : ["live"]),
      ],
    },
    /** By the day on which they are billed next. */
    billing: {
      values: ({ next_billing_date: date }) => (date === null ? [] : [""]),
      order: ({ next_billing_date: date }) => date ?? "",
    },
    /** Work of the worker, by when it is due. */
    due: timeIndex("next_action_at"),
  },
});

/** Charges that are not done with: something moves them on, or they are owed. */
export const isUnfinished = (charge: Charge): boolean =>
  isOwed(charge) ||
  charge.status === "scheduled" ||
  openAttempt(charge) !== null ||
  charge.refunds.some(({ state }) => state === "pending");

// A charge's id is derived from its cycle, so its order says nothing.
const byAge = ({ created_at }: Pick<Charge, "created_at">): string => newestFirst(created_at);

export const charges = defineCollection({
  name: "subscriptions.charges",
  // 2: `coverage`; 3: `dispute`.
  schemaVersion: 3,
  personal: personalCharge,
  schema: Charge,
  indexes: {
    new: { values: () => [""], order: byAge },
    by: {
      values: ({ contract_id, status, dunning: { category } }) => [
        contract_id,
        `status.${status}`,
        ...(category === null ? [] : [`category.${category}`]),
      ],
      order: byAge,
    },
    open: { values: (charge) => (isUnfinished(charge) ? [charge.contract_id] : []), order: byAge },
    due: { values: () => [""], order: ({ due_at }) => timeOrder(due_at) },
  },
});

export const plans = defineCollection({ name: "subscriptions.plans", schema: Plan });
export const policies = defineCollection({ name: "subscriptions.dunning_policies", schema: DunningPolicy });
export const paymentMethods = defineCollection({
  name: "subscriptions.payment_methods",
  personal: personalMethod,
  schema: PaymentMethod,
  indexes: { customer: { values: ({ customer_id: id }) => [filed("customer", id)] } },
});
export const gateways = defineCollection({
  name: "subscriptions.gateways",
  // 2: `webhook_id`.
  schemaVersion: 2,
  schema: Gateway,
});

/** Signing secrets of external gateways (`whsec_` and base64, newest first; shown once), and what Stripe issued. */
export const gatewaySecrets = defineCollection({
  name: "subscriptions.gateway_secrets",
  unlisted: true,
  schema: z.strictObject({ id: Id, secrets: z.array(z.string()).max(2), api_key: z.string().optional() }),
});

/** What the built-in test gateway holds of each key: its own books, which know nothing of contracts. */
export const testPayments = defineCollection({
  name: "subscriptions.test_payments",
  unlisted: true,
  schema: TestPayment,
});
/** Every request that the test gateway got, in order. */
export const gatewayCalls = defineCollection({
  name: "subscriptions.gateway_calls",
  schema: GatewayCall,
  indexes: { by: { values: ({ gateway_id }) => [gateway_id] } },
});

/** Invoices and credit notes of charges. They are only ever added. */
export const invoices = defineCollection({
  name: "subscriptions.invoices",
  personal: personalInvoice,
  schema: Invoice,
  // 2: legal retention.
  schemaVersion: 2,
  upgrade: (old) => ({
    retained_until: retainedUntil(
      z.string().parse(old["issued_on"]),
      DEFAULT_SETTINGS.invoice_retention_years,
    ),
    erasure_due: false,
    ...old,
  }),
  indexes: {
    new: { values: () => [""], order: byAge },
    by: { values: ({ contract_id: contract, charge_id: charge }) => [contract, charge], order: byAge },
    erasing: erasingIndex,
  },
});

/** Numbers of invoices of a store, taken in the commit of the invoice: none is issued twice, none is missing. */
export const counters = defineCollection({
  name: "subscriptions.counters",
  unlisted: true,
  schema: z.strictObject({ id: Id, last: z.int().nonnegative() }),
});

const SERIES = { invoice: "S", credit_note: "SC" } as const;

export async function nextInvoiceNumber(tx: Tx, kind: Invoice["kind"]): Promise<string> {
  const before = await tx.get(counters, kind);
  const last = (before?.value.last ?? 0) + 1;
  tx.save(counters, before, { id: kind, last });
  return `${SERIES[kind]}-${last}`;
}

/** Callbacks that were taken: the same event is not looked at twice. */
export const callbacks = defineCollection({
  name: "subscriptions.callbacks",
  unlisted: true,
  schema: z.strictObject({ id: z.string(), created_at: Instant }),
  indexes: { due: { values: () => [""], order: ({ created_at }) => timeOrder(created_at) } },
});

/** What was done today on the page of a contract, by its id. */
export const pageUses = defineCollection({
  name: "subscriptions.page_uses",
  unlisted: true,
  schema: z.strictObject({
    id: Id,
    day: LocalDate,
    changes: z.int().nonnegative(),
    requests: z.int().nonnegative(),
  }),
});

export const events = defineCollection({
  name: "subscriptions.events",
  personal: personalEvent,
  schema: EngineEvent,
  indexes: eventIndexes<EngineEvent>(({ contract_id }) => contract_id),
});

export const DEFAULT_SETTINGS: Settings = {
  id: "settings",
  ...PRICE_SETTINGS,
  send_mail: true,
  payment_page_url: null,
  invoice_retention_years: 7,
  updated_at: null,
};

export const subscriptionSettings = defineSettings<Settings>({
  engine: "subscriptions",
  schema: Settings,
  defaults: DEFAULT_SETTINGS,
  inherits: PRICE_INHERITS,
});

export const readSettings = subscriptionSettings.read;

/** The policy of a contract; the built-in one where it has none, or one that was deleted. */
export const readPolicy = async (tx: Tx, id: string | null): Promise<DunningPolicy> =>
  id === null ? DEFAULT_POLICY : ((await tx.get(policies, id))?.value ?? DEFAULT_POLICY);
