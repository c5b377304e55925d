import { DEMO_SHOP_NAME } from "../../core/shop.ts";
import { DAY_MS, toInstant } from "../../lib/instant.ts";
import { createNewId, derivedId, sha256Hex } from "../../core/ids.ts";
import { localDateAt } from "../../lib/local-time.ts";
import { settled } from "./services/contract-work.ts";
import { demoInvoices, withRefund } from "./data/demo-invoices.ts";
import { DEFAULT_POLICY } from "./data/default-policy.ts";
import {
  DEMO_IDS,
  demoDrafts,
  demoGateways,
  demoMethods,
  demoPlans,
  endedThreeWeeksAgo,
  fixed,
  paused,
  TIME_ZONE,
} from "./data/demo-shop.ts";
import type { DemoRefund, Story } from "./data/demo-shop.ts";
import { DEFAULT_SETTINGS, isUnfinished } from "./repository.ts";
import { openingAt } from "./rules/agenda.ts";
import { applyAnswer } from "./rules/apply-result.ts";
import { planNotices } from "./rules/compliance.ts";
import { toContract } from "./rules/new-contract.ts";
import { attemptId, cycleCharge } from "./rules/open-charge.ts";
import { testOutcome } from "./rules/test-tokens.ts";
import type { Contract, Plan, Settings } from "./schema.ts";
import type { Attempt, Charge } from "./schema/charge.ts";
import type { EngineEvent, EventType } from "./schema/event.ts";
import type { GatewayCall, TestPayment } from "./schema/payment.ts";

/** The demo shop at an instant (epoch milliseconds). The same instant gives the same documents. */
export function demoSubscriptions(now: number) {
  const nowAt = toInstant(now);
  const settings: Settings = { ...DEFAULT_SETTINGS, shop_name: DEMO_SHOP_NAME, updated_at: nowAt };
  const plans = demoPlans(nowAt);
  const histories = demoDrafts(now).map((story) => live(story, { now, settings, plans }));
  const invoices = demoInvoices(histories, settings);
  const kinds = ["invoice", "credit_note"] as const;
  return {
    settings,
    gateways: demoGateways(nowAt),
    methods: demoMethods(nowAt),
    policies: [
      {
        ...DEFAULT_POLICY,
        id: DEMO_IDS.policy,
        title: "Gentle",
        payday_shift: true,
        created_at: nowAt,
        updated_at: nowAt,
      },
    ],
    plans,
    contracts: histories.map(({ contract }) => contract),
    charges: histories.flatMap(({ charges }) => charges),
    invoices,
    counters: kinds.map((id) => ({ id, last: invoices.filter(({ kind }) => kind === id).length })),
    events: histories.flatMap(({ events }) => events),
    payments: histories.flatMap(({ payments }) => payments),
    calls: histories.flatMap(({ calls }) => calls),
  };
}

interface DemoInput {
  readonly now: number;
  readonly settings: Settings;
  readonly plans: readonly Plan[];
}

interface History {
  readonly contract: Contract;
  readonly charges: Charge[];
  readonly events: EngineEvent[];
  readonly payments: TestPayment[];
  readonly calls: GatewayCall[];
}

/** Bills a contract from its start to now, by the rules that bill the real ones. */
function live(story: Story, { now, settings, plans }: DemoInput): History {
  const startedAt = now - story.age * DAY_MS;
  const plan = plans.find(({ id }) => id === story.draft.plan_id) ?? null;
  let contract = toContract(story.draft, { id: story.id, now: startedAt, plan, settings });
  if (contract.status === "pending") contract = { ...contract, status: "active" };
  const log = startLog(story.id);
  log.emit("contract.created", startedAt, null, { status: contract.status });
  while (contract.status !== "trialing" && openingAt(contract) <= lastDay(story, now)) {
    const index = contract.next_cycle;
    const at = openingAt(contract);
    const charge = cycleCharge(contract, index, { now: at });
    contract = { ...contract, next_cycle: index + 1, current_cycle: index, current_period: charge.period };
    const isLast = openingAt(contract) > lastDay(story, now);
    if (story.skipped?.includes(index) === true) {
      log.charges.push({ ...charge, status: "skipped" });
      log.emit("cycle.skipped", at, charge, { cycle_index: index });
    } else if (story.token === null) log.charges.push(invoice(log, charge, at, isLast));
    else {
      // A customer who is short of money now was not all the time before.
      const token = isLast ? story.token : "tok_ok";
      const paid = collect(log, charge, {
        at,
        token,
        methodId: contract.payment_method_id ?? "",
        timezone: TIME_ZONE,
      });
      log.charges.push(story.refund?.cycle === index ? refunded(log, paid, story.refund) : paid);
      if (paid.status === "retrying") contract = behind(contract, paid);
    }
  }
  if (story.ending !== undefined) {
    contract = story.ending(contract, now);
    const type =
      contract.status === "paused" ? ("contract.paused" as const) : ("contract.cancelled" as const);
    log.emit(type, lastDay(story, now), null, { reason: "requested" });
  }
  contract = { ...contract, compliance: reminded(contract, now) };
  const open = new Map(log.charges.filter(isUnfinished).map((charge) => [charge.id, charge]));
  return { ...log, contract: settled({ contract, charges: open, policy: DEFAULT_POLICY, now }) };
}

