import { fromInstant } from "../../../lib/instant.ts";
import type { RunTx, Tx } from "../../../core/tx.ts";
import { contracts } from "../repository.ts";
import { agendaOf, firstDue } from "../rules/agenda.ts";
import { applyAnswer } from "../rules/apply-result.ts";
import type { ChargeAnswer, LookupAnswer, PaymentGateway } from "../../../core/payments.ts";
import { testOutcome } from "../rules/test-tokens.ts";
import { attemptNumber } from "../rules/open-charge.ts";
import type { EngineEvent } from "../schema/event.ts";
import { timeOut } from "./attempts.ts";
import type { Call } from "./attempts.ts";
import type { Env, OpenedBook } from "./book.ts";
import { chargeOf, closeBook, openBook } from "./book.ts";
import { applyContextOf, follow } from "./effects.ts";
import { openGateway } from "./gateways/open.ts";
import { receiveResult } from "./receive.ts";
import { settleRefund } from "./refunds.ts";
import { doAction } from "./steps.ts";

export interface WorkEnv extends Env {
  readonly runTx: RunTx;
}

/** Things that one look at a contract does at most; the rest waits for the next look. */
const STEPS_MAX = 50;

/**
 * Does everything that is due about a contract, one commit each: what a commit says is to be asked of a gateway is asked
 * after it, and the answer goes into the next. A process that dies in between leaves a claim, which the next worker takes over
 * by asking the gateway, never by charging again. Returns the events that came of it.
 */
export async function workOn(env: WorkEnv, contractId: string): Promise<EngineEvent[]> {
  const emitted: EngineEvent[] = [];
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const done = await env.runTx(env.part, (tx) => doNext(env, tx, contractId));
    if (done === null) break;
    emitted.push(...done.events);
    if (done.call !== null) emitted.push(...(await carryOut(env, contractId, done.call)));
  }
  return emitted;
}

interface Done {
  readonly events: readonly EngineEvent[];
  readonly call: Call | null;
}

async function doNext(env: WorkEnv, tx: Tx, contractId: string): Promise<Done | null> {
  const stored = await tx.get(contracts, contractId);
  if (stored === null) return null;
  const book = await openBook(env, tx, stored);
  const action = firstDue(agendaOf(book.contract, [...book.charges.values()], book.policy, env.now), env.now);
  if (action === null) {
    // Its time is written again when it was listed as due without being so.
    if (stored.value.next_action_at !== null && fromInstant(stored.value.next_action_at) <= env.now) {
      await closeBook(book);
    }
    return null;
  }
  const call = await doAction(book, action);
  await closeBook(book);
  return { events: book.emitted, call };
}

/** Asks the gateway, and writes down what it said. */
async function carryOut(env: WorkEnv, contractId: string, call: Call): Promise<EngineEvent[]> {
  const gateway = await openGateway(env, call.gateway);
  if (call.kind === "refund") {
    const answer = await gateway.refund(call.request);
    return change(env, contractId, call.chargeId, (book) =>
      settleRefund(book, call.chargeId, call.request.key, answer),
    );
  }
  const answer = call.kind === "charge" ? await gateway.charge(call.request) : await ask(env, gateway, call);
  const { charge_id: chargeId, key, token_ref: token } = call.request;
  const emitted = await change(env, contractId, chargeId, (book) => {
    const isOver = call.kind === "ask" && call.closing && !isDecided(answer);
    if (isOver && answer.status !== "unknown") timeOut(book, chargeOf(book, chargeId));
    else follow(book, applyAnswer(chargeOf(book, chargeId), call.n, answer, applyContextOf(book)));
  });
  const repeats = call.gateway.kind === "test" ? testOutcome(token, attemptNumber(key)).callbacks : 0;
  for (let sent = 0; sent < repeats; sent += 1) {
    const event = {
      eventId: `${key}.settled`,
      key,
      result: { status: "succeeded" as const, ref: `test_${key}` },
    };
    emitted.push(
      ...(await env.runTx(env.part, (tx) => receiveResult(env, tx, call.gateway.id, event))).events,
    );
  }
  return emitted;
}

const isDecided = ({ status }: ChargeAnswer | LookupAnswer): boolean =>
  status === "succeeded" || status === "failed";

/** What became of an attempt; one that the gateway never saw is sent again, under the same key. */
async function ask(
  env: WorkEnv,
  gateway: PaymentGateway,
  call: Extract<Call, { kind: "ask" }>,
): Promise<ChargeAnswer | LookupAnswer> {
  const { request, gatewayRef, closing } = call;
  const found = await gateway.lookup({ ...request, gateway_ref: gatewayRef, closing });
  const isLost = found.status === "not_found" && !closing;
  return isLost && env.now < call.resendUntil ? gateway.charge(request) : found;
}

/** One change of a contract and one of its charges. */
function change(
  env: WorkEnv,
  contractId: string,
  chargeId: string,
  apply: (book: OpenedBook) => void,
): Promise<EngineEvent[]> {
  return env.runTx(env.part, async (tx) => {
    const stored = await tx.require(contracts, contractId);
    const book = await openBook(env, tx, stored, [chargeId]);
    apply(book);
    await closeBook(book);
    return [...book.emitted];
  });
}
