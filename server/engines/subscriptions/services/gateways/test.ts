import { fromInstant, toInstant } from "../../../../lib/instant.ts";
import type { NewId } from "../../../../core/ids.ts";
import type { RunTx, Tx } from "../../../../core/tx.ts";
import { gatewayCalls, testPayments } from "../../repository.ts";
import type {
  ChargeAnswer,
  ChargeRequest,
  GatewayResult,
  LookupAnswer,
  PaymentGateway,
  RefundAnswer,
  RefundRequest,
} from "../../../../core/payments.ts";
import { attemptNumber } from "../../rules/open-charge.ts";
import { testOutcome } from "../../rules/test-tokens.ts";
import type { TestOutcome } from "../../rules/test-tokens.ts";
import type { GatewayCall, TestPayment } from "../../schema/payment.ts";

export interface TestGatewayDeps {
  readonly gatewayId: string;
  readonly supportsLookup: boolean;
  readonly part: string;
  readonly runTx: RunTx;
  readonly newId: NewId;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** How long the test gateway leaves a payment pending, when it is not settled before. */
const PENDING_MS = 86_400_000;

/**
 * The built-in gateway for tests: no money, but a gateway's behaviour in all that matters. It keeps books of its own by
 * idempotency key, does nothing twice, can lose a request or its answer, and writes down every call.
 */
export function createTestGateway(deps: TestGatewayDeps): PaymentGateway {
  const { part, runTx, gatewayId } = deps;
  const log = (tx: Tx, call: LoggedCall): void => logCall(tx, deps, call);

  return {
    charge: (request) => runTx(part, (tx) => charge(tx, request)),
    lookup: async ({ key }) =>
      deps.supportsLookup ? runTx(part, (tx) => lookup(tx, key)) : { status: "unsupported" },
    refund: (request) => runTx(part, (tx) => refund(tx, request)),
  };

  async function charge(tx: Tx, request: ChargeRequest): Promise<ChargeAnswer> {
    const { key, amount, currency, token_ref: token } = request;
    const known = await tx.get(testPayments, key);
    const outcome = known === null ? testOutcome(token, attemptNumber(key)) : afterLoss(known.value);
    if (known !== null && outcome === null) {
      log(tx, { method: "charge", key, amount, outcome: "replayed", answered: true });
      return toAnswer(known.value);
    }
    const made = outcome ?? testOutcome(token, attemptNumber(key));
    const payment: TestPayment = {
      id: key,
      gateway_id: gatewayId,
      created_at: toInstant(deps.now),
      amount,
      currency,
      state: made.state,
      failure: made.failure,
      refunds: {},
    };
    tx.save(testPayments, known, payment);
    log(tx, { method: "charge", key, amount, outcome: LOGGED[made.state], answered: !made.silent });
    return made.silent ? { status: "unknown", detail: "time-out" } : toAnswer(payment);
  }

  async function lookup(tx: Tx, key: string): Promise<LookupAnswer> {
    const known = await tx.get(testPayments, key);
    const isKnown = known !== null && known.value.state !== "lost";
    log(tx, {
      method: "lookup",
      key,
      amount: null,
      outcome: isKnown ? "found" : "not_found",
      answered: true,
    });
    if (!isKnown) return { status: "not_found" };
    const isRipe =
      known.value.state === "pending" && deps.now >= fromInstant(known.value.created_at) + PENDING_MS;
    if (isRipe) await settleTestPayment(tx, deps, key, { status: "succeeded", ref: null });
    return toAnswer(isRipe ? { ...known.value, state: "succeeded" } : known.value);
  }

  async function refund(tx: Tx, { key, charge_key: paidKey, amount }: RefundRequest): Promise<RefundAnswer> {
    const paid = await tx.get(testPayments, paidKey);
    if (paid === null) return { status: "failed", detail: "No such payment." };
    const isKnown = Object.hasOwn(paid.value.refunds, key);
    log(tx, { method: "refund", key, amount, outcome: isKnown ? "replayed" : "refunded", answered: true });
    if (!isKnown) {
      tx.put(testPayments, paid, { ...paid.value, refunds: { ...paid.value.refunds, [key]: amount } });
    }
    return { status: "succeeded", ref: `test_${key}` };
  }
}

type LoggedCall = Pick<GatewayCall, "method" | "key" | "amount" | "outcome" | "answered">;
type LogDeps = Pick<TestGatewayDeps, "gatewayId" | "newId" | "now">;

const logCall = (tx: Tx, { gatewayId, newId, now }: LogDeps, call: LoggedCall): void =>
  void tx.create(gatewayCalls, {
    id: newId("gwc"),
    created_at: toInstant(now),
    gateway_id: gatewayId,
    ...call,
  });

/** Settles a payment of the test gateway from outside, as its customer or bank would; one that is settled stays so. */
export async function settleTestPayment(
  tx: Tx,
  deps: LogDeps,
  key: string,
  result: GatewayResult,
): Promise<void> {
  const known = await tx.get(testPayments, key);
  if (known === null || known.value.state === "succeeded") return;
  const failure = result.status === "failed" ? result.failure : null;
  tx.put(testPayments, known, { ...known.value, state: result.status, failure });
  const outcome = result.status === "succeeded" ? ("charged" as const) : LOGGED[result.status];
  logCall(tx, deps, { method: "settle", key, amount: known.value.amount, outcome, answered: true });
}

/** A request that was lost is carried out when it comes again; for any other the result is repeated. */
const afterLoss = ({ state }: TestPayment): TestOutcome | null =>
  state === "lost" ? { state: "succeeded", failure: null, silent: false, callbacks: 0 } : null;

const LOGGED: Readonly<Record<TestPayment["state"], GatewayCall["outcome"]>> = {
  succeeded: "charged",
  failed: "failed",
  requires_action: "action",
  pending: "pending",
  lost: "lost",
};

function toAnswer(payment: TestPayment): GatewayResult {
  const ref = `test_${payment.id}`;
  switch (payment.state) {
    case "failed":
      return {
        status: "failed",
        ref,
        failure: payment.failure ?? { category: "soft", code: "declined", message: "Declined." },
      };
    case "requires_action":
      return { status: "requires_action", ref, action_url: `https://bank.example/confirm/${payment.id}` };
    case "pending":
      return { status: "pending", ref };
    case "succeeded":
    case "lost":
      return { status: "succeeded", ref };
  }
}