/** Notices of a contract, those whose day has come as sent. */
function reminded(contract: Contract, now: number): Contract["compliance"] {
  const planned = planNotices(contract);
  const today = localDateAt(now, TIME_ZONE);
  const notices = planned.notices.map((notice) =>
    notice.due_on <= today ? { ...notice, sent_at: `${notice.due_on}T09:00:00.000Z` } : notice,
  );
  return { ...planned, notices };
}

/** Until when a contract was billed: one that ended or rests was so only before. */
function lastDay({ ending }: Story, now: number): number {
  if (ending === endedThreeWeeksAgo) return now - 21 * DAY_MS;
  return ending === paused ? now - 3 * DAY_MS : now;
}

const behind = (contract: Contract, charge: Charge): Contract => ({
  ...contract,
  status: "past_due",
  overdue: {
    since: localDateAt(Date.parse(charge.due_at), TIME_ZONE),
    stage: null,
    block_changes: false,
    block_fulfilment: false,
  },
});

type Log = ReturnType<typeof startLog>;

function startLog(contractId: string) {
  let at = 0;
  const newId = createNewId(
    { now: () => at },
    { ...fixed, next: () => Number.parseInt(sha256Hex(contractId).slice(0, 8), 16) / 2 ** 32 },
  );
  const events: EngineEvent[] = [];
  return {
    charges: [] as Charge[],
    events,
    payments: [] as TestPayment[],
    calls: [] as GatewayCall[],
    newId(prefix: string, when: number): string {
      at = when;
      return newId(prefix);
    },
    emit(type: EventType, when: number, charge: Charge | null, data: EngineEvent["data"]): void {
      at = when;
      const about = { contract_id: contractId, charge_id: charge?.id ?? null };
      events.push({ id: newId("evt"), created_at: toInstant(when), type, ...about, data });
    },
  };
}

/** The shop gave some of a payment back two days later. */
function refunded(log: Log, charge: Charge, { amount, reason }: DemoRefund): Charge {
  const at = Date.parse(charge.due_at) + 2 * DAY_MS;
  const id = `${charge.id}-r1`;
  const payment = log.payments.find((one) => one.id === attemptId(charge.id, 1));
  if (payment !== undefined) payment.refunds[id] = amount;
  log.calls.push({
    id: log.newId("gwc", at),
    gateway_id: DEMO_IDS.gateway,
    created_at: toInstant(at),
    method: "refund",
    key: id,
    amount,
    outcome: "refunded",
    answered: true,
  });
  log.emit("charge.refunded", at, charge, { refund_id: id, amount, reason });
  return withRefund(charge, { id, amount, reason, at: toInstant(at) });
}

function invoice(log: Log, charge: Charge, at: number, isLast: boolean): Charge {
  log.emit("charge.due", at, charge, { amount: charge.amount_due, currency: charge.currency });
  if (isLast) return { ...charge, status: "pending_manual" };
  const paidAt = at + 9 * DAY_MS;
  log.emit("charge.succeeded", paidAt, charge, {
    amount: charge.amount_due,
    currency: charge.currency,
    recovered: false,
  });
  return {
    ...charge,
    status: "succeeded",
    paid_at: toInstant(paidAt),
    payment_reference: "BACS",
    order_ref: orderOf(charge),
  };
}

const orderOf = (charge: Charge): string => derivedId("ord", new Uint8Array(), ["demo", charge.id]);

/** One attempt of a charge at the test gateway, which keeps its own books of it. */
function collect(
  log: Log,
  charge: Charge,
  { at, token, methodId, timezone }: { at: number; token: string; methodId: string; timezone: string },
): Charge {
  const key = attemptId(charge.id, 1);
  const claimed: Attempt = {
    id: key,
    n: 1,
    gateway_id: DEMO_IDS.gateway,
    payment_method_id: methodId,
    amount: charge.amount_due,
    state: "claimed",
    gateway_ref: null,
    failure: null,
    action_url: null,
    claimed_at: toInstant(at),
    lease_until: toInstant(at + 75_000),
    resolved_at: null,
    lookups: 0,
    next_lookup_at: null,
    params_hash: sha256Hex(key),
  };
  const { state, failure } = testOutcome(token, 1);
  const money = { amount: charge.amount_due, currency: charge.currency };
  const common = { gateway_id: DEMO_IDS.gateway, created_at: toInstant(at) };
  log.payments.push({ id: key, ...common, ...money, state, failure, refunds: {} });
  const outcome = state === "succeeded" ? ("charged" as const) : ("failed" as const);
  log.calls.push({
    id: log.newId("gwc", at),
    ...common,
    method: "charge",
    key,
    amount: money.amount,
    outcome,
    answered: true,
  });
  log.emit("charge.due", at, charge, money);
  const ref = `test_${key}`;
  const answer =
    failure === null ? { status: "succeeded" as const, ref } : { status: "failed" as const, ref, failure };
  const context = { now: at + 1_000, policy: DEFAULT_POLICY, timezone, expiresAt: null };
  const { charge: after } = applyAnswer(
    { ...charge, status: "processing", attempts: [claimed] },
    1,
    answer,
    context,
  );
  if (failure !== null) {
    log.emit("charge.failed", at + 1_000, charge, {
      category: failure.category,
      code: failure.code,
      stage: 1,
    });
    return after;
  }
  log.emit("charge.succeeded", at + 1_000, charge, {
    ...money,
    cycle_index: charge.cycle_index,
    recovered: false,
  });
  return { ...after, order_ref: orderOf(charge) };
}
