import type { Plan } from "../../config/plans.ts";
import { DAY_MS, toInstant } from "../../lib/instant.ts";
import type { Collection } from "../../core/collection.ts";
import type { Tx } from "../../core/tx.ts";
import { customers, keys, stores } from "../collections.ts";
import type { Customer, Key } from "../collections.ts";
import { endsAtMs } from "../collections.ts";
import type { NoticeMail, Notice } from "./notices.ts";
import { findPlan, standingOf } from "./plans.ts";

/** Something that ends by itself, and how long before that a notice is sent. */
export interface Ending<T> {
  /** Kind of notice: one type of event may be emitted more than once. */
  readonly id: string;
  readonly collection: Collection<T>;
  /** Index in the order of the end, as `instantOrder` writes it. */
  readonly index: string;
  readonly leadMs: number;
  /** Epoch milliseconds; null for what has no end. */
  readonly endMs: (value: T) => number | null;
  /** Event for endpoints; null for none. */
  readonly event: (value: T) => { readonly type: string; readonly data: Record<string, unknown> } | null;
  /** The customer's mail; null for none. */
  readonly notice: (value: T, at: { readonly now: number; readonly tx: Tx }) => Notice | null;
}

const keyEnding = (days: number): Ending<Key> => ({
  id: `key.expiring.${days}`,
  collection: keys,
  index: "expiry",
  leadMs: days * DAY_MS,
  endMs: endsAtMs,
  event(key) {
    const { id, customer_id, store_id, expires_at } = key;
    if (!isInUse(key)) return null;
    return { type: "key.expiring", data: { id, customer_id, store_id, expires_at, days_left: days } };
  },
  notice(key, { now, tx }) {
    const endMs = endsAtMs(key);
    if (endMs === null || endMs <= now || !isInUse(key) || isYoung(key.created_at, now)) return null;
    // Both notices are about one fact: a customer who was notified a week before is not notified again.
    const fact = ["key.expiring", key.id, String(endMs)];
    return { fact, customerId: key.customer_id, write: () => writeKeyExpiring(tx, key, endMs) };
  },
});

/** A key that was replaced ends as it was meant to. */
const isInUse = ({ replaced_by, status }: Key): boolean => status === "ACTIVE" && replaced_by === null;

/** A customer who created a key or began a trial today knows its end; where a later notice is due, that one is sent. */
const isYoung = (since: string, now: number): boolean => now - Date.parse(since) < DAY_MS;

async function writeKeyExpiring(tx: Tx, key: Key, endMs: number): Promise<NoticeMail | null> {
  const store = await tx.get(stores, key.store_id);
  if (store === null) return null;
  const { kind, last4, mode, name, prefix } = key;
  return {
    template: "key-expiring",
    data: {
      store_identifier: store.value.identifier,
      key_name: name,
      key_shown: `${prefix}…${last4}`,
      kind: kind === "publishable" ? kind : mode,
      expires_at: toInstant(endMs),
    },
  };
}

/** Notices are sent seven days and one day before a key ends (design: gateway.md §3). */
export const keyEndings: readonly Ending<Key>[] = [keyEnding(7), keyEnding(1)];

/** Trials: events three days before and at the end, mails also on the day before (design: gateway.md §2). */
export const trialEndings = (plans: readonly Plan[]): readonly Ending<Customer>[] => [
  trialEnding(plans, { id: "trial.ending", days: 3, event: "trial.ending" }),
  trialEnding(plans, { id: "trial.ending.1", days: 1, event: null }),
  trialEnding(plans, { id: "trial.ended", days: 0, event: "trial.ended" }),
];

interface TrialNotice {
  readonly id: string;
  readonly days: 3 | 1 | 0;
  readonly event: string | null;
}

const trialEnding = (plans: readonly Plan[], { id, days, event: type }: TrialNotice): Ending<Customer> => ({
  id,
  collection: customers,
  index: "trial",
  leadMs: days * DAY_MS,
  endMs: trialEndMs,
  event(customer) {
    const { trial_plan: plan, trial_ends_at: ends_at } = customer;
    if (type === null) return null;
    return { type, data: { id: customer.id, customer_id: customer.id, plan, ends_at } };
  },
  notice(customer, { now, tx }) {
    const endMs = trialEndMs(customer);
    if (endMs === null || !isNews(customer, { days, now, endMs })) return null;
    const about = days === 0 ? "trial-ended" : "trial-ending";
    const fact = [id, customer.id, String(endMs)];
    return { fact, customerId: customer.id, write: (asStored) => writeTrial(tx, plans, about, asStored) };
  },
});

const trialEndMs = ({ trial_ends_at }: Customer): number | null =>
  trial_ends_at === null ? null : Date.parse(trial_ends_at);

/** Whether a mail that is due `days` before the end should go out now: one that comes late is left to the next one. */
function isNews(
  { trial_started_at: since }: Customer,
  { days, endMs, now }: { readonly days: 3 | 1 | 0; readonly endMs: number; readonly now: number },
): boolean {
  if (days === 0) return true;
  if (since !== null && isYoung(since, now)) return false;
  return endMs - now > (days === 3 ? DAY_MS : 0);
}

async function writeTrial(
  tx: Tx,
  plans: readonly Plan[],
  template: "trial-ending" | "trial-ended",
  customer: Customer,
): Promise<NoticeMail | null> {
  const endMs = trialEndMs(customer);
  const trial = findPlan(plans, customer.trial_plan ?? "");
  const { items } = await tx.peekPage(stores, { index: "primary", value: customer.id, limit: 1 });
  const store = items[0]?.value;
  if (endMs === null || trial === undefined || store === undefined) return null;
  const { plan } = standingOf(customer, plans, endMs);
  if (plan.id === trial.id) return null;
  const figures = { store_identifier: store.identifier, trial: figuresOf(trial), plan: figuresOf(plan) };
  return template === "trial-ending"
    ? { template, data: { ...figures, expires_at: toInstant(endMs) } }
    : { template, data: { ...figures, ended_at: toInstant(endMs) } };
}

const figuresOf = ({ activeKeys, name, requestsPerMinute, stores: storeCount }: Plan) => ({
  name,
  requests: requestsPerMinute,
  stores: storeCount,
  keys: activeKeys,
});
